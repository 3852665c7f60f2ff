package cosmostest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
)

// TransportFault is a failure of the connection.
type TransportFault int

// The transport faults. Refused, DNS and TLS happen before anything is sent; the request surely was not executed.
const (
	// NoTransportFault is the zero value.
	NoTransportFault TransportFault = iota
	// Refused: connection refused.
	Refused
	// DNS: no such host.
	DNS
	// TLS: the certificate does not verify.
	TLS
	// Reset: the connection is reset after the request was sent.
	Reset
	// EOF: the connection is closed after the request was sent, without an answer.
	EOF
	// Blackhole: there is never an answer; only the client's context or time-out ends the wait.
	Blackhole
	// Truncated: an answer (200 unless Status is set) whose body ends before its Content-Length.
	Truncated
	// ResetMidBody: the connection is reset while the request body is being sent.
	ResetMidBody
	// GoAway: the server sends an HTTP/2 GOAWAY after the request was sent and closes the connection without an answer, as
	// a gateway does that is being replaced. On HTTP/1.1 it is EOF.
	GoAway
	// StreamReset: the server resets the HTTP/2 stream of the request after it was sent, and the connection lives on. On
	// HTTP/1.1 it is Reset.
	StreamReset
)

var transportFaultNames = []string{
	"", "refused", "dns", "tls", "reset", "eof", "blackhole", "truncated", "resetMidBody", "goAway", "streamReset",
}

// String returns the name that [TransportFault.UnmarshalText] understands: refused, dns, tls, reset, eof, blackhole,
// truncated, resetMidBody, goAway, streamReset, or nothing for none.
func (f TransportFault) String() string {
	if f < 0 || int(f) >= len(transportFaultNames) {
		return fmt.Sprintf("TransportFault(%d)", int(f))
	}
	return transportFaultNames[f]
}

// MarshalText is [TransportFault.String] for encoders.
func (f TransportFault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads the name of a fault; an unknown one is an error that lists those there are.
func (f *TransportFault) UnmarshalText(text []byte) error {
	i := slices.Index(transportFaultNames, string(text))
	if i < 0 {
		return fmt.Errorf("cosmostest: transport fault %q; allowed: %q", text, transportFaultNames[1:])
	}
	*f = TransportFault(i)
	return nil
}

// notSent reports whether the fault strikes before the request is sent.
func (f TransportFault) notSent() bool { return f == Refused || f == DNS || f == TLS }

// error is the fault as net/http reports it for a connection to host:port, before http.Client wraps it.
func (f TransportFault) error(hostport string) error {
	host, _, _ := net.SplitHostPort(hostport)
	addr := namedAddr(hostport)
	switch f {
	case Refused:
		return &net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case DNS:
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	case TLS:
		return &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	case Reset:
		return &net.OpError{Op: "read", Net: "tcp", Addr: addr, Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	case ResetMidBody:
		return &net.OpError{Op: "write", Net: "tcp", Addr: addr, Err: os.NewSyscallError("write", syscall.ECONNRESET)}
	case EOF:
		return io.EOF
	case GoAway:
		return errGoAway
	case StreamReset:
		return errStreamReset
	}
	return fmt.Errorf("cosmostest: %v is no error", f)
}

// What net/http says on HTTP/2, whose error types it does not export.
var (
	errGoAway      = errors.New(`http2: server sent GOAWAY and closed the connection; LastStreamID=2147483647, ErrCode=NO_ERROR, debug=""`)
	errStreamReset = errors.New("stream error: stream ID 1; INTERNAL_ERROR; received from peer")
)

// namedAddr is a net.Addr that shows what was dialed.
type namedAddr string

// Network is always tcp.
func (namedAddr) Network() string { return "tcp" }

// String is the host and port.
func (a namedAddr) String() string { return string(a) }
