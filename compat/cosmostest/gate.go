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

// gate is one endpoint on a socket: the global one or that of a region. Its address stays the same over Stop and Start.
// open and close are serialized by Account.administer.
type gate struct {
	network *network
	name    string
	addr    string

	mu     sync.Mutex
	server *server   // nil while stopped
	hold   io.Closer // keeps the port from being given to somebody else while stopped
}

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

func (n *network) openGate(name, addr string) (*gate, error) {
	g := &gate{network: n, name: name, addr: addr}
	return g, g.open()
}

// open starts to serve; an open gate stays as it is.
func (g *gate) open() error {
	g.mu.Lock()
	server, hold := g.server, g.hold
	g.hold = nil
	g.mu.Unlock()
	if server != nil {
		return nil
	}
	if hold != nil {
		_ = hold.Close()
	}
	ln, err := net.Listen("tcp", g.addr)
	if err != nil {
		return err
	}
	g.addr = ln.Addr().String()
	s := g.newServer()
	go s.serve(ln)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.server = s
	return nil
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

// close stops to serve: no new connections, the live ones are cut, and nothing runs any more when it returns.
func (g *gate) close() {
	g.mu.Lock()
	s := g.server
	g.server = nil
	g.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.cancel()
	_ = s.http.Close() // the listener first, then the connections
	<-s.served
	s.live.Wait()
}

// stop closes the gate and keeps its port.
func (g *gate) stop() {
	g.mu.Lock()
	server := g.server
	g.mu.Unlock()
	if server == nil {
		return
	}
	server.cut(func(http.ConnState) bool { return true })
	g.close()
	hold, err := holdPort(g.addr)
	if err != nil {
		return // the port may be lost to somebody else; Start tells
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hold = hold
}

// release gives up the port of a stopped gate.
func (g *gate) release() {
	g.mu.Lock()
	hold := g.hold
	g.hold = nil
	g.mu.Unlock()
	if hold != nil {
		_ = hold.Close()
	}
}

// dropIdle cuts the idle connections, so that the next request needs a new one.
func (g *gate) dropIdle() {
	g.mu.Lock()
	server := g.server
	g.mu.Unlock()
	if server != nil {
		server.cut(func(state http.ConnState) bool { return state == http.StateIdle || state == http.StateNew })
	}
}

func (g *gate) url() string {
	if g.network.tls == nil {
		return "http://" + g.addr + "/"
	}
	return "https://" + g.addr + "/"
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
