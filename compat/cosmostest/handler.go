package cosmostest

import (
	"context"
	"maps"
	"net"
	"net/http"
	"strconv"
)

// ServeHTTP serves a request that came in on a socket.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.live.Done()
	rec := newRecord(r, s.gate.name)
	x := s.gate.network.account.begin(rec, func(n int64) ([]byte, error) { return readAll(r.Body, n) })
	out := x.serve(r.Context())
	switch {
	case out.err != nil: // the client is gone, or the gate is being closed
		panic(http.ErrAbortHandler)
	case out.fault != NoTransportFault:
		breakConnection(r, out)
	}
	if x.body != nil {
		// Without this, HTTP/1.1 reads a good part of the request before it sends the first byte.
		_ = http.NewResponseController(w).EnableFullDuplex()
	}
	writeAnswer(w, r, out.answer)
}

// enter counts a handler in, unless the server is being closed.
func (s *server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.live.Add(1)
	return true
}

func writeAnswer(w http.ResponseWriter, r *http.Request, ans *answer) {
	h := w.Header()
	maps.Copy(h, ans.header)
	length := len(ans.body)
	if ans.cut {
		length += cutLength // returning early makes net/http close the connection, or end the stream
	}
	if ans.status != http.StatusNoContent && ans.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(length))
	}
	w.WriteHeader(ans.status)
	switch {
	case r.Method == http.MethodHead || len(ans.body) == 0:
	case ans.bandwidth > 0:
		trickle(r.Context(), w, ans)
	default:
		_, _ = w.Write(ans.body) // a client that is gone will not miss it
	}
}

// trickle writes a body as fast as its bandwidth allows.
func trickle(ctx context.Context, w http.ResponseWriter, ans *answer) {
	_ = http.NewResponseController(w).Flush() // the headers first
	body := &slowBody{ctx: ctx, rest: ans.body, perSecond: ans.bandwidth}
	buf := make([]byte, len(ans.body))
	for {
		n, err := body.Read(buf)
		if err != nil {
			return
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
	}
}

// breakConnection ends the connection of a request as a fault wants it, and the handler with it. On HTTP/2 a fault that
// is limited by Range or Match ends just its stream, so that it does not hit the others on the same connection.
func breakConnection(r *http.Request, out outcome) {
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	if c == nil || r.ProtoMajor == 2 && (out.fault == StreamReset || out.narrow && out.fault != GoAway) {
		panic(http.ErrAbortHandler)
	}
	switch out.fault {
	case GoAway:
		if r.ProtoMajor == 2 {
			_, _ = c.Write(goAwayFrame)
		}
		_ = c.Close()
	case EOF:
		_ = c.Close()
	default:
		reset(c)
	}
	panic(http.ErrAbortHandler)
}

// goAwayFrame is an HTTP/2 GOAWAY frame that disowns no stream: length 8, type 7, no flags, stream 0, the highest
// possible stream id, NO_ERROR. A client may not repeat its requests without knowing whether they were executed.
var goAwayFrame = []byte("\x00\x00\x08\x07\x00\x00\x00\x00\x00\x7f\xff\xff\xff\x00\x00\x00\x00")

// connectionFault uses a fault that strikes before the request is sent, for a new connection to the named region, if
// such a fault is the first that may apply there. What the request would be is not known yet: faults for account reads
// are taken at the global endpoint, the others at the regions, and faults with Range or Match never.
func (a *Account) connectionFault(name string, kinds ...TransportFault) bool {
	f := a.faults.Load().forConnection(name, a.store.now())
	if f == nil {
		return false
	}
	for _, kind := range kinds {
		if f.Transport == kind && f.take() {
			a.logConnection(name, f)
			return true
		}
	}
	return false
}

// logConnection logs a connection that a fault took; there is no request to log.
func (a *Account) logConnection(name string, f *armedFault) {
	top := a.top.Load()
	a.log.arrive(&Request{
		Time: a.store.now(), Region: name, Account: name == globalName, Host: hostOf(top.endpoints[regionKey(name)]),
		Transport: f.Transport, Fault: f.ID,
	}, top.cfg.LogLimit)
}
