package property

import (
	"fmt"
	"time"
)

// ledger pays for the requests of an operation, one after the other.
type ledger struct {
	o       *outcome
	limits  budgets
	session int
	seen    worst

	flexible              int // 403/3 that either failover may have paid for
	local, throttled      int // in the present visit to a region
	throttleWait, retried time.Duration
	immediate             int // retries at the same endpoint without a wait
	problems              []string
}

// checkBudgets makes sure that a retry budget pays for every request but the first.
func checkBudgets(o *outcome) []string {
	l := newLedger(o)
	l.balance()
	l.seen.requests = len(o.attempts)
	l.seen.part = float64(len(o.attempts)) / float64(l.limits.total(l.session))
	o.worst = l.seen
	return l.problems
}

// newLedger pays for the requests of an operation.
func newLedger(o *outcome) *ledger {
	l := &ledger{o: o, limits: budgetsOf(&o.world.settings)}
	for _, a := range o.attempts {
		for _, s := range o.known(a.end) {
			l.session = max(l.session, l.limits.sessions(s, o))
		}
	}
	if o.world.cold || o.pinned() {
		unknown := shape{} // is taken for single-write
		for _, s := range append(o.world.shapes(), unknown) {
			l.session = max(l.session, l.limits.sessions(s, o))
		}
	}
	for i := 1; i < len(o.attempts); i++ {
		l.pay(&o.attempts[i-1], &o.attempts[i])
	}
	return l
}

// pay pays for the request that followed an attempt.
func (l *ledger) pay(a, next *attempt) {
	wait := next.Time.Sub(a.end)
	stays := a.Region == next.Region
	switch c := l.o.cause(a); c {
	case final:
		l.problem("%s %d/%d was followed by another request", a.Region, a.Status, a.SubStatus)
	case reconnect:
		if stays && l.local < l.limits.local {
			l.local++
			l.seen.local = max(l.seen.local, l.local)
			return
		}
		l.failover(wait, stays)
	case generic:
		if a.Status == 403 {
			l.seen.generic++
			l.visit()
			return
		}
		l.failover(wait, stays)
	case either:
		l.flexible++
		l.visit()
	case backend:
		l.seen.backend++
		l.least("backend failover", wait, l.limits.backendDelay)
		l.visit()
	case sessions:
		l.seen.session++
		l.visit()
	default:
		l.stay(c, a, wait, stays)
	}
}

// failover pays from the generic budget.
func (l *ledger) failover(wait time.Duration, stays bool) {
	l.seen.generic++
	if stays && wait == 0 {
		if l.immediate++; l.immediate > 1 {
			l.problem("the same endpoint was tried again at once for the second time")
		}
	}
	l.visit()
}

// stay pays for a retry in the same region, after 429 or 449.
func (l *ledger) stay(c cause, a *attempt, wait time.Duration, stays bool) {
	if !stays {
		l.problem("%v at %s was followed by a request elsewhere", c, a.Region)
	}
	if c == throttled {
		l.throttled++
		l.throttleWait += wait
		l.seen.throttle = max(l.seen.throttle, l.throttled)
		l.most("429 in one visit", l.throttleWait, l.limits.throttleWait)
		if a.hint != noHint {
			l.least("429 with a hint", wait, a.hint)
		}
		return
	}
	l.seen.retryWith++
	l.retried += wait
	l.least("449", wait, min(l.limits.retryWithBase, l.limits.retryWait))
	l.most("449", l.retried, l.limits.retryWith)
}

// visit begins another visit to a region.
func (l *ledger) visit() { l.local, l.throttled, l.throttleWait = 0, 0, 0 }

// balance compares what was spent with what there was.
func (l *ledger) balance() {
	l.spent("failover", l.seen.generic, l.limits.generic)
	l.spent("backend failover", l.seen.backend, l.limits.backend)
	l.spent("failovers of both kinds", l.seen.generic+l.seen.backend+l.flexible, l.limits.generic+l.limits.backend)
	l.spent("session", l.seen.session, l.session)
	l.spent("429 in one visit", l.seen.throttle, l.limits.throttle)
	l.spent("449", l.seen.retryWith, l.limits.retryWiths())
	l.spent("requests in all", len(l.o.attempts), l.limits.total(l.session))
}

func (l *ledger) spent(what string, n, limit int) {
	if n > limit {
		l.problem("%s: %d, the budget is %d", what, n, limit)
	}
}

func (l *ledger) least(what string, wait, least time.Duration) {
	if wait < least {
		l.problem("%s: waited %v, at least %v was asked for", what, wait, least)
	}
}

func (l *ledger) most(what string, wait, most time.Duration) {
	if wait > most {
		l.problem("%s: waited %v in all, the budget is %v", what, wait, most)
	}
}

func (l *ledger) problem(format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}
