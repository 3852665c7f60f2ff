package attempt

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// Class says how an attempt ended.
type Class uint8

// The ways an attempt can end.
const (
	// Answered: a response arrived, whatever its status.
	Answered Class = iota
	// Failed: the transport failed, or the response body broke off.
	Failed
	// TimedOut: the attempt's own clock ran out.
	TimedOut
	// CallerDone: the caller's context ended; nobody is to blame.
	CallerDone
	// Refused: another policy failed before anything was sent, and says that
	// a retry is pointless.
	Refused
)

// Outcome is what the retry rules need to know of an attempt's end.
type Outcome struct {
	Class     Class
	Status    int // of an answer, else 0
	SubStatus int
	// Sent is false only when the request surely never left the client.
	Sent bool
	// Reconnect reports that a new connection to the same endpoint is worth
	// one try: refused and broken connections, not names, certificates or silence.
	Reconnect bool
	// Silent reports that nobody answered although the attempt waited long
	// enough to expect it.
	Silent bool
}

// Is reports whether the attempt was answered with this status and sub-status.
func (o Outcome) Is(status, subStatus int) bool {
	return o.Class == Answered && o.Status == status && o.SubStatus == subStatus
}

// timeoutError replaces the context error of an attempt that was not answered
// in time, so that nobody takes it for the caller's own deadline.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string {
	return fmt.Sprintf("no answer within the attempt time-out of %v", e.after)
}

// Timeout makes it a [net.Error] in spirit.
func (e *timeoutError) Timeout() bool { return true }

// evidence is what an attempt left behind for its classification.
type evidence struct {
	resp    *http.Response
	err     error
	caller  error // of the context that the caller controls
	cause   error // why the attempt's own context ended, nil while it lives
	traced  bool  // the transport reports through httptrace
	reached bool  // the request was given to a connection
}

// classify turns an error into an outcome. It is pure.
func classify(e evidence) Outcome {
	fault := faultOf(e.err, e.cause)
	sent := e.reached || e.resp != nil || !(fault.unsent || e.traced)
	switch {
	case fault.kind.conclusive():
	case e.caller != nil:
		// A cancelled look-up or dial looks like a fault of the endpoint.
		return Outcome{Class: CallerDone, Sent: sent}
	case e.cause != nil:
		return Outcome{Class: TimedOut, Sent: sent}
	case fault.kind == faultOther && isNonRetriable(e.err) && e.resp == nil && !e.reached && !fault.unsent:
		return Outcome{Class: Refused}
	}
	return Outcome{Class: Failed, Sent: sent, Reconnect: fault.kind.reconnect()}
}

// silent reports whether a caller's deadline ended an attempt that had been
// waiting long enough to say something about the endpoint.
func silent(o Outcome, caller error, took time.Duration) bool {
	return o.Class == CallerDone && errors.Is(caller, context.DeadlineExceeded) && took >= patience
}

// patience is how long an attempt must have waited before the caller's own
// deadline counts as the endpoint's silence. Shorter deadlines teach nothing:
// an impatient caller must not steer everybody else.
const patience = time.Second

type faultKind uint8

const (
	faultOther   faultKind = iota // some other I/O error
	faultTimeout                  // of the transport, the network or a context
	faultBroken                   // refused, reset, cut
	faultName                     // DNS
	faultTLS
)

// reconnect reports whether a new connection may help at once.
func (k faultKind) reconnect() bool { return k == faultBroken || k == faultOther }

// conclusive reports whether the fault is the endpoint's even when a context
// has ended meanwhile. The others may be how the transport reports that end.
func (k faultKind) conclusive() bool { return k >= faultBroken }

type fault struct {
	kind   faultKind
	unsent bool // by its type, the request cannot have left the client
}

// faultOf tells by type what a transport error says. cause is why the attempt's
// context ended, nil while it lives: net/http reports that in place of the
// context's error, and a caller may cancel with any error it likes. Errors that
// merely repeat a context's end blame nobody, however they are wrapped.
func faultOf(err, cause error) fault {
	dialing := isDial(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || cause != nil && errors.Is(err, cause) {
		return fault{kind: faultTimeout, unsent: dialing}
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsTimeout {
			return fault{kind: faultTimeout, unsent: true}
		}
		return fault{kind: faultName, unsent: true}
	}
	if isTLS(err) {
		return fault{kind: faultTLS, unsent: true}
	}
	for _, broken := range brokenConnection {
		if errors.Is(err, broken) {
			return fault{kind: faultBroken, unsent: dialing || broken == syscall.ECONNREFUSED}
		}
	}
	if timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && timeout.Timeout() {
		return fault{kind: faultTimeout, unsent: dialing}
	}
	return fault{kind: faultOther, unsent: dialing}
}

// brokenConnection lists what a refused, reset or cut connection looks like.
var brokenConnection = []error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
	syscall.EHOSTUNREACH, syscall.ENETUNREACH, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
}

func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect")
}

func isTLS(err error) bool {
	if errors.Is(err, http.ErrSchemeMismatch) {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	// The remaining handshake errors of net/http and crypto/tls have no
	// exported type.
	return err != nil && (strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "TLS handshake"))
}

// isNonRetriable recognises azcore's marker, whose package cannot be imported.
func isNonRetriable(err error) bool {
	_, ok := errors.AsType[interface {
		error
		NonRetriable()
	}](err)
	return ok
}
