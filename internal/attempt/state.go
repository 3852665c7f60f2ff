// Package attempt sends one request of an operation at a time, and keeps what
// the policies must know of the requests before it.
//
// A [State] lives in the request's operation values, which azcore shares
// between all clones of a request. The budgets in it therefore hold for the
// whole operation, even when azcore or azcosmos runs our policies again.
//
// Several policies may stand in the pipeline, in any order. The outermost one
// begins an attempt (host, body reader, clock, trace); the ones inside join it
// for their first send and begin attempts of their own for the later ones. So
// each clock covers exactly one send, and a wait is on nobody's clock.
package attempt

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Target is the region that an attempt goes to. The zero value leaves the host
// as the client chose it.
type Target struct {
	Region string
	Scheme string
	Host   string
}

// State is one operation: its facts, its attempts, and the part of each retry
// budget that it has used. It is not safe for concurrent use; the policies of
// one operation run one after the other.
type State struct {
	Op    wire.Operation
	Start time.Time
	// Failed lists the hosts that failed since the region list was last
	// started from the top.
	Failed []string
	// Target is where the last attempt went, or where the next one will go.
	Target Target
	// Visit counts the passes and the choices of a target: attempts with the
	// same number went to the same region for the same reason.
	Visit int
	// Pass counts how often the pipeline outside ran the policies.
	Pass int

	// Account tells whether any region takes writes; then every write says that it
	// knows. Nil without a failover policy.
	Account interface{ MultiWrite() bool }
	// LeftFence reports that the last attempt went to an excluded region, because
	// every region was.
	LeftFence bool
	// Learned reports that an account read has been learned from.
	Learned bool

	shared *Shared
	call   *Call
	spent  *Spent // nil until something fails
	why    string // the next attempt is sent

	caller context.Context // the caller's own, nil without the per-call policy
	base   context.Context // parent of every attempt of this pass
	depth  int
	limit  time.Duration // of an attempt, from azcore's TryTimeout
	called time.Time     // when azcore's retries began
	slept  time.Duration // since the last attempt
	body   []byte

	hasBody  bool
	chosen   bool // Target was chosen and nothing has come back from it yet
	rerouted bool // Target was chosen after the attempt under way was addressed
	open     bool // an attempt is under way
	ended    bool // the caller's context ended the operation

	clock    *clock // of the attempt under way, nil without a time-out
	trace    *trace
	outcome  Outcome
	attempts []Attempt
	request  *http.Request  // of the latest attempt
	answer   *http.Response // to the latest attempt, nil when it failed
	final    *Error

	// Space for what every operation needs, so that the healthy path
	// allocates it once.
	url0      url.URL
	clock0    clock
	attempts0 [1]Attempt
}

// Spent is what an operation has used of the policies' budgets.
type Spent struct {
	Failover FailoverBudget
	Session  SessionBudget
	Throttle ThrottleBudget
}

// Spent returns what the operation has used of the policies' budgets, for
// reading and writing. An operation that succeeds at once has no use for it.
func (s *State) Spent() *Spent {
	if s.spent == nil {
		s.spent = new(Spent)
	}
	return s.spent
}

// FailoverBudget is what an operation has used of the failover policy's budgets.
type FailoverBudget struct {
	Generic      int           // failovers after 5xx, 408, 410, 429/3092, transport errors, single-write 403/3
	Backend      int           // retries after 403/1008 and multi-write 403/3
	Local        int           // local retries of the current visit
	LocalVisit   int           // the visit that Local counts for
	SameEndpoint int           // generic retries that found no other endpoint to go to
	Paused       time.Duration // before the last of these
	// LookedAround: the operation has waited to hear where else it could go.
	LookedAround bool
	// Forbidden lists the hosts whose 403/3 has been counted for the breaker.
	Forbidden []string
}

// SessionBudget is what an operation has used of the session policy's budget.
type SessionBudget struct{ Retries int }

// ThrottleBudget is what an operation has used of the throttle policy's budgets.
type ThrottleBudget struct {
	Retries   int           // after 429, in the current visit
	Waited    time.Duration // after 429, in the current visit
	Visit     int           // the visit that Retries and Waited count for
	RetryWith int           // after 449, in the whole operation
	WaitedFor time.Duration // after 449, in the whole operation
	Previous  time.Duration // the last wait
}

// Begin starts a new operation for a request that enters the pipeline. Only the
// per-call policy uses it.
func Begin(req *policy.Request, shared *Shared) *State {
	s := newState(req)
	s.shared = shared
	return s
}

// CalledWith tells the caller's own context, which azcore's TryTimeout hides
// from the policies inside its retry. It is called right before that retry.
func (s *State) CalledWith(caller context.Context) { s.caller, s.called = caller, time.Now() }

// Enter returns the state of the operation that the request belongs to, and
// creates it for the first policy that asks. Every Enter needs a Leave.
func Enter(req *policy.Request) *State {
	s := load(req)
	if s == nil {
		s = newState(req)
	}
	if s.depth == 0 {
		s.Pass++
		s.Visit++
		s.final = nil
		s.base, s.limit = s.passContext(req.Raw().Context())
		s.limit = cmp.Or(s.limit, s.shared.TryTimeout)
	}
	s.depth++
	return s
}

// Leave ends what Enter began. An attempt that is still open then ended in a
// panic, and must not be joined by another pass.
func (s *State) Leave() {
	if s.depth--; s.depth == 0 && s.open {
		s.open, s.outcome = false, Outcome{Class: Failed, Sent: true}
		if s.clock != nil {
			s.clock.release()
			s.clock = nil
		}
	}
}

func newState(req *policy.Request) *State {
	raw := req.Raw()
	s := &State{Start: time.Now()}
	s.Op = wire.Classify(raw.Method, raw.URL.EscapedPath(), raw.Header)
	s.attempts = s.attempts0[:0]
	s.shared, s.call = &noShared, CallOf(raw.Context())
	req.SetOperationValue(s)
	return s
}

var noShared Shared

// passContext returns the context that the attempts of a pass descend from,
// and the time-out of one attempt when azcore's TryTimeout asks for one.
//
// TryTimeout spans everything below azcore's retry, all our attempts and waits
// included. Taken over, it bounds one attempt, which is what its name promises.
//
// The time-out is what TryTimeout was when the try began, not what tokens and
// policies outside have left of it.
func (s *State) passContext(pass context.Context) (context.Context, time.Duration) {
	caller := s.caller
	if caller == nil {
		return pass, 0
	}
	deadline, ok := pass.Deadline()
	if !ok {
		return pass, 0
	}
	if own, ok := caller.Deadline(); ok && !deadline.Before(own) {
		return pass, 0
	}
	limit := s.limit // of the first try; azcore gives all of them the same
	if limit == 0 {
		limit = deadline.Sub(s.called)
	}
	return withoutTryTimeout{caller, context.WithoutCancel(pass)}, limit
}

// withoutTryTimeout ends when the caller's context does, and has the values
// that the pipeline added since.
type withoutTryTimeout struct {
	context.Context
	values context.Context // without a cancellation of its own
}

func (c withoutTryTimeout) Value(key any) any {
	if v := c.values.Value(key); v != nil {
		return v
	}
	// The runtime finds the cancellation of a context through a private key.
	return c.Context.Value(key)
}

// holders lends the pointer that azcore's OperationValue fills, so that looking
// the state up does not allocate.
var holders = sync.Pool{New: func() any { return new(holder) }}

type holder struct{ state *State }

func load(req *policy.Request) *State {
	h := holders.Get().(*holder)
	req.OperationValue(&h.state)
	s := h.state
	h.state = nil
	holders.Put(h)
	return s
}

// Context is the parent of the operation's attempts: it ends when the caller's
// does, and waits between attempts belong under it.
func (s *State) Context() context.Context { return s.base }

// Choose sends the next attempt to another target.
func (s *State) Choose(t Target) {
	s.Target = t
	s.Visit++
	s.chosen, s.rerouted = true, true
}

// Stay sends the next attempt where the last one went, whatever the policies
// inside would choose.
func (s *State) Stay() { s.chosen = true }

// Chosen reports whether a policy has chosen a target that nothing has been
// sent to yet. A policy that finds it so keeps it.
func (s *State) Chosen() bool { return s.chosen }

// Slept records a wait, for the list of attempts.
func (s *State) Slept(d time.Duration) { s.slept += d }

// Fail adds the last target to those that failed.
func (s *State) Fail(host string) { s.Failed = append(s.Failed, host) }

// Last is the outcome of the latest attempt.
func (s *State) Last() Outcome { return s.outcome }

// Attempts lists the attempts so far, oldest first.
func (s *State) Attempts() []Attempt { return s.attempts }

// Settle turns what the pipeline returned into what the caller gets: the
// policies' own result in place of the bare context error that azcore puts
// there once the caller's context is done. Only the per-call policy uses it.
func (s *State) Settle(resp *http.Response, err error) (*http.Response, error) {
	resp, err = s.settle(resp, err)
	s.completed(resp, err)
	return resp, err
}

func (s *State) settle(resp *http.Response, err error) (*http.Response, error) {
	if err == nil {
		return resp, nil
	}
	ctxErr := s.caller.Err()
	switch {
	case ctxErr == nil:
		if s.final != nil && !errors.Is(err, s.final) && isContextError(err) {
			// azcosmos 1.5 puts the end of a TryTimeout in its place, which our
			// retries may outlive.
			err = s.final
		}
	case s.answer != nil && s.final == nil && !s.ended:
		// The answer arrived; the context ended while it was handed up.
		return s.answer, nil
	case !errors.Is(ctxErr, context.DeadlineExceeded):
		return nil, ctxErr
	case s.final != nil:
		err = s.final
	default:
		err = s.interrupted(ctxErr)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Open()
	}
	return resp, err
}

// isContextError reports whether an error may stand in the place of ours. Others
// are what a policy outside made of it, and the caller's.
func isContextError(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
