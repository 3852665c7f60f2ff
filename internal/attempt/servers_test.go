package attempt_test

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// quiet takes what servers say about connections that tests break.
var quiet = log.New(io.Discard, "", 0)

// protocols are the ways in which a request can go over the wire.
var protocols = []string{"HTTP/1.1", "HTTP/2.0"}

// serve starts a TLS server of one protocol and returns a client of it.
func serve(t *testing.T, protocol string, handler http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Proto != protocol {
			t.Errorf("the request came over %s, want %s", r.Proto, protocol)
		}
		if r.Method == http.MethodTrace {
			return
		}
		handler(w, r)
	}))
	server.EnableHTTP2 = protocol == "HTTP/2.0"
	server.Config.ErrorLog = quiet
	server.Config.ConnContext = keepConn
	server.StartTLS()
	t.Cleanup(server.Close)
	return newTransport(t, server, nil), server.URL
}

// warm makes a client open its connection to a server of [serve].
func warm(t *testing.T, client *http.Client, endpoint string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodTrace, endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

// keepConn lets a handler reach its connection.
func keepConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

type connKey struct{}

// reset resets the connection of a request, and ends its handler.
func reset(r *http.Request) {
	hangUp(r.Context().Value(connKey{}).(net.Conn))
	panic(http.ErrAbortHandler)
}

// listenTLS is listen behind TLS.
func listenTLS(t *testing.T, config *tls.Config, handle func(net.Conn)) (endpoint string) {
	t.Helper()
	return listen(t, func(c net.Conn) { handle(tls.Server(c, config)) })
}
