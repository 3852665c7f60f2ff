package compat_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// places are where an operation on real sockets can be when its caller gives up.
var places = map[string]struct {
	fault   cosmostest.Fault
	offline bool // no connection can be made at all
}{
	"waiting for an answer":           {fault: broken(cosmostest.Blackhole)},
	"in the wait of a throttled one":  {fault: always(cosmostest.Fault{Status: 429, Header: http.Header{"Retry-After": {"20"}}})},
	"in the wait of a 449":            {fault: always(cosmostest.Fault{Status: 449})},
	"while the account changes":       {fault: always(cosmostest.Fault{Status: 403, SubStatus: 1008})},
	"between failovers in one region": {fault: always(cosmostest.Fault{Status: 503, Delay: 5 * time.Millisecond})},
	"connecting":                      {offline: true},
}

// prompt is how soon a caller who gives up has to have control again. A busy
// machine may need more now and then, so the best of some tries counts.
const prompt = 10 * time.Millisecond

// TestCancellationsAreHeededAtOnce: a caller who cancels, or whose deadline
// passes, gets control back within 10 ms, wherever the operation is.
func TestCancellationsAreHeededAtOnce(t *testing.T) {
	for wire := range wires {
		for place, p := range places {
			t.Run(wire+" "+place, func(t *testing.T) {
				acct := newAccount(t, nil)
				noError(t, acct.Listen(wires[wire]))
				network := acct.Client()
				defer network.CloseIdleConnections()
				c := client{transport: network}.container(t, acct)
				warmUp(t, acct, c)
				acct.SetFaults(p.fault)
				if p.offline {
					network.CloseIdleConnections()
					network.Transport.(*http.Transport).DialContext = unreachable
				}
				for _, end := range []func(context.Context) (context.Context, context.CancelFunc){cancelSoon, deadlineSoon} {
					if late := lateness(t, c, end); late > prompt {
						t.Errorf("returned %v late", late)
					}
				}
			})
		}
	}
}

func unreachable(ctx context.Context, network, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
}

// soon is when the callers give up.
const soon = 40 * time.Millisecond

func cancelSoon(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(soon, cancel)
	return ctx, cancel
}

func deadlineSoon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, soon)
}

// lateness is how long after the end of its context a write returns, at best.
func lateness(t *testing.T, c *azcosmos.ContainerClient, end func(context.Context) (context.Context, context.CancelFunc)) time.Duration {
	t.Helper()
	best := time.Hour
	for range 20 {
		ctx, cancel := end(t.Context())
		ended := make(chan time.Time, 1)
		context.AfterFunc(ctx, func() { ended <- time.Now() })
		err := operations["upsert"](ctx, c)
		returned := time.Now()
		if err == nil {
			t.Fatal("no error")
		}
		if _, ok := errors.AsType[*azcore.ResponseError](err); !ok && !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want the service's last answer or the context's end", err)
		}
		if ctx.Err() == nil {
			best = min(best, 0) // the next wait would not have ended in time
		} else {
			best = min(best, returned.Sub(<-ended))
		}
		cancel()
		if best <= prompt {
			break
		}
	}
	return best
}
