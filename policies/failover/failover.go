package failover

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wait"
	"github.com/cosmosretry/cosmosretry/internal/wire"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// Policy chooses the region of each attempt and retries failures in other
// regions. It belongs into PerRetryPolicies of the client options, outside the
// session and throttle policies if those are used. It is safe for concurrent use.
type Policy struct {
	cache   *regioncache.Cache
	options atomic.Pointer[Options]
	inside  attempt.Runner
}

var _ policy.Policy = (*Policy)(nil)

// New returns a policy that routes by cache, which it shares with the session
// policy of the same client. Pass nil options to accept the defaults.
// A nil cache is an error.
func New(cache *regioncache.Cache, o *Options) (*Policy, error) {
	if cache == nil {
		return nil, errors.New("failover: cache is nil: want the result of regioncache.New")
	}
	p := &Policy{cache: cache}
	p.Configure(o)
	return p, nil
}

// Configure replaces the options, for operations that start later.
func (p *Policy) Configure(o *Options) {
	options := o.withDefaults()
	p.options.Store(&options)
}

// Enclose puts another policy of this module inside, so that the two take one
// place in the pipeline. Call it before the first request.
func (p *Policy) Enclose(inside attempt.Runner) { p.inside = inside }

// Do implements [policy.Policy].
func (p *Policy) Do(req *policy.Request) (*http.Response, error) {
	s := attempt.Enter(req)
	defer s.Leave()
	return p.Run(s, req)
}

// Run is Do for a policy outside that has entered the operation's state already.
func (p *Policy) Run(s *attempt.State, req *policy.Request) (*http.Response, error) {
	o := operation{Policy: p, options: p.options.Load().limited(s.Limits()), state: s, req: req}
	if s.Op.Scope == wire.ScopeAccount {
		return o.readAccount()
	}
	o.prepare()
	defer o.releaseProbe()
	for {
		first := len(s.Attempts())
		resp, err := s.Send(req, &o.options.AttemptTimeout, p.inside)
		d := o.judge()
		o.learn(first, resp, d.effects)
		switch {
		case d.verdict == passOn:
			return o.answer(resp, err)
		case s.Context().Err() != nil && (d.verdict != giveUp || err != nil):
			return nil, s.Interrupted()
		case d.verdict == giveUp:
			return nil, o.giveUp(resp, err, d.reason)
		}
		runtime.Drain(resp)
		reason, ended := o.retry(d, waitFor(resp, err))
		switch {
		case ended != nil:
			return nil, ended
		case reason != "":
			return nil, o.giveUp(resp, err, reason)
		}
	}
}

// operation is one run of the policy.
type operation struct {
	*Policy
	options *Options
	state   *attempt.State
	req     *policy.Request
	probe   *regioncache.Probe
	probed  string // host of the probe
}

// prepare sets what every attempt carries and chooses the first target.
func (o *operation) prepare() {
	s := o.state
	s.Account = o.cache
	if s.Chosen() {
		return
	}
	if s.Pass > 1 {
		// Somebody outside retries an answer that no policy of ours owns, and
		// may have chosen a region for it.
		u := o.req.Raw().URL
		if r := o.cache.Belongs(s.Context(), u.Scheme, u.Host); r != nil {
			s.Choose(r.Target())
			return
		}
	}
	o.choose()
}

// choose picks the target of the next attempt.
func (o *operation) choose() {
	s := o.state
	o.releaseProbe()
	c := o.cache.Choose(s.Context(), &s.Op, s.Failed)
	if c.Again {
		s.Failed = s.Failed[:0]
	}
	if c.Excluded && s.Target.Host != "" && !s.LeftFence {
		// Only excluded regions are left. An operation that has found another
		// one before stays there, and fails there if it must.
		s.Choose(s.Target)
		return
	}
	s.LeftFence = c.Excluded
	t := c.Region.Target()
	s.Choose(t)
	o.probe, o.probed = c.Probe, t.Host
}

// judge decides on the latest attempt.
func (o *operation) judge() decision {
	s := o.state
	outcome := s.Last()
	if outcome.Class == attempt.Answered && outcome.Status < http.StatusBadRequest {
		return decision{verdict: passOn}
	}
	spent := &s.Spent().Failover
	if spent.LocalVisit != s.Visit {
		spent.LocalVisit, spent.Local = s.Visit, 0
	}
	f := facts{outcome: outcome, class: classOf(&s.Op, s.RetriesWrites()), account: singleWrite, used: *spent}
	if s.Context().Err() != nil {
		// Nobody will try again, so a broken connection is the result.
		f.used.Local = o.options.LocalRetries
	}
	if o.cache.MultiWrite() {
		f.account = multiWrite
	}
	d := decide(o.options, f)
	if f.outcome.Silent && d.verdict == passOn {
		// The caller's deadline ended the attempt before its own clock did.
		// The operation is over, but the silence is known.
		f.outcome.Class = attempt.TimedOut
		d.effects = decide(o.options, f).effects
	}
	return d
}

// answer hands an answer up, or an error that is not ours to handle.
func (o *operation) answer(resp *http.Response, err error) (*http.Response, error) {
	if o.state.Last().Class == attempt.CallerDone {
		return nil, o.state.Interrupted()
	}
	return resp, err
}

func (o *operation) giveUp(resp *http.Response, err error, reason string) error {
	last := o.state.Last()
	transient := !last.Is(http.StatusForbidden, wire.SubStatusWriteForbidden) || !o.state.Op.Reads()
	return o.state.GiveUp(resp, err, reason, transient, hintOf(resp, err))
}

// waitFor is how long a failing service asks to be left alone. Throttled answers
// do not: their hint is about request units, which another attempt finds out.
func waitFor(resp *http.Response, err error) time.Duration {
	if resp == nil || resp.StatusCode < http.StatusInternalServerError || wire.Get(resp.Header, wire.HeaderRetryAfter) == "" {
		return 0
	}
	return hintOf(resp, err)
}

// longestHint is the longest wait that an operation makes because the service
// asks for it; beyond, the answer surfaces at once, with the hint.
const longestHint = 30 * time.Second

// hintOf is how long an answer asks to wait, 0 when it does not.
func hintOf(resp *http.Response, err error) time.Duration {
	if err != nil || resp == nil {
		return 0
	}
	hint, _ := wire.RetryAfter(resp.Header, time.Now())
	return hint
}

// retry prepares the next attempt: it waits as long as it must and chooses the
// target. reason is set when the wait would outlive the deadline.
//
// hint is how long the service asks to wait: another region need not, but the
// same one is left alone for as long.
func (o *operation) retry(d decision, hint time.Duration) (reason string, err error) {
	s := o.state
	spent := &s.Spent().Failover
	if d.verdict == reconnect {
		spent.Local++
		s.Stay()
		return o.charge(event.KindLocalRetry, d.reason, 0), nil
	}
	attempts := s.Attempts()
	failed := attempts[len(attempts)-1].Host
	s.Fail(failed)
	refreshed := o.refresh(d.effects)
	if d.verdict == nextBackend {
		spent.Backend++
	} else {
		spent.Generic++
	}
	if d.delay > 0 && !s.MayRetry() {
		s.RefuseRetry(d.reason, d.delay)
		return d.reason + attempt.BudgetSpent, nil
	}
	if reason, err = o.sleep(d.delay, d.reason); reason != "" || err != nil {
		return reason, err
	}
	if (d.effects&awaitRefresh != 0 || d.effects&refresh != 0 && d.delay == 0) && !spent.LookedAround {
		// Once: a read that hangs must not hold up every retry.
		spent.LookedAround = !o.await(refreshed, refreshWait)
		if errors.Is(s.Context().Err(), context.DeadlineExceeded) {
			return d.reason + ", and the deadline came before the account told its regions", nil
		}
	}
	o.choose()
	if d.effects&lookAround != 0 && o.nextHost() == failed && !spent.LookedAround && wait.Fits(s.Context(), time.Now(), lookAroundWait) {
		// There is nowhere else to go, unless the account says so.
		spent.LookedAround = true
		o.await(refreshed, lookAroundWait)
		o.choose()
	}
	delay := time.Duration(0)
	if d.backoff && o.nextHost() == failed {
		delay = max(o.options.strategy().Delay(spent.SameEndpoint, spent.Paused, rand.Float64()), hint)
		spent.SameEndpoint, spent.Paused = spent.SameEndpoint+1, delay
		if delay > longestHint {
			return d.reason + ", and the service asks for a longer wait", nil
		}
	}
	if reason := o.charge(event.KindFailover, d.reason, d.delay+delay); reason != "" {
		return reason, nil
	}
	if reason, err = o.sleep(delay, d.reason); delay > 0 && reason == "" && err == nil {
		o.choose() // what was known before the wait may be known better now
	}
	return reason, err
}

// nextHost is where the next attempt goes: to the target, or while no region is
// known where the client sends it.
func (o *operation) nextHost() string {
	return cmp.Or(o.state.Target.Host, o.req.Raw().URL.Host)
}

// charge takes a retry from the process's budget and tells the observers. It
// returns why the operation ends, "" when it goes on.
func (o *operation) charge(kind event.Kind, cause string, wait time.Duration) (reason string) {
	if o.state.Retry(kind, cause, wait) {
		return ""
	}
	return cause + attempt.BudgetSpent
}

// sleep waits, unless the wait cannot end before the deadline.
func (o *operation) sleep(d time.Duration, cause string) (reason string, err error) {
	s := o.state
	if d > 0 && !wait.Fits(s.Context(), time.Now(), d) {
		return cause + ", and the wait would outlive the deadline", nil
	}
	if wait.For(s.Context(), d) != nil {
		return "", s.Interrupted()
	}
	s.Slept(d)
	return "", nil
}

// How long a retry waits for the topology: refreshWait when the service said that
// it has changed, lookAroundWait when that is only possible.
const (
	refreshWait    = 5 * time.Second
	lookAroundWait = time.Second
)

func (o *operation) refresh(e effect) <-chan struct{} {
	switch {
	case e&refresh != 0:
		return o.cache.Refresh()
	case e&lookAround != 0:
		return o.cache.LookAround()
	}
	return nil
}

// await waits for a topology read to end, as long as the caller and the limit
// allow, and reports whether it did; the retry goes on in any case.
func (o *operation) await(refreshed <-chan struct{}, limit time.Duration) bool {
	if refreshed == nil {
		return true
	}
	began := time.Now()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	ended := false
	select {
	case <-refreshed:
		ended = true
	case <-timer.C:
	case <-o.state.Context().Done():
	}
	o.state.Slept(time.Since(began))
	return ended
}
