package compat_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

func connectError(number syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", number)}
}

// TestCallersWhoGiveUpStillTeach: a fault that can only be the region's counts,
// though its caller has gone meanwhile.
func TestCallersWhoGiveUpStillTeach(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		callers int // who meet it before the region is avoided
	}{
		"refused": {connectError(syscall.ECONNREFUSED), 1},
		"unknown": {&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, 1},
		"reset":   {&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := newAccount(t, nil)
				var tr policy.Transporter = acct.Transport()
				cl := client{transport: roundTripper(func(req *http.Request) (*http.Response, error) { return tr.Do(req) })}.container(t, acct)
				warmUp(t, acct, cl)
				for n := range c.callers {
					noError(t, read(t.Context(), cl))
					if got := visits(acct)[0]; got != east {
						t.Errorf("after %d callers, a read goes to %q", n, got)
					}
					acct.ResetLog()
				}
				for range c.callers {
					ctx, cancel := context.WithCancel(t.Context())
					tr = roundTripper(func(*http.Request) (*http.Response, error) {
						cancel()
						return nil, c.err
					})
					if err := read(ctx, cl); !errors.Is(err, context.Canceled) {
						t.Errorf("got %v, want the cancellation", err)
					}
				}
				tr = acct.Transport()
				noError(t, read(t.Context(), cl))
				wantVisits(t, acct, west)
			})
		})
	}
}

// TestSilenceTeachesWhenItLasted: deadlines that pass in a silent region open
// the breaker when they gave the region a second, and teach nothing when not.
func TestSilenceTeachesWhenItLasted(t *testing.T) {
	for deadline, want := range map[time.Duration]string{
		20 * time.Millisecond: east, 900 * time.Millisecond: east, time.Second: west, 4 * time.Second: west,
	} {
		t.Run(deadline.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := newAccount(t, nil)
				c := client{}.container(t, acct)
				warmUp(t, acct, c)
				acct.SetFaults(cosmostest.Fault{Region: east, Transport: cosmostest.Blackhole})
				for range 10 {
					ctx, cancel := context.WithTimeout(t.Context(), deadline)
					if err := read(ctx, c); err == nil {
						t.Error("a silent region answered")
					}
					cancel()
				}
				acct.SetFaults()
				acct.ResetLog()
				noError(t, read(t.Context(), c))
				wantVisits(t, acct, want)
			})
		})
	}
}

// TestAttemptsOfOneOperationAreListed: the error of a real client tells each of
// them, with what went wrong before it.
func TestAttemptsOfOneOperationAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := newAccount(t, nil)
		c := client{}.container(t, acct)
		warmUp(t, acct, c)
		acct.SetFaults(
			cosmostest.Fault{Region: east, Transport: cosmostest.Refused, Times: 2},
			cosmostest.Fault{Region: west, Status: 429, Header: http.Header{"X-Ms-Retry-After-Ms": {"250"}}, Times: 1},
			cosmostest.Fault{Region: west, Transport: cosmostest.Blackhole, Times: 1},
			answered(503, 0))
		err := read(t.Context(), c)
		const want = `cosmos read in dbs/db/colls/c: 503 after 6 attempts over 6.25s (East US ×2, West US ×3, North Europe): the service failed, and the retries are used up; retry later
    1. +0s        East US: dial tcp acct-eastus.documents.azure.com:443: connect: connection refused in 0s
    2. +0s        East US: dial tcp acct-eastus.documents.azure.com:443: connect: connection refused in 0s, because the endpoint could not be reached
    3. +0s        West US: 429 in 0s, because the endpoint could not be reached
    4. +250ms     West US: no answer within the attempt time-out of 6s in 6s, waited 250ms, because throttled
    5. +6.25s     North Europe: 503 in 0s, because no answer arrived
    6. +6.25s     West US: 503 in 0s, because the service failed`
		if got := fmt.Sprintf("%+v", err); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	})
}
