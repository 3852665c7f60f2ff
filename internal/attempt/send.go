package attempt

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Timeouts bounds one attempt by what it asks for. Zero means the default, a
// negative value no bound. Every bound is cut to what is left of the caller's
// deadline.
type Timeouts struct {
	// Point bounds reads and writes of one item and stored procedures. Default: 6 s.
	Point time.Duration
	// Query bounds queries, feeds and transactional batches. Default: 65 s.
	Query time.Duration
	// Metadata bounds requests for databases, containers and offers. Default: 65 s.
	Metadata time.Duration
	// Account bounds the account read. Default: 5 s.
	Account time.Duration
}

// SetDefaults replaces the zero fields.
func (t *Timeouts) SetDefaults() {
	for field, value := range map[*time.Duration]time.Duration{
		&t.Point:    6 * time.Second,
		&t.Query:    65 * time.Second,
		&t.Metadata: 65 * time.Second,
		&t.Account:  5 * time.Second,
	} {
		if *field == 0 {
			*field = value
		}
	}
}

// For returns the time-out of one attempt of an operation.
func (t *Timeouts) For(op *wire.Operation) time.Duration {
	switch {
	case op.Scope == wire.ScopeAccount:
		return t.Account
	case op.Scope == wire.ScopeMetadata:
		return t.Metadata
	case op.Kind == wire.KindQuery, op.Kind == wire.KindBatch, op.Kind == wire.KindRead && op.PartitionKey == "":
		return t.Query
	}
	return t.Point
}

// Runner is a policy that runs inside another one of ours, with the state that
// the outer one has entered. It spares the way through azcore's pipeline.
type Runner interface {
	Run(s *State, req *policy.Request) (*http.Response, error)
}

// Send sends the request to the state's target, through the policy inside if
// there is one, and waits for its end. The outcome is in [State.Last]; response
// and error are the pipeline's own, for an answer that no policy of ours wants
// to keep from the client.
func (s *State) Send(req *policy.Request, timeouts *Timeouts, inside Runner) (*http.Response, error) {
	if !s.open {
		if err := s.Interrupted(); err != nil {
			// A context that is already done sends nothing.
			s.outcome = Outcome{Class: CallerDone}
			return nil, err
		}
		var err error
		if req, err = s.begin(req, timeouts.For(&s.Op)); err != nil {
			return nil, err
		}
	} else if s.rerouted {
		// A policy outside began the attempt before this one chose its target.
		s.address(req.Raw())
		a := &s.attempts[len(s.attempts)-1]
		a.Region, a.Host, a.visit = s.Target.Region, req.Raw().URL.Host, s.Visit
	}
	s.rerouted = false
	if s.Account != nil && s.Op.Writes() && s.Account.MultiWrite() {
		// Asked before each attempt: the account may become one meanwhile.
		wire.SetTrue(req.Raw().Header, wire.HeaderAllowTentativeWrites)
	}
	if inside != nil {
		return inside.Run(s, req)
	}
	resp, err := req.Next()
	s.finish(resp, err)
	return resp, err
}

// begin prepares a request of its own for the next attempt.
func (s *State) begin(req *policy.Request, timeout time.Duration) (*policy.Request, error) {
	if err := s.keepBody(req); err != nil {
		return nil, err
	}
	now := time.Now()
	next := s.readdress(req, s.context(now, timeout))
	if s.hasBody {
		if err := setBody(next, s.body); err != nil {
			s.release(nil, err)
			return nil, err
		}
	}
	s.request = next.Raw()
	s.attempts = append(s.attempts, Attempt{
		Region: s.Target.Region, Host: s.request.URL.Host, Start: now, Wait: s.slept, Reason: s.why, visit: s.Visit,
	})
	s.open, s.rerouted, s.slept, s.why = true, false, 0, ""
	return next, nil
}

// context makes the context of the attempt about to begin: traced, and bounded
// by its time-out and by what is left of the caller's deadline.
func (s *State) context(now time.Time, timeout time.Duration) context.Context {
	switch {
	case s.limit <= 0:
	case s.Op.Scope == wire.ScopeAccount && timeout > 0:
		// azcosmos holds a lock over it: a TryTimeout may shorten it only.
		timeout = min(timeout, s.limit)
	default:
		timeout = s.limit
	}
	s.clock = &s.clock0
	s.trace = &s.clock.trace
	if len(s.attempts) > 0 {
		// A late report of an earlier attempt must not speak for this one.
		s.clock = new(clock)
		s.trace = &s.clock.trace
	}
	if timeout <= 0 {
		s.clock = nil
		return httptrace.WithClientTrace(s.base, s.trace.hooks())
	}
	s.clock.start(s.base, now, timeout)
	return s.clock
}

// readdress returns a copy of the request for the target. The transport may go
// on reading the request of an attempt that has ended, so none changes the URL or
// the headers of an earlier one. What a policy inside adds to the headers of the
// first attempt is there for the later ones, as within azcosmos's own retries.
func (s *State) readdress(req *policy.Request, ctx context.Context) *policy.Request {
	var next *policy.Request
	if len(s.attempts) == 0 {
		next = req.WithContext(ctx)
		s.url0 = *next.Raw().URL
		next.Raw().URL = &s.url0
	} else {
		next = req.Clone(ctx)
	}
	s.address(next.Raw())
	return next
}

// address turns a request of our own to the target.
func (s *State) address(raw *http.Request) {
	if s.Target.Host == "" {
		return
	}
	raw.URL.Scheme = s.Target.Scheme
	raw.URL.Host = s.Target.Host
	raw.Host = s.Target.Host
}

// keepBody reads the body once, before the first attempt. The client's one
// seekable body cannot serve two attempts: over HTTP/2 the transport still
// reads it after an early answer, and a rewind then cuts the retry short.
func (s *State) keepBody(req *policy.Request) error {
	raw := req.Raw()
	if raw.Body == nil || raw.Body == http.NoBody || s.hasBody {
		return nil
	}
	if body := req.Body(); body != nil {
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	// Not req.Body(): a policy outside may have put another body in its place,
	// one that it has encrypted say.
	body, err := readBody(raw)
	s.body, s.hasBody = body, err == nil
	return err
}

func readBody(raw *http.Request) ([]byte, error) {
	if raw.ContentLength <= 0 {
		return io.ReadAll(raw.Body)
	}
	body := make([]byte, raw.ContentLength)
	_, err := io.ReadFull(raw.Body, body)
	return body, err
}

// bodyReader is one attempt's view of the body.
type bodyReader struct{ bytes.Reader }

func (*bodyReader) Close() error { return nil }

func newBodyReader(body []byte) *bodyReader {
	r := new(bodyReader)
	r.Reset(body)
	return r
}

func setBody(req *policy.Request, body []byte) error {
	raw := req.Raw()
	if err := req.SetBody(newBodyReader(body), wire.Get(raw.Header, "Content-Type")); err != nil {
		return err
	}
	raw.GetBody = func() (io.ReadCloser, error) { return newBodyReader(body), nil }
	return nil
}

// finish records the end of the attempt that is under way, if there is one: an
// inner policy may have finished it already.
func (s *State) finish(resp *http.Response, err error) {
	if !s.open {
		return
	}
	s.open, s.chosen = false, false
	a := &s.attempts[len(s.attempts)-1]
	a.Duration = time.Since(a.Start)
	if err == nil {
		a.outcome = Outcome{Class: Answered, Status: resp.StatusCode, SubStatus: wire.SubStatus(resp.Header), Sent: true}
		a.Status, a.SubStatus, a.Sent = a.outcome.Status, a.outcome.SubStatus, true
		a.ActivityID = wire.Get(resp.Header, wire.HeaderActivityID)
		if s.measured() {
			a.measure(resp.Header)
		}
	} else {
		s.failed(a, resp, err)
	}
	s.outcome, s.answer = a.outcome, nil
	if err == nil {
		s.answer = resp
	}
	s.release(resp, err)
}

func (s *State) failed(a *Attempt, resp *http.Response, err error) {
	e := evidence{
		resp: resp, err: err, caller: s.base.Err(),
		traced: s.trace.used.Load(), reached: s.trace.reached.Load(),
	}
	if s.clock != nil {
		e.cause = s.clock.cause()
	}
	a.outcome = classify(e)
	a.Sent, a.Err = a.outcome.Sent, err
	if a.outcome.Class == TimedOut {
		a.Err = e.cause
	}
	a.outcome.Silent = a.outcome.Class == TimedOut || silent(a.outcome, e.caller, a.Duration)
}

// release ends the attempt's clock, and its context with it: at once when the
// answer is complete, else when the client has read and closed the body.
func (s *State) release(resp *http.Response, err error) {
	c := s.clock
	s.clock = nil
	switch {
	case c == nil:
	case err != nil || downloaded(resp):
		c.release()
	default:
		c.stop()
		resp.Body = &streamedBody{resp.Body, c}
	}
}

// downloaded reports whether azcore has read the body into memory, as it does
// unless the client asked for a stream.
func downloaded(resp *http.Response) bool {
	if resp.Body == nil || resp.Body == http.NoBody {
		return true
	}
	_, ok := resp.Body.(io.Seeker)
	return ok
}

type streamedBody struct {
	io.ReadCloser
	clock *clock
}

func (b *streamedBody) Close() error {
	err := b.ReadCloser.Close()
	b.clock.release()
	return err
}

// trace learns from the transport whether the request left the client: it may
// have, as soon as it had a connection, since the transport writes from another
// goroutine. Hooks may be called after the attempt has ended.
type trace struct {
	used, reached atomic.Bool
}

func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) {
			t.used.Store(true)
			// A transport that looks for another connection by itself knows that
			// the first one did not carry the request, or that it is a read.
			t.reached.Store(false)
		},
		GotConn: func(httptrace.GotConnInfo) { t.reached.Store(true) },
	}
}
