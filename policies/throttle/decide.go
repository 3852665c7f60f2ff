package throttle

import (
	"net/http"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/backoff"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// facts is everything that a decision depends on.
type facts struct {
	outcome  attempt.Outcome
	hint     time.Duration
	hinted   bool // the service said how long to wait
	retries  int  // already made after this status
	waited   time.Duration
	previous time.Duration // the last wait
	random   float64       // in [0, 1)
}

type verdict uint8

const (
	pass    verdict = iota // not ours
	retry                  // wait, then send to the same region
	surface                // the budget is spent
)

type decision struct {
	verdict verdict
	delay   time.Duration
	reason  string
}

// decide is the table of the package documentation, row by row. It is pure.
func decide(o *Options, f facts) decision {
	switch {
	case f.outcome.Class != attempt.Answered:
		return decision{pass, 0, "no answer"}
	case f.outcome.Is(http.StatusTooManyRequests, wire.SubStatusGlobalThrottle):
		return decision{pass, 0, "a global throttle cannot be waited out in one region"}
	case f.outcome.Status == http.StatusTooManyRequests:
		return decideThrottled(o, f)
	case f.outcome.Status == statusRetryWith:
		return decideRetryWith(&o.RetryWith, f)
	}
	return decision{pass, 0, "neither 429 nor 449"}
}

// statusRetryWith is 449, which net/http has no name for.
const statusRetryWith = 449

func decideThrottled(o *Options, f facts) decision {
	delay := f.hint
	if !f.hinted {
		delay = max(o.strategy().Delay(f.retries, f.previous, f.random), 0)
	}
	switch {
	case f.retries >= max(o.MaxRetries, 0):
		return decision{surface, delay, "throttled, and the retries are used up"}
	case delay > max(o.MaxWait, 0)-f.waited:
		return decision{surface, delay, "throttled, and the wait does not fit what is left to wait"}
	}
	return decision{retry, delay, "throttled"}
}

func decideRetryWith(o *RetryWithOptions, f facts) decision {
	const salt = 5 * time.Millisecond
	if o.BaseDelay < 0 || o.MaxDelay < 0 {
		return decision{surface, 0, "retry-with, whose retries are switched off"}
	}
	delay := backoff.Salted(o.BaseDelay, o.MaxDelay, salt, f.retries, f.random)
	if o.Backoff != nil {
		delay = max(o.Backoff.Delay(f.retries, f.previous, f.random), 0)
	}
	if delay > o.MaxWait-f.waited {
		return decision{surface, delay, "retry-with, and the time to wait is used up"}
	}
	return decision{retry, delay, "retry-with"}
}
