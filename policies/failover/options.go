package failover

import (
	"cmp"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/backoff"
)

// Options configures the failover policy. Nil and the zero value mean the
// defaults. The policy copies it.
type Options struct {
	// MaxRetries is the budget of failovers per operation, for 5xx, 408, 410,
	// 429/3092, transport errors and 403/3 on single-write accounts together.
	// Default: 3, so at most 4 requests. Negative: none.
	MaxRetries int
	// Backend configures the retries while the account changes its regions.
	Backend BackendOptions
	// LocalRetries is how many times per visit to a region a refused or broken
	// connection is tried again at once on a new one, outside the budget.
	// Default: 1. Negative: none.
	LocalRetries int
	// Backoff, when set, gives the waits before generic retries that find no
	// other endpoint to go to. Nil: the first at once, then 100 ms·2ⁿ ± 25 %, at
	// most 1 s.
	Backoff backoff.Strategy
	// AttemptTimeout bounds each single request, by what it asks for.
	AttemptTimeout AttemptTimeout
}

// BackendOptions configures the retries after 403/1008, and after 403/3 on
// multi-write accounts. The zero value means the defaults.
type BackendOptions struct {
	// MaxRetries is the budget per operation. Default: 120. Negative: none.
	MaxRetries int
	// Delay is the wait before each of these retries. Default: 1 s. Negative: none.
	Delay time.Duration
}

// AttemptTimeout bounds single requests. Each bound is cut to what is left of
// the caller's deadline, and covers one send only: waits between requests are
// not on this clock. A bound takes the place of azcore's Retry.TryTimeout, and
// a TryTimeout that is set takes the place of the bound.
type AttemptTimeout = attempt.Timeouts

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.MaxRetries == 0 {
		c.MaxRetries = 3
	}
	if c.LocalRetries == 0 {
		c.LocalRetries = 1
	}
	if c.Backend.MaxRetries == 0 {
		c.Backend.MaxRetries = 120
	}
	if c.Backend.Delay == 0 {
		c.Backend.Delay = time.Second
	}
	c.AttemptTimeout.SetDefaults()
	return c
}

// sameEndpoint gives the waits before generic retries that find no other
// endpoint: never retry at once more than once.
var sameEndpoint = backoff.ImmediateOnce{Then: backoff.Exponential{Base: 100 * time.Millisecond, Max: time.Second}}

func (o *Options) strategy() backoff.Strategy {
	if o.Backoff != nil {
		return o.Backoff
	}
	return sameEndpoint
}

// limited returns the options with the limits that one operation asks for.
func (o *Options) limited(l *attempt.Limits) *Options {
	if l == nil {
		return o
	}
	c := *o
	c.MaxRetries = cmp.Or(l.Failovers, c.MaxRetries)
	c.Backend.MaxRetries = cmp.Or(l.BackendRetries, c.Backend.MaxRetries)
	c.Backend.Delay = cmp.Or(l.BackendDelay, c.Backend.Delay)
	c.AttemptTimeout = l.AttemptTimeout.Over(c.AttemptTimeout)
	return &c
}
