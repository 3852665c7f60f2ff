package attempt_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// large is a body that no buffer between the client and the server holds.
var large = `{"id":"` + strings.Repeat("x", 8<<20) + `"}`

// broken is the end of an attempt whose connection broke behind the request.
var broken = outcome{attempt.Failed, true, true}

// sent are the failures of requests that may have arrived.
var sent = []struct {
	fault
	handler http.HandlerFunc
}{
	{fault{name: "reset before the body is read", method: "POST", body: large, want: broken},
		func(w http.ResponseWriter, r *http.Request) { reset(r) }},
	{fault{name: "reset during the body", method: "POST", body: large, want: broken},
		func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadFull(r.Body, make([]byte, 100_000))
			reset(r)
		}},
	{fault{name: "reset after the body", method: "POST", body: `{"id":"i"}`, want: broken},
		func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			reset(r)
		}},
	{fault{name: "reset of a read", want: broken}, func(w http.ResponseWriter, r *http.Request) { reset(r) }},
	{fault{name: "reset of a patch", method: "PATCH", body: `{}`, want: broken},
		func(w http.ResponseWriter, r *http.Request) { reset(r) }},
	{fault{name: "closed without an answer", want: broken},
		func(w http.ResponseWriter, r *http.Request) {
			_ = r.Context().Value(connKey{}).(net.Conn).Close()
			panic(http.ErrAbortHandler)
		}},
	{fault{name: "aborted by the server", want: broken},
		func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }},
	{fault{name: "silent after a read", timeout: 5 * short, want: outcome{attempt.TimedOut, true, false}}, silently},
	{fault{name: "silent after a write", method: "PUT", body: `{}`, timeout: 5 * short, want: outcome{attempt.TimedOut, true, false}},
		func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			silently(w, r)
		}},
	{fault{name: "silent in a body that nobody reads", method: "POST", body: large, timeout: 5 * short, want: outcome{attempt.TimedOut, true, false}}, silently},
	{fault{name: "silent in the answer", timeout: 5 * short, want: outcome{attempt.TimedOut, true, false}},
		func(w http.ResponseWriter, r *http.Request) {
			cut(w)
			silently(w, r)
		}},
}

// silently waits for the client to leave, or for two seconds where net/http
// does not see it leave, and says nothing.
func silently(_ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(2 * time.Second):
	}
	panic(http.ErrAbortHandler)
}

// cut sends the first part of an answer.
func cut(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"id":"the rest is mis`))
	_ = http.NewResponseController(w).Flush()
}

func TestFailuresBehindTheConnectionMayHaveBeenSent(t *testing.T) {
	for _, protocol := range protocols {
		for _, f := range sent {
			f.client = func(t *testing.T) (*http.Client, string) {
				client, endpoint := serve(t, protocol, f.handler)
				if f.timeout > 0 {
					warm(t, client, endpoint) // so that no handshake is on the clock
				}
				return client, endpoint
			}
			t.Run(protocol+" "+f.name, f.check)
		}
	}
}

// TestBrokenAnswersAreTransportErrors: azcore marks the broken answers to POST
// and PATCH as not retriable, which says nothing about the operation.
func TestBrokenAnswersAreTransportErrors(t *testing.T) {
	breaks := map[string]http.HandlerFunc{
		"cut short": func(w http.ResponseWriter, r *http.Request) { cut(w) },
		"reset": func(w http.ResponseWriter, r *http.Request) {
			cut(w)
			reset(r)
		},
		"aborted": func(w http.ResponseWriter, r *http.Request) {
			cut(w)
			panic(http.ErrAbortHandler)
		},
	}
	for _, protocol := range protocols {
		for name, handler := range breaks {
			for _, method := range []string{"GET", "PUT", "POST", "PATCH", "DELETE"} {
				f := fault{method: method, want: broken}
				if method != "GET" && method != "DELETE" {
					f.body = `{"id":"i"}`
				}
				f.client = func(t *testing.T) (*http.Client, string) { return serve(t, protocol, handler) }
				t.Run(protocol+" "+method+" "+name, f.check)
			}
		}
	}
}

// TestConnectionsThatBreakBeforeTheyAreUsed: the transport may find out before
// it has written a byte, or behind. Once it has the connection nobody can tell
// which, and the answer must not depend on chance.
func TestConnectionsThatBreakBeforeTheyAreUsed(t *testing.T) {
	for range 200 {
		f := fault{method: "POST", body: `{"id":"i"}`, want: broken}
		f.client = func(t *testing.T) (*http.Client, string) {
			accepted := make(chan net.Conn, 1)
			endpoint := listen(t, func(c net.Conn) { accepted <- c })
			return newTransport(t, nil, func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, addr)
				if err == nil {
					hangUp(<-accepted)
				}
				return c, err
			}), "http://" + endpoint
		}
		f.check(t)
		if t.Failed() {
			return
		}
	}
}

// TestReadsThatFindAStaleConnection: the transport gives a read to a pooled
// connection that is dead, and looks for another one by itself. Nobody listens
// any more: the endpoint could not be reached.
func TestReadsThatFindAStaleConnection(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			client, endpoint := serve(t, protocol, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("stop") == "" {
					return
				}
				r.Context().Value(http.ServerContextKey).(*http.Server).Close()
			})
			p := &sender{timeouts: attempt.Timeouts{Point: patience}}
			pl := newPipeline(client, p)
			if _, err := pl.Do(newRequest(t, t.Context(), "GET", endpoint, "")); err != nil {
				t.Fatal(err)
			}
			last := newRequest(t, t.Context(), "GET", endpoint, "")
			last.Raw().Header.Set("stop", "true")
			_, _ = pl.Do(last)
			_, err := pl.Do(newRequest(t, t.Context(), "GET", endpoint, ""))
			if got, want := outcomeOf(p.last(t)), (outcome{attempt.Failed, false, true}); got != want {
				t.Errorf("%v:\n got %+v\nwant %+v", err, got, want)
			}
		})
	}
}
