package session

import (
	"cmp"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// Options configures the session policy. Nil and the zero value mean the
// defaults. The policy copies it.
type Options struct {
	// MaxRetries is how many times a 404/1002 is retried per operation.
	// Default: 2 on single-write accounts, the number of regions that may serve
	// the operation on multi-write accounts. Negative: none, the first 404/1002
	// surfaces.
	MaxRetries int
	// AttemptTimeout bounds each request that the policy sends when no failover
	// policy stands outside it. Zero means the defaults of the failover policy;
	// a negative bound means none.
	AttemptTimeout AttemptTimeout
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
	c.AttemptTimeout.SetDefaults()
	return c
}

// limited returns the options with the limits that one operation asks for.
func (o *Options) limited(l *attempt.Limits) *Options {
	if l == nil {
		return o
	}
	return &Options{
		MaxRetries:     cmp.Or(l.SessionRetries, o.MaxRetries),
		AttemptTimeout: l.AttemptTimeout.Over(o.AttemptTimeout),
	}
}
