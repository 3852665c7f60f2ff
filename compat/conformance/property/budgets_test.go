package property

import (
	"math"
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
)

// budgets is how often, and how long, the specification lets one operation be repeated. It is computed from the
// settings alone; -1 in the settings is off, 0 the default.
type budgets struct {
	generic, backend, local, throttle int
	session                           int // 0: by account
	sessionOff                        bool

	backendDelay             time.Duration
	throttleWait, retryWith  time.Duration
	retryWithBase, retryWait time.Duration // the first wait after a 449, and the longest
}

// budgetsOf reads "Retry Budget Summary" for the given settings.
func budgetsOf(s *policies.Settings) budgets {
	b := budgets{
		generic:       count(s.Failover.MaxRetries, 3),
		backend:       count(s.Failover.Backend.MaxRetries, 120),
		local:         count(s.Failover.LocalRetries, 1),
		throttle:      count(s.Throttle.MaxRetries, 9),
		session:       max(s.Session.MaxRetries, 0),
		sessionOff:    s.Session.MaxRetries < 0,
		backendDelay:  span(s.Failover.Backend.Delay, time.Second),
		throttleWait:  span(s.Throttle.MaxWait, 30*time.Second),
		retryWith:     span(s.Throttle.RetryWith.MaxWait, 30*time.Second),
		retryWithBase: span(s.Throttle.RetryWith.BaseDelay, 10*time.Millisecond),
		retryWait:     span(s.Throttle.RetryWith.MaxDelay, time.Second),
	}
	return b
}

// usualBudgets reports whether the world's budgets are the defaults.
func (w *world) usualBudgets() bool {
	s := policies.Settings{Failover: w.settings.Failover, Session: w.settings.Session, Throttle: w.settings.Throttle}
	return budgetsOf(&s) == budgetsOf(new(policies.Settings))
}

func count(value, standard int) int {
	if value == 0 {
		return standard
	}
	return max(value, 0)
}

func span(value policies.Duration, standard time.Duration) time.Duration {
	if value == 0 {
		return standard
	}
	return max(time.Duration(value), 0)
}

// sessions is the budget of session retries on an account of the given shape.
func (b *budgets) sessions(s shape, o *outcome) int {
	switch {
	case b.sessionOff:
		return 0
	case b.session > 0:
		return b.session
	case s.multi:
		return max(len(o.allowed(s)), 1)
	}
	return 2
}

// retryWiths is how many waits of a doubling back-off fit the time for 449.
func (b *budgets) retryWiths() int {
	if b.retryWith == 0 || b.retryWithBase == 0 || b.retryWait == 0 {
		return 0
	}
	n, left, wait := 0, b.retryWith, min(b.retryWithBase, b.retryWait)
	for ; wait <= left; n++ {
		left -= wait
		wait = min(2*wait, b.retryWait)
	}
	return n
}

// total is the most requests that an operation can cost, however its answers are mixed.
func (b *budgets) total(sessions int) int {
	visits := 1 + b.generic + b.backend + sessions
	return visits*(1+b.throttle+b.local) + b.retryWiths()
}

// worst keeps the greatest numbers seen.
type worst struct {
	requests, generic, backend, session, local, throttle, retryWith int
	part                                                            float64 // of what the budgets together allow
}

func (w *worst) add(v worst) {
	for seen, value := range map[*int]int{
		&w.requests: v.requests, &w.generic: v.generic, &w.backend: v.backend, &w.session: v.session,
		&w.local: v.local, &w.throttle: v.throttle, &w.retryWith: v.retryWith,
	} {
		*seen = max(*seen, value)
	}
	w.part = math.Max(w.part, v.part)
}
