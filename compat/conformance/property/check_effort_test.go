package property

import (
	"fmt"
	"time"
)

// checkEffort makes sure that no operation is given up while a budget would pay for another request. It looks at
// operations without a deadline, of clients whose view of the account does not change meanwhile.
func checkEffort(o *outcome) []string {
	_, limited := o.limit()
	s, steady := o.steady()
	if limited || !steady || o.pinned() || o.panicked != "" {
		return nil
	}
	l := newLedger(o)
	last := &o.attempts[len(o.attempts)-1]
	if o.script.unrepeatable() && last.executed() || o.elapsed >= stuck {
		return nil
	}
	spent := true
	switch c := o.cause(last); c {
	case final:
	case reconnect:
		spent = l.local >= l.limits.local && l.seen.generic >= l.limits.generic
	case generic:
		spent = l.seen.generic >= l.limits.generic || last.Status >= 500 && last.hint > 30*time.Second
	case backend:
		spent = l.seen.backend >= l.limits.backend
	case sessions:
		spent = l.seen.session >= l.limits.sessions(s, o)
	case throttled:
		spent = l.throttled >= l.limits.throttle || l.throttleWait+l.nextThrottle(last) > l.limits.throttleWait
	case retryWith:
		spent = l.retried+l.nextRetryWith() > l.limits.retryWith
	}
	if !spent {
		return []string{fmt.Sprintf("given up after %d attempts at %s (%s), although a retry was left: %+v", len(o.attempts), last.Region, last.result(), l.seen)}
	}
	return nil
}

// nextThrottle is the longest wait that a 429 may ask for now.
func (l *ledger) nextThrottle(a *attempt) time.Duration {
	if a.hint != noHint {
		return a.hint
	}
	t := &l.o.world.settings.Throttle
	base, longest := span(t.BaseDelay, 5*time.Millisecond), span(t.MaxDelay, 5*time.Second)
	return min(longest, base<<min(l.throttled, 20)*5/4)
}

// nextRetryWith is the longest wait that a 449 may ask for now; it does not fit anything when they are switched off.
func (l *ledger) nextRetryWith() time.Duration {
	if l.limits.retryWiths() == 0 {
		return l.limits.retryWith + 1
	}
	return min(l.limits.retryWait, l.limits.retryWithBase<<min(l.seen.retryWith, 20)+5*time.Millisecond)
}
