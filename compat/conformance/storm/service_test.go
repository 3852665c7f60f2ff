package storm

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// latency is the way to the service and back.
const latency = 5 * time.Millisecond

// The service sheds load by how much work it has accepted and not done yet.
const (
	throttles = 250 * time.Millisecond // from here on 429
	refuses   = 500 * time.Millisecond // from here on 503
	drowns    = time.Second            // from here on no answer
	overflows = 3 * time.Second        // from here on not even work
)

// service is an account whose capacity is finite.
type service struct {
	account policy.Transporter
	unit    time.Duration // that an operation takes of the service, in good times
	slow    int           // times as long, while it is in trouble
	trouble window
	seen    func() // told of each request

	mu   sync.Mutex // never held while something waits
	free time.Time  // when the work that was accepted will be done
}

type window struct{ from, to time.Time }

func (w window) has(t time.Time) bool { return !t.Before(w.from) && t.Before(w.to) }

// Do implements [policy.Transporter]. The account read is free of charge.
func (s *service) Do(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "" || req.URL.Path == "/" {
		return s.account.Do(req)
	}
	now := time.Now()
	s.seen()
	behind, work := s.accept(now)
	switch {
	case behind < throttles:
		if err := pause(req, latency+behind+work); err != nil {
			return nil, err // the work is done all the same
		}
		return s.account.Do(req)
	case behind < refuses:
		return turnAway(req, http.StatusTooManyRequests)
	case behind < drowns:
		return turnAway(req, http.StatusServiceUnavailable)
	}
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// accept adds a request to the queue, and returns how far the service was behind
// and how long the request keeps it busy.
func (s *service) accept(now time.Time) (behind, work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free.Before(now) {
		s.free = now
	}
	behind, work = s.free.Sub(now), s.unit
	if s.trouble.has(now) {
		work *= time.Duration(s.slow)
	}
	switch {
	case behind >= overflows:
		work = 0
	case behind >= throttles:
		work /= 2
	}
	s.free = s.free.Add(work)
	return behind, work
}

func turnAway(req *http.Request, status int) (*http.Response, error) {
	if err := pause(req, latency); err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"code":"busy"}`)), ContentLength: 15, Request: req,
	}, nil
}

// pause waits, unless the client gives up.
func pause(req *http.Request, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-req.Context().Done():
		return req.Context().Err()
	}
}
