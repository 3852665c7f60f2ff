package cosmostest

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// server is a gate's life between Start and Stop.
type server struct {
	gate   *gate
	http   *http.Server
	cancel context.CancelFunc // ends the context of every request
	served chan struct{}      // closed when Serve has returned

	mu      sync.Mutex
	conns   map[net.Conn]http.ConnState
	closing bool
	live    sync.WaitGroup // connections and handlers; no Add after closing is set
}

func (g *gate) newServer() *server {
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{gate: g, cancel: cancel, served: make(chan struct{}), conns: map[net.Conn]http.ConnState{}}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(g.network.tls != nil && !g.network.opts.HTTP1Only)
	s.http = &http.Server{
		Handler:     s,
		Protocols:   &protocols,
		TLSConfig:   g.tlsConfig(),
		ErrorLog:    log.New(io.Discard, "", 0), // clients that hang up in the handshake are what this is for
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:   s.track,
	}
	return s
}

// connKey is the context key of a request's connection.
type connKey struct{}

// tlsConfig is the network's, but for connections that a TLS fault takes.
func (g *gate) tlsConfig() *tls.Config {
	if g.network.tls == nil {
		return nil
	}
	cfg := g.network.tls.Clone()
	cfg.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if g.network.account.connectionFault(g.name, TLS) {
			return g.network.foreign, nil
		}
		return nil, nil
	}
	return cfg
}

func (s *server) serve(ln net.Listener) {
	defer close(s.served)
	ln = &pickyListener{Listener: ln, gate: s.gate}
	if s.gate.network.tls == nil {
		_ = s.http.Serve(ln)
	} else {
		_ = s.http.ServeTLS(ln, "", "")
	}
}

// track keeps the list of live connections.
func (s *server) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		if s.closing {
			_ = c.Close() // accepted while the listener was being closed
			return
		}
		s.live.Add(1)
		s.conns[c] = state
	case http.StateClosed, http.StateHijacked:
		if _, ok := s.conns[c]; ok {
			delete(s.conns, c)
			s.live.Done()
		}
	default:
		if _, ok := s.conns[c]; ok {
			s.conns[c] = state
		}
	}
}

// cut resets the connections that which is true of.
func (s *server) cut(which func(http.ConnState) bool) {
	s.mu.Lock()
	var conns []net.Conn
	for c, state := range s.conns {
		if which(state) {
			conns = append(conns, c)
		}
	}
	s.mu.Unlock()
	for _, c := range conns {
		reset(c)
	}
}

// pickyListener refuses the connections that a fault takes.
type pickyListener struct {
	net.Listener
	gate *gate
}

// Accept returns the next connection that no fault takes.
func (l *pickyListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || !l.gate.network.account.connectionFault(l.gate.name, Refused, DNS) {
			return c, err
		}
		reset(c) // the kernel has accepted it already: a reset before the first byte is as near as a server gets
	}
}

// reset closes a connection with a TCP reset.
func reset(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
