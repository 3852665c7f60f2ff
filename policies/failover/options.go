package failover

import (
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
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
