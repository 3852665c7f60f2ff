package failover

import (
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// facts is everything that a decision depends on.
type facts struct {
	outcome attempt.Outcome
	class   class
	account account
	used    attempt.FailoverBudget
}

type verdict uint8

const (
	passOn      verdict = iota // an answer for the caller
	giveUp                     // ours, and not to be repeated
	reconnect                  // to the same endpoint, on a new connection
	nextRegion                 // from the generic budget
	nextBackend                // from the backend-failover budget
)

type decision struct {
	verdict verdict
	delay   time.Duration // before the next region is chosen
	backoff bool          // before the same endpoint is tried again, wait
	effects effect
	reason  string
}

// decide applies the rule for an attempt's end and the budgets. It is pure.
func decide(o *Options, f facts) decision {
	r := match(f.outcome, f.class, f.account)
	if r == nil {
		return decision{verdict: passOn, reason: "an answer for the caller"}
	}
	d := decision{effects: r.effects, reason: r.reason}
	switch {
	case r.action == surface:
		d.verdict = giveUp
	case f.outcome.Reconnect && f.used.Local < o.LocalRetries:
		// Not a failure yet: a stale connection says nothing about the region.
		d.verdict, d.effects = reconnect, 0
	case r.action == followUp && f.used.Backend < o.Backend.MaxRetries:
		d.verdict, d.delay = nextBackend, max(o.Backend.Delay, 0)
	case r.action == failOver && f.used.Generic < o.MaxRetries:
		d.verdict, d.backoff = nextRegion, r.effects&awaitRefresh == 0
	default:
		d.verdict, d.reason = giveUp, d.reason+", and the retries are used up"
	}
	return d
}
