package throttle

import (
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
)

// Policy retries 429 and 449 in the region that answered. It belongs into
// PerRetryPolicies of the client options, inside the failover and session
// policies if those are used. It is safe for concurrent use.
type Policy struct {
	options atomic.Pointer[Options]
}

var _ policy.Policy = (*Policy)(nil)

// New returns a policy. Pass nil to accept the defaults. The error is always
// nil: every value of Options has a meaning.
func New(o *Options) (*Policy, error) {
	p := new(Policy)
	p.Configure(o)
	return p, nil
}

// Configure replaces the options, for operations that start later.
func (p *Policy) Configure(o *Options) {
	options := o.withDefaults()
	p.options.Store(&options)
}

// Do implements [policy.Policy].
func (p *Policy) Do(req *policy.Request) (*http.Response, error) {
	s := attempt.Enter(req)
	defer s.Leave()
	return p.Run(s, req)
}

// Run is Do for a policy outside that has entered the operation's state already.
func (p *Policy) Run(s *attempt.State, req *policy.Request) (*http.Response, error) {
	if s.Op.Scope == wire.ScopeAccount {
		return req.Next()
	}
	if s.Op.Scope == wire.ScopeItem {
		wire.SetTrue(req.Raw().Header, wire.HeaderNoRetry449)
	}
	o := p.options.Load().limited(s.Limits())
	for {
		resp, err := s.Send(req, &o.AttemptTimeout, nil)
		if err != nil {
			return resp, err
		}
		f := gather(s, resp)
		d := decide(o, f)
		if d.verdict == retry && !wait.Fits(s.Context(), time.Now(), d.delay) {
			d.verdict, d.reason = surface, d.reason+", and the wait would outlive the deadline"
		}
		if d.verdict == retry && !s.Retry(event.KindRetry, d.reason, d.delay) {
			d.verdict, d.reason = surface, d.reason+attempt.BudgetSpent
		}
		switch d.verdict {
		case pass:
			return resp, nil
		case surface:
			return nil, s.GiveUp(resp, nil, d.reason, true, f.hint)
		}
		runtime.Drain(resp)
		if err := sleep(s, f.outcome.Status, d.delay); err != nil {
			return nil, err
		}
	}
}

// gather collects the facts of an answer. The budgets of 429 start afresh with
// each visit to a region, those of 449 last for the operation.
func gather(s *attempt.State, resp *http.Response) facts {
	f := facts{outcome: s.Last()}
	if status := f.outcome.Status; status != http.StatusTooManyRequests && status != statusRetryWith {
		return f
	}
	f.random = rand.Float64()
	budget := &s.Spent().Throttle
	if f.outcome.Status == http.StatusTooManyRequests {
		if budget.Visit != s.Visit {
			budget.Visit, budget.Retries, budget.Waited, budget.Previous = s.Visit, 0, 0, 0
		}
		f.hint, f.hinted = wire.RetryAfter(resp.Header, time.Now())
		f.retries, f.waited, f.previous = budget.Retries, budget.Waited, budget.Previous
		return f
	}
	f.retries, f.waited, f.previous = budget.RetryWith, budget.WaitedFor, budget.Previous
	return f
}

// sleep waits before a retry in the same region, and accounts for it.
func sleep(s *attempt.State, status int, delay time.Duration) error {
	if err := wait.For(s.Context(), delay); err != nil {
		return s.Interrupted()
	}
	s.Slept(delay)
	s.Stay()
	budget := &s.Spent().Throttle
	budget.Previous = delay
	if status == statusRetryWith {
		budget.RetryWith++
		budget.WaitedFor += delay
		return nil
	}
	budget.Retries++
	budget.Waited += delay
	return nil
}
