package attempt_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

func opError(op string, err error) error { return &net.OpError{Op: op, Net: "tcp", Err: err} }

func errno(call string, number syscall.Errno) error { return os.NewSyscallError(call, number) }

// patientError is how transports outside net/http call a time-out.
type patientError struct{}

func (patientError) Error() string { return "out of patience" }
func (patientError) Timeout() bool { return true }

// markedError is an error with azcore's mark on it.
type markedError struct{ error }

func (markedError) NonRetriable()   {}
func (e markedError) Unwrap() error { return e.error }

// typedFaults are errors of transports that report nothing through httptrace.
var typedFaults = []struct {
	name            string
	err             error
	sent, reconnect bool
	conclusive      bool // the endpoint's fault even when the caller is done
}{
	{"refused", opError("dial", errno("connect", syscall.ECONNREFUSED)), false, true, true},
	{"refused, bare", syscall.ECONNREFUSED, false, true, true},
	{"no route", opError("dial", errno("connect", syscall.EHOSTUNREACH)), false, true, true},
	{"no network", opError("dial", errno("connect", syscall.ENETUNREACH)), false, true, true},
	{"no route, on an open connection", opError("read", errno("read", syscall.EHOSTUNREACH)), true, true, true},
	{"reset in the dial", opError("dial", errno("connect", syscall.ECONNRESET)), false, true, true},
	{"time-out of the dial", opError("dial", os.ErrDeadlineExceeded), false, false, false},
	{"time-out of the kernel's dial", opError("dial", errno("connect", syscall.ETIMEDOUT)), false, false, false},
	{"some other failure of the dial", opError("dial", errors.New("no more ports")), false, true, false},
	{"proxy", opError("proxyconnect", errors.New("bad gateway")), false, true, false},
	{"socks proxy", opError("socks connect", errors.New("general failure")), false, true, false},
	{"unknown name", &net.DNSError{Err: "no such host", Name: "acct", IsNotFound: true}, false, false, true},
	{"unknown name in the dial", opError("dial", &net.DNSError{Err: "no such host", IsNotFound: true}), false, false, true},
	{"name server in trouble", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, false, false, true},
	{"silent name server", &net.DNSError{Err: "i/o timeout", IsTimeout: true}, false, false, false},
	{"certificate", &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, false, false, true},
	{"authority", x509.UnknownAuthorityError{}, false, false, true},
	{"host name", x509.HostnameError{Certificate: new(x509.Certificate), Host: "acct"}, false, false, true},
	{"record header", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, false, false, true},
	{"alert", tls.AlertError(40), false, false, true},
	{"alert on the wire", opError("remote error", tls.AlertError(40)), false, false, true},
	{"no TLS", http.ErrSchemeMismatch, false, false, true},
	{"handshake time-out", errors.New("net/http: TLS handshake timeout"), false, false, true},
	{"end of file", io.EOF, true, true, true},
	{"end of the answer", io.ErrUnexpectedEOF, true, true, true},
	{"reset", opError("read", errno("read", syscall.ECONNRESET)), true, true, true},
	{"reset while writing", opError("write", errno("write", syscall.ECONNRESET)), true, true, true},
	{"aborted", opError("read", errno("read", syscall.ECONNABORTED)), true, true, true},
	{"broken pipe", opError("write", errno("write", syscall.EPIPE)), true, true, true},
	{"closed", opError("write", net.ErrClosed), true, true, true},
	{"time-out of the read", opError("read", os.ErrDeadlineExceeded), true, false, false},
	{"time-out of the transport", patientError{}, true, false, false},
	{"deadline of the transport's own", context.DeadlineExceeded, true, false, false},
	{"something else", errors.New("stream 7 is gone"), true, true, false},
	{"broken answer that azcore marks", markedError{io.ErrUnexpectedEOF}, true, true, true},
	{"failed dial that somebody marks", markedError{opError("dial", errno("connect", syscall.ECONNREFUSED))}, false, true, true},
}

// wraps are what transports put around errors.
var wraps = map[string]func(error) error{
	"bare":          func(err error) error { return err },
	"in url.Error":  func(err error) error { return &url.Error{Op: "Get", URL: "https://acct", Err: err} },
	"in fmt.Errorf": func(err error) error { return fmt.Errorf("my proxy: %w", err) },
	"joined":        func(err error) error { return errors.Join(errors.New("first"), err) },
}

// fails sends one request over a transport that fails, possibly after its
// caller is done, and returns the outcome.
func fails(t *testing.T, ctx context.Context, err error, before func()) attempt.Outcome {
	t.Helper()
	p := &sender{}
	_, got := newPipeline(transport(func(*http.Request) (*http.Response, error) {
		before()
		return nil, err
	}), p).Do(newRequest(t, ctx, "POST", "https://acct.documents.azure.com", `{}`))
	if got == nil {
		t.Fatal("no error")
	}
	a := p.last(t)
	return a.Outcome()
}

func TestSilentTransportsAreJudgedByTheTypeOfTheirErrors(t *testing.T) {
	for _, f := range typedFaults {
		for wrap, wrapped := range wraps {
			t.Run(f.name+" "+wrap, func(t *testing.T) {
				o := fails(t, t.Context(), wrapped(f.err), func() {})
				if o.Class != attempt.Failed || o.Sent != f.sent || o.Reconnect != f.reconnect {
					t.Errorf("got %+v, want sent %v, reconnect %v", o, f.sent, f.reconnect)
				}
			})
		}
	}
}

// TestErrorsOfOtherPoliciesAreNoFaults: what a policy refuses before anything is
// sent, and marks as not retriable, is nobody's failure.
func TestErrorsOfOtherPoliciesAreNoFaults(t *testing.T) {
	for wrap, wrapped := range wraps {
		o := fails(t, t.Context(), wrapped(markedError{errors.New("no licence")}), func() {})
		if o.Class != attempt.Refused || o.Sent || o.Reconnect {
			t.Errorf("%s: got %+v", wrap, o)
		}
	}
}
