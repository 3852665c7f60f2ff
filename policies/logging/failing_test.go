package logging_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/logging"
)

// failing is a handler whose disk is full, or that is broken.
type failing struct {
	slog.Handler
	handled *int
	handle  func() error
}

func (f failing) Handle(context.Context, slog.Record) error { *f.handled++; return f.handle() }

func TestFailingHandlerHarmsNobody(t *testing.T) {
	for name, handle := range map[string]func() error{
		"full disk": func() error { return errors.New("no space left on device") },
		"panic":     func() error { panic("handler") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handled := 0
				handler := failing{slog.NewTextHandler(new(page), nil), &handled, handle}
				observer, err := logging.New(slog.New(handler), &logging.Options{Period: -1})
				if err != nil {
					t.Fatal(err)
				}
				account := newAccount(t)
				container := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}})
				account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
				for range 20 {
					if err := read(t.Context(), container); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if handled < 10 {
					t.Errorf("the handler was asked %d times: want it to be asked again after it failed", handled)
				}
			})
		})
	}
}
