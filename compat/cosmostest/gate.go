package cosmostest

import (
	"io"
	"net"
	"net/http"
	"sync"
)

// gate is one endpoint on a socket: the global one or that of a region. Its address stays the same over Stop and Start.
// open and close are serialized by Account.administer.
type gate struct {
	network *network
	name    string
	addr    string // to listen on, with the port
	public  string // to advertise

	mu     sync.Mutex
	server *server   // nil while stopped
	hold   io.Closer // keeps the port from being given to somebody else while stopped
}

func (n *network) openGate(name, addr string) (*gate, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	g := &gate{network: n, name: name, addr: ln.Addr().String()}
	_, port, _ := net.SplitHostPort(g.addr)
	g.public = net.JoinHostPort(n.opts.Host, port)
	g.serve(ln)
	return g, nil
}

// open starts to serve again; an open gate stays as it is.
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
	g.serve(ln)
	return nil
}

func (g *gate) serve(ln net.Listener) {
	s := g.newServer()
	go s.serve(ln)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.server = s
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
		return "http://" + g.public + "/"
	}
	return "https://" + g.public + "/"
}
