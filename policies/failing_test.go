package policies_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// What the program puts into the policies may fail. No operation is the worse
// for it.

type deadLettersFunc func(ctx context.Context) error

func (f deadLettersFunc) Keep(ctx context.Context, _ policies.Letter) error { return f(ctx) }

func TestFailingDeadLettersHarmNobody(t *testing.T) {
	tests := []struct {
		name   string
		keep   deadLettersFunc
		takes  time.Duration
		reason string
	}{
		{"an error", func(context.Context) error { return errors.New("no space left on device") }, 0, "no space left"},
		{"a panic", func(context.Context) error { panic("letters") }, 0, "panicked"},
		{"a disk that hangs", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 2 * time.Second, "deadline exceeded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				account, observer := newAccount(t), new(recorder)
				container, _ := newClient(t, account, &policies.Options{
					DeadLetters: tt.keep, Observers: []policies.Observer{observer},
					Settings: &policies.Settings{Failover: policies.FailoverSettings{MaxRetries: -1}},
				})
				account.SetFaults(cosmostest.Fault{Region: "*", Status: 503})
				began := time.Now()
				_, err := container.CreateItem(t.Context(), azcosmos.NewPartitionKeyString("a"), []byte(`{"id":"1","pk":"a"}`), nil)
				if _, ok := errors.AsType[*policies.Error](err); !ok || !strings.Contains(err.Error(), "503") {
					t.Errorf("got %v, want the operation's own error", err)
				}
				if took := time.Since(began); took != tt.takes {
					t.Errorf("the operation took %v, want %v", took, tt.takes)
				}
				synctest.Wait()
				told := ""
				for _, e := range observer.events {
					if e.Kind == policies.EventLetterLost {
						told = e.Reason
					}
				}
				if !strings.Contains(told, tt.reason) {
					t.Errorf("observers are told %q, want something with %q", told, tt.reason)
				}
			})
		})
	}
}

// TestHangingObserverDelaysNobody: 2,000 operations in an outage, and an observer
// that never comes back from the first event.
func TestHangingObserverDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		account := newAccount(t)
		hanging := policies.ObserverFunc(func(context.Context, policies.Event) { <-answer })
		container, set := newClient(t, account, &policies.Options{Observers: []policies.Observer{hanging}})
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		began := time.Now()
		for range 2000 {
			if err := read(t.Context(), container); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("2000 reads took %v longer than they should", took)
		}
		if set.Dropped() == 0 {
			t.Error("nobody counted what the observer missed")
		}
		close(answer)
	})
}

// fixedDelay is a strategy of the program's, and not a good one.
type fixedDelay time.Duration

func (d fixedDelay) Delay(int, time.Duration, float64) time.Duration { return time.Duration(d) }

func TestSenselessBackoffs(t *testing.T) {
	for name, tt := range map[string]struct {
		delay    fixedDelay
		status   int
		requests int
	}{
		"negative, throttled": {-1, 429, 10},
		"endless, throttled":  {1<<63 - 1, 429, 1},
		"negative, failing":   {-1, 503, 4},
		"endless, failing":    {1<<63 - 1, 503, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				account := newAccount(t)
				container, _ := newClient(t, account, &policies.Options{
					Backoff: tt.delay, FailoverBackoff: tt.delay,
					Settings: &policies.Settings{Regions: policies.RegionSettings{Excluded: []string{"West US", "North Europe"}}},
				})
				account.SetFaults(cosmostest.Fault{Region: "*", Status: tt.status})
				var d policies.Diagnostics
				began := time.Now()
				if err := read(policies.WithDiagnostics(t.Context(), &d), container); err == nil {
					t.Error("got a success")
				}
				if n, took := len(d.Attempts()), time.Since(began); n != tt.requests || took != 0 || d.Waited() != 0 {
					t.Errorf("%d requests in %v, %v of it waits: want %d and no time", n, took, d.Waited(), tt.requests)
				}
			})
		})
	}
}

func TestDiagnosticsConcurrentSafe(t *testing.T) {
	account := newAccount(t)
	container, _ := newClient(t, account, nil)
	if err := read(t.Context(), container); err != nil { // reads the account
		t.Fatal(err)
	}
	account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
	var d policies.Diagnostics
	ctx := policies.WithDiagnostics(t.Context(), &d)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := read(ctx, container); err != nil {
					t.Error(err)
				}
				_ = d.String()
			}
		})
	}
	all.Wait()
	if d.Operations() != 400 || len(d.Attempts()) < 400 || d.Charge() < 400 {
		t.Errorf("got %d operations, %d attempts, %v RU", d.Operations(), len(d.Attempts()), d.Charge())
	}
}
