package attempt_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// causes are what callers cancel with: nothing, or the error of a sibling task.
var causes = map[string]error{
	"no cause":             nil,
	"some error":           errors.New("a sibling failed"),
	"a broken connection":  io.ErrUnexpectedEOF, // io.EOF itself makes net/http end the body
	"a refused connection": opError("dial", errno("connect", syscall.ECONNREFUSED)),
	"an unknown name":      &net.DNSError{Err: "no such host", IsNotFound: true},
}

// TestCancellationsBlameNobody: whatever a transport makes of the end of the
// caller's context, it says nothing about the endpoint.
func TestCancellationsBlameNobody(t *testing.T) {
	for name, cause := range causes {
		reports := []error{context.Canceled, opError("dial", context.Canceled), errors.New("request was cancelled"), patientError{}}
		lookup := &net.DNSError{Err: "operation was canceled", Name: "acct", UnwrapErr: context.Canceled}
		reports = append(reports, lookup, opError("dial", lookup))
		if cause != nil {
			reports = append(reports, cause) // as net/http does
		}
		for _, report := range reports {
			for wrap, wrapped := range wraps {
				ctx, cancel := context.WithCancelCause(t.Context())
				o := fails(t, ctx, wrapped(report), func() { cancel(cause) })
				if o.Class != attempt.CallerDone || o.Silent || o.Reconnect {
					t.Errorf("%s, reported as %v %s: got %+v", name, report, wrap, o)
				}
			}
		}
	}
}

// TestDeadlinesBlameNobody is the same for the caller's deadline; only silence
// that lasted is remembered.
func TestDeadlinesBlameNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, patience := range []time.Duration{10 * time.Millisecond, 999 * time.Millisecond, time.Second, 5 * time.Second} {
			lookup := &net.DNSError{Err: "i/o timeout", IsTimeout: true, UnwrapErr: context.DeadlineExceeded}
			for _, report := range []error{context.DeadlineExceeded, opError("dial", context.DeadlineExceeded), lookup, patientError{}} {
				for wrap, wrapped := range wraps {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					o := fails(t, ctx, wrapped(report), func() { <-ctx.Done() })
					cancel()
					if o.Class != attempt.CallerDone || o.Silent != (patience >= time.Second) {
						t.Errorf("deadline after %v, reported as %v %s: got %+v", patience, report, wrap, o)
					}
				}
			}
		}
	})
}

// TestFaultsAreSeenBeforeTheContext: a fault that can only be the endpoint's is
// one, though the caller has gone meanwhile.
func TestFaultsAreSeenBeforeTheContext(t *testing.T) {
	for _, f := range typedFaults {
		ctx, cancel := context.WithCancel(t.Context())
		o := fails(t, ctx, f.err, cancel)
		want := attempt.CallerDone
		if f.conclusive {
			want = attempt.Failed
		}
		if o.Class != want || o.Sent != f.sent {
			t.Errorf("%s: got %+v, want class %v, sent %v", f.name, o, want, f.sent)
		}
	}
}

// stages are the parts of a real request; each network calls cancel in one.
var stages = map[string]func(t *testing.T, cancel func()) (*http.Client, string){
	"look-up": func(t *testing.T, cancel func()) (*http.Client, string) {
		resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		return newTransport(t, nil, (&net.Dialer{Resolver: resolver}).DialContext), "https://acct.documents.invalid."
	},
	"dial": func(t *testing.T, cancel func()) (*http.Client, string) {
		return newTransport(t, nil, func(ctx context.Context, network, addr string) (net.Conn, error) {
			cancel()
			<-ctx.Done()
			return new(net.Dialer).DialContext(ctx, network, addr)
		}), "https://" + closedPort(t)
	},
	"handshake": func(t *testing.T, cancel func()) (*http.Client, string) {
		return newTransport(t, nil, nil), "https://" + listen(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1))
			cancel()
		})
	},
	"answer": func(t *testing.T, cancel func()) (*http.Client, string) {
		return serve(t, "HTTP/1.1", func(w http.ResponseWriter, r *http.Request) {
			cancel()
			silently(w, r)
		})
	},
	"answer over HTTP/2": func(t *testing.T, cancel func()) (*http.Client, string) {
		return serve(t, "HTTP/2.0", func(w http.ResponseWriter, r *http.Request) {
			cancel()
			silently(w, r)
		})
	},
	"body": func(t *testing.T, cancel func()) (*http.Client, string) {
		return serve(t, "HTTP/1.1", func(w http.ResponseWriter, r *http.Request) {
			cut(w)
			cancel()
			silently(w, r)
		})
	},
	"body over HTTP/2": func(t *testing.T, cancel func()) (*http.Client, string) {
		return serve(t, "HTTP/2.0", func(w http.ResponseWriter, r *http.Request) {
			cut(w)
			cancel()
			silently(w, r)
		})
	},
}

// TestRealCancellationsBlameNobody cancels each stage of a real request.
func TestRealCancellationsBlameNobody(t *testing.T) {
	for stage, network := range stages {
		for name, cause := range causes {
			t.Run(stage+" with "+name, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				client, endpoint := network(t, func() { cancel(cause) })
				t.Cleanup(client.CloseIdleConnections)
				p := &sender{timeouts: attempt.Timeouts{Point: patience}}
				_, err := newPipeline(client, p).Do(newRequest(t, ctx, "GET", endpoint, ""))
				if a := p.last(t); a.Outcome().Class != attempt.CallerDone {
					t.Errorf("%v: got %+v", err, a.Outcome())
				}
			})
		}
	}
}
