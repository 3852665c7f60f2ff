package throttle

import (
	"cmp"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/backoff"
)

// Options configures the throttle policy. Nil and the zero value mean the
// defaults. The policy copies it.
type Options struct {
	// MaxRetries is how many times a 429 is retried per visit to a region.
	// Default: 9. Negative: 429 is not retried.
	MaxRetries int
	// MaxWait bounds the sum of the waits after 429 per visit to a region.
	// Default: 30 s. Negative: no wait at all, only hints of 0 are followed.
	MaxWait time.Duration
	// BaseDelay is the first wait after a 429 that says nothing; it doubles each
	// time. Default: 5 ms. Negative: no wait.
	BaseDelay time.Duration
	// MaxDelay is the longest wait after a 429 that says nothing; waits that the
	// service asks for are bound by MaxWait alone. Default: 5 s. Negative: no wait.
	MaxDelay time.Duration
	// Backoff, when set, gives the waits after a 429 that says nothing, in place
	// of BaseDelay and MaxDelay. Nil: exponential, from the two.
	Backoff backoff.Strategy
	// RetryWith configures the retries after 449.
	RetryWith RetryWithOptions
	// AttemptTimeout bounds each request that the policy sends when no failover
	// or session policy stands outside it. Zero means the defaults of the
	// failover policy; a negative bound means none.
	AttemptTimeout AttemptTimeout
}

// RetryWithOptions configures the retries after 449. The zero value means the
// defaults.
type RetryWithOptions struct {
	// MaxWait bounds the sum of the waits per operation. Default: 30 s.
	// Negative: 449 is not retried.
	MaxWait time.Duration
	// BaseDelay is the first wait; it doubles each time. Default: 10 ms.
	// Negative: no wait, which MaxWait then cannot bound; 449 is not retried.
	BaseDelay time.Duration
	// MaxDelay is the longest wait. Default: 1 s. Negative: the same as for BaseDelay.
	MaxDelay time.Duration
	// Backoff, when set, gives the waits in place of BaseDelay and MaxDelay. A
	// strategy that never waits never uses MaxWait up: give it an end of its own.
	// Nil: exponential with a salt, from the two.
	Backoff backoff.Strategy
}

// AttemptTimeout bounds single requests by what they ask for; see
// [failover.Options].
//
// [failover.Options]: https://pkg.go.dev/github.com/cosmosretry/cosmosretry/policies/failover#Options
type AttemptTimeout = attempt.Timeouts

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.MaxRetries == 0 {
		c.MaxRetries = 9
	}
	for field, value := range map[*time.Duration]time.Duration{
		&c.MaxWait:             30 * time.Second,
		&c.BaseDelay:           5 * time.Millisecond,
		&c.MaxDelay:            5 * time.Second,
		&c.RetryWith.MaxWait:   30 * time.Second,
		&c.RetryWith.BaseDelay: 10 * time.Millisecond,
		&c.RetryWith.MaxDelay:  time.Second,
	} {
		if *field == 0 {
			*field = value
		}
	}
	c.AttemptTimeout.SetDefaults()
	return c
}

// strategy gives the waits after a 429 that says nothing.
func (o *Options) strategy() backoff.Strategy {
	if o.Backoff != nil {
		return o.Backoff
	}
	if o.MaxDelay < 0 {
		return backoff.Fixed(0)
	}
	return backoff.Exponential{Base: o.BaseDelay, Max: o.MaxDelay}
}

// limited returns the options with the limits that one operation asks for.
func (o *Options) limited(l *attempt.Limits) *Options {
	if l == nil {
		return o
	}
	c := *o
	c.MaxRetries = cmp.Or(l.ThrottleRetries, c.MaxRetries)
	c.MaxWait = cmp.Or(l.ThrottleWait, c.MaxWait)
	c.RetryWith.MaxWait = cmp.Or(l.RetryWithWait, c.RetryWith.MaxWait)
	c.AttemptTimeout = l.AttemptTimeout.Over(c.AttemptTimeout)
	return &c
}
