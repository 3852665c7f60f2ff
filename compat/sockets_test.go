package compat_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// wires are the protocols of the account's listeners.
var wires = map[string]*cosmostest.ListenOptions{
	"HTTP/1.1": {HTTP1Only: true},
	"HTTP/2.0": nil,
}

// listening is a multi-write account on real sockets.
func listening(t *testing.T, wire string) *cosmostest.Account {
	t.Helper()
	acct := newAccount(t, multiWrite)
	noError(t, acct.Listen(wires[wire]))
	return acct
}

// counting counts the connections that a client of the account opens.
func counting(acct *cosmostest.Account) (*http.Client, *atomic.Int64) {
	client, opened := acct.Client(), new(atomic.Int64)
	tr := client.Transport.(*http.Transport)
	dial := tr.DialContext
	tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		opened.Add(1)
		return dial(ctx, network, addr)
	}
	return client, opened
}

// socketFault is a failure of a region, and what follows from it.
type socketFault struct {
	fault cosmostest.Fault
	local bool // worth another connection to the same region
	marks bool // the whole endpoint is tried last from then on
	dials int  // connections of a client that had none, -1 for any number
}

var socketFaults = []socketFault{
	{cosmostest.Fault{Transport: cosmostest.Refused}, true, true, -1},
	{cosmostest.Fault{Transport: cosmostest.DNS}, false, true, -1},
	{cosmostest.Fault{Transport: cosmostest.TLS}, false, true, -1},
	{cosmostest.Fault{Transport: cosmostest.Reset}, true, false, 3},
	{cosmostest.Fault{Transport: cosmostest.EOF}, true, false, 3},
	{cosmostest.Fault{Transport: cosmostest.Truncated}, true, false, -1},
	{cosmostest.Fault{Transport: cosmostest.ResetMidBody}, true, false, 3},
	{cosmostest.Fault{Transport: cosmostest.Blackhole}, false, false, -1},
	{cosmostest.Fault{Status: http.StatusServiceUnavailable}, false, false, 2},
	{cosmostest.Fault{Status: http.StatusServiceUnavailable, Early: true}, false, false, -1},
}

// TestFailuresOnRealSockets: every operation survives every failure of its
// region. A broken or refused connection is tried once more on a new one, and
// only what could not be reached is avoided by the next operation.
func TestFailuresOnRealSockets(t *testing.T) {
	for wire := range wires {
		for _, f := range socketFaults {
			t.Run(wire+" "+f.fault.Transport.String(), func(t *testing.T) {
				for name, do := range operations {
					if f.fault.Transport != cosmostest.Blackhole || slices.Contains([]string{"read", "create", "query"}, name) {
						f.check(t, wire, name, do)
					}
				}
			})
		}
	}
}

// check runs one operation while East US fails, and looks where its requests,
// and those of the next one, go.
func (f *socketFault) check(t *testing.T, wire, name string, do operation) {
	t.Helper()
	acct := listening(t, wire)
	network, opened := counting(acct)
	defer network.CloseIdleConnections()
	settings := new(policies.Settings)
	if f.fault.Transport == cosmostest.Blackhole {
		settings.Failover.AttemptTimeout.Point = policies.Duration(time.Second)
		settings.Failover.AttemptTimeout.Query = settings.Failover.AttemptTimeout.Point
	}
	c := client{transport: network, settings: settings}.container(t, acct)
	warmUp(t, acct, c)
	network.CloseIdleConnections() // or net/http may repeat a read by itself
	before := opened.Load()
	f.fault.Region = east
	acct.SetFaults(f.fault)
	if err := do(t.Context(), c); err != nil {
		t.Errorf("%s: %+v", name, err)
	}
	want := []string{east, west}
	if f.local {
		want = []string{east, east, west}
	}
	if got := visits(acct); !slices.Equal(got, want) {
		t.Errorf("%s: the requests went to %q, want %q", name, got, want)
	}
	// HTTP/2 may open one more while it finds out that a connection has broken.
	most := f.dials
	if wire == "HTTP/2.0" {
		most++
	}
	if dials := int(opened.Load() - before); f.dials >= 0 && (dials < f.dials || dials > most) {
		t.Errorf("%s: %d connections, want %d to %d", name, dials, f.dials, most)
	}
	acct.SetFaults()
	acct.ResetLog()
	noError(t, read(t.Context(), c))
	if went := visits(acct)[0]; (went != east) != f.marks {
		t.Errorf("%s: the next operation went to %q first", name, went)
	}
	noError(t, acct.Close())
}

// TestStoppedRegionsOnRealSockets: a region goes away under open connections,
// and comes back.
func TestStoppedRegionsOnRealSockets(t *testing.T) {
	for wire := range wires {
		t.Run(wire, func(t *testing.T) {
			acct := listening(t, wire)
			cl := acct.Client()
			defer cl.CloseIdleConnections()
			c := client{transport: cl}.container(t, acct)
			warmUp(t, acct, c)
			noError(t, acct.Stop(east))
			for name, do := range operations {
				if err := do(t.Context(), c); err != nil {
					t.Errorf("%s: %+v", name, err)
				}
			}
			for _, region := range visits(acct) {
				if region != west {
					t.Errorf("a request reached %q", region)
				}
			}
			noError(t, acct.Start(east))
			noError(t, acct.Stop(west))
			noError(t, read(t.Context(), c))
		})
	}
}

// TestCallersWhoGiveUpBlameNobody: a look-up and a dial that their caller
// cancels look like faults of the region, and are none.
func TestCallersWhoGiveUpBlameNobody(t *testing.T) {
	for name, wrap := range map[string]func(error) error{
		"look-up": func(err error) error {
			return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: err.Error(), Name: "acct", UnwrapErr: err}}
		},
		"dial": func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} },
	} {
		for _, cause := range []error{nil, errors.New("a sibling failed"), &net.DNSError{Err: "no such host", IsNotFound: true}} {
			t.Run(name, func(t *testing.T) {
				acct := newAccount(t, nil)
				var tr policy.Transporter = acct.Transport()
				c := client{transport: roundTripper(func(req *http.Request) (*http.Response, error) { return tr.Do(req) })}.container(t, acct)
				warmUp(t, acct, c)
				ctx, cancel := context.WithCancelCause(t.Context())
				sent := 0
				tr = roundTripper(func(req *http.Request) (*http.Response, error) {
					sent++
					cancel(cause)
					<-req.Context().Done()
					return nil, wrap(req.Context().Err())
				})
				if err := read(ctx, c); !errors.Is(err, context.Canceled) || sent != 1 {
					t.Errorf("got %v after %d requests", err, sent)
				}
				tr = acct.Transport()
				noError(t, read(t.Context(), c))
				wantVisits(t, acct, east)
			})
		}
	}
}
