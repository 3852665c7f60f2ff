package session

import (
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// Policy retries 404/1002 in another region. It belongs into PerRetryPolicies
// of the client options, inside the failover policy and outside the throttle
// policy if those are used. It is safe for concurrent use.
type Policy struct {
	cache   *regioncache.Cache
	options atomic.Pointer[Options]
	inside  attempt.Runner
}

var _ policy.Policy = (*Policy)(nil)

// New returns a policy that knows the account's regions from cache, which it
// shares with the failover policy of the same client. Pass nil options to
// accept the defaults. A nil cache is an error.
func New(cache *regioncache.Cache, o *Options) (*Policy, error) {
	if cache == nil {
		return nil, errors.New("session: cache is nil: want the result of regioncache.New")
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
	if s.Op.Scope == wire.ScopeAccount {
		return p.observeAccount(req, s)
	}
	o := p.options.Load().limited(s.Limits())
	for {
		resp, err := s.Send(req, &o.AttemptTimeout, p.inside)
		if err != nil || resp.StatusCode != http.StatusNotFound {
			return resp, err
		}
		f := p.gather(s)
		d := decide(o, f)
		switch d.verdict {
		case pass:
			return resp, nil
		case surface:
			return nil, s.GiveUp(resp, nil, d.reason, true, 0)
		}
		if err := s.Interrupted(); err != nil {
			return nil, err
		}
		s.Spent().Session.Retries++
		p.reroute(s, d.verdict)
		if !s.Retry(event.KindSessionRetry, d.reason, 0) {
			return nil, s.GiveUp(resp, nil, d.reason+attempt.BudgetSpent, true, 0)
		}
		runtime.Drain(resp)
	}
}

func (p *Policy) gather(s *attempt.State) facts {
	return facts{
		outcome:    s.Last(),
		multiWrite: p.cache.MultiWrite(),
		hub:        p.cache.Hub(s.Context()) != nil,
		endpoints:  p.cache.Endpoints(s.Context(), &s.Op),
		retries:    s.Spent().Session.Retries,
	}
}

// reroute chooses the region of the retry. The one that has not caught up
// counts as failed, so that the list goes on behind it.
func (p *Policy) reroute(s *attempt.State, v verdict) {
	attempts := s.Attempts()
	s.Fail(attempts[len(attempts)-1].Host)
	if v == toHub {
		s.Choose(p.cache.Hub(s.Context()).Target())
		return
	}
	c := p.cache.Choose(s.Context(), &s.Op, s.Failed)
	if c.Probe != nil {
		// Probes belong to the failover policy, which reports their results.
		c.Probe.Released()
	}
	if c.Again {
		s.Failed = s.Failed[:0]
	}
	if c.Excluded && s.Target.Host != "" && !s.LeftFence {
		s.Choose(s.Target) // rather than into a region that the caller excluded
		return
	}
	s.Choose(c.Region.Target())
}

// observeAccount learns the topology from the client's own account read.
func (p *Policy) observeAccount(req *policy.Request, s *attempt.State) (*http.Response, error) {
	asked := time.Now()
	resp, err := req.Next()
	if err != nil || s.Learned || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	if document, err := runtime.Payload(resp); err == nil {
		// A document that is not an account's is the client's to complain about.
		_ = p.cache.Learn(document, asked)
	}
	return resp, nil
}
