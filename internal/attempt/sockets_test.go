package attempt_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// outcome is the part of an attempt's end that the rules look at.
type outcome struct {
	class           attempt.Class
	sent, reconnect bool
}

func outcomeOf(a attempt.Attempt) outcome {
	o := a.Outcome()
	return outcome{o.Class, o.Sent, o.Reconnect}
}

// fault is one way in which a connection fails, as real sockets do it.
type fault struct {
	name   string
	method string // GET unless given
	body   string
	// client makes the network that fails.
	client func(t *testing.T) (client *http.Client, endpoint string)
	// timeout of the attempt, for those that only the clock ends.
	timeout time.Duration
	want    outcome
}

// check sends the request of the fault once and looks at the outcome.
func (f *fault) check(t *testing.T) {
	client, endpoint := f.client(t)
	t.Cleanup(client.CloseIdleConnections)
	p := &sender{}
	p.timeouts.Point = patience
	if f.timeout > 0 {
		p.timeouts.Point = f.timeout
	}
	method := f.method
	if method == "" {
		method = http.MethodGet
	}
	resp, err := newPipeline(client, p).Do(newRequest(t, t.Context(), method, endpoint, f.body))
	if err == nil {
		t.Fatalf("no error, but %s after %v", resp.Status, p.last(t).Duration)
	}
	if got := outcomeOf(p.last(t)); got != f.want {
		t.Errorf("%v:\n got %+v\nwant %+v", err, got, f.want)
	}
}

// newTransport is a transport that trusts the server, if there is one.
func newTransport(t *testing.T, server *httptest.Server, dial func(context.Context, string, string) (net.Conn, error)) *http.Client {
	t.Helper()
	tr := &http.Transport{DialContext: dial, ForceAttemptHTTP2: true}
	if server != nil && server.TLS != nil {
		tr.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	}
	return &http.Client{Transport: tr}
}

// listen serves each connection with its own call of handle.
func listen(t *testing.T, handle func(net.Conn)) (endpoint string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go handle(c)
		}
	}()
	return ln.Addr().String()
}

// hangUp closes a connection with a reset in place of a goodbye.
func hangUp(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// untilEnd keeps a connection open until the test ends.
func untilEnd(t *testing.T) func(net.Conn) {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	return func(c net.Conn) {
		<-ended
		_ = c.Close()
	}
}

// closedPort is an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// short is the clock of an attempt that nothing else ends.
const short = 50 * time.Millisecond

// notSent are the failures before a request leaves the client.
var notSent = []fault{
	{name: "refused", want: outcome{attempt.Failed, false, true},
		client: func(t *testing.T) (*http.Client, string) {
			return newTransport(t, nil, nil), "https://" + closedPort(t)
		}},
	{name: "unknown name", want: outcome{attempt.Failed, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, errors.New("no name server")
			}}
			return newTransport(t, nil, (&net.Dialer{Resolver: resolver}).DialContext), "https://acct.documents.invalid."
		}},
	{name: "silent name server", timeout: short, want: outcome{attempt.TimedOut, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			return newTransport(t, nil, (&net.Dialer{Resolver: resolver}).DialContext), "https://acct.documents.invalid."
		}},
	{name: "silent while connecting", timeout: short, want: outcome{attempt.TimedOut, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			return newTransport(t, nil, func(ctx context.Context, network, addr string) (net.Conn, error) {
				<-ctx.Done()
				return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
			}), "https://" + closedPort(t)
		}},
	{name: "unknown certificate", want: outcome{attempt.Failed, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			server := httptest.NewTLSServer(http.NotFoundHandler())
			server.Config.ErrorLog = quiet
			t.Cleanup(server.Close)
			return newTransport(t, nil, nil), server.URL
		}},
	{name: "certificate of another name", want: outcome{attempt.Failed, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			server := httptest.NewTLSServer(http.NotFoundHandler())
			server.Config.ErrorLog = quiet
			t.Cleanup(server.Close)
			client := newTransport(t, server, nil)
			client.Transport.(*http.Transport).TLSClientConfig.ServerName = "acct.documents.azure.com"
			return client, server.URL
		}},
	{name: "no TLS at all", want: outcome{attempt.Failed, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			return newTransport(t, nil, nil), "https://" + listen(t, func(c net.Conn) {
				_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"))
				untilEnd(t)(c)
			})
		}},
	{name: "nonsense in place of TLS", want: outcome{attempt.Failed, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			return newTransport(t, nil, nil), "https://" + listen(t, func(c net.Conn) {
				_, _ = c.Write([]byte("220 smtp.example.com ready\r\n"))
				untilEnd(t)(c)
			})
		}},
	{name: "alert in the handshake", want: outcome{attempt.Failed, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.TLS = &tls.Config{ClientAuth: tls.NoClientCert, MinVersion: tls.VersionTLS13}
			server.Config.ErrorLog = quiet
			server.StartTLS()
			t.Cleanup(server.Close)
			client := newTransport(t, server, nil)
			client.Transport.(*http.Transport).TLSClientConfig.MaxVersion = tls.VersionTLS12
			return client, server.URL
		}},
	{name: "reset in the handshake", want: outcome{attempt.Failed, false, true},
		client: func(t *testing.T) (*http.Client, string) {
			return newTransport(t, nil, nil), "https://" + listen(t, hangUp)
		}},
	{name: "closed in the handshake", want: outcome{attempt.Failed, false, true},
		client: func(t *testing.T) (*http.Client, string) {
			return newTransport(t, nil, nil), "https://" + listen(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 64))
				_ = c.(*net.TCPConn).CloseWrite()
				untilEnd(t)(c)
			})
		}},
	{name: "silent in the handshake", timeout: short, want: outcome{attempt.TimedOut, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			return newTransport(t, nil, nil), "https://" + listen(t, untilEnd(t))
		}},
	{name: "silent in the handshake for as long as the transport waits", want: outcome{attempt.Failed, false, false},
		client: func(t *testing.T) (*http.Client, string) {
			client := newTransport(t, nil, nil)
			client.Transport.(*http.Transport).TLSHandshakeTimeout = short
			return client, "https://" + listen(t, untilEnd(t))
		}},
}

func TestFailuresBeforeTheConnectionAreNotSent(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, f := range notSent {
			f.method = method
			if method == http.MethodPost {
				f.body = `{"id":"i"}`
			}
			t.Run(method+" "+f.name, f.check)
		}
	}
}
