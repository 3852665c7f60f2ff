// Package event is what the policies tell about their decisions, and how it
// reaches the observers without slowing a request down.
package event

import (
	"context"
	"time"
)

// Kind says what was decided.
type Kind string

// The kinds of event. One operation gives any number of the first group, one
// GaveUp at most, and exactly one Completed.
const (
	KindRetry        Kind = "retry"         // to the same region, after a wait (429, 449)
	KindLocalRetry   Kind = "local_retry"   // to the same region, at once, on a new connection
	KindFailover     Kind = "failover"      // to another region, or to the same one when there is no other
	KindSessionRetry Kind = "session_retry" // to a region that may have caught up (404/1002)

	KindBudgetRefused Kind = "budget_refused" // a retry that the retry budget did not allow
	KindGaveUp        Kind = "gave_up"        // the operation ends with an error of the policies
	KindCompleted     Kind = "completed"      // the operation ended, well or not

	KindMarked         Kind = "endpoint_marked"
	KindUnmarked       Kind = "endpoint_unmarked"
	KindBreakerOpened  Kind = "breaker_opened"
	KindBreakerProbing Kind = "breaker_probing"
	KindBreakerClosed  Kind = "breaker_closed"
	KindOverrideMoved  Kind = "ppaf_moved"
	KindRefreshed      Kind = "topology_refreshed"
	KindLetterLost     Kind = "dead_letter_lost" // a write that was given up could not be kept
)

// Cause is the class of trouble behind a decision.
type Cause string

// The classes of cause.
const (
	CauseNone       Cause = ""
	CauseThrottling Cause = "throttling" // 429, 449
	CauseConnection Cause = "connection" // refused, reset, cut, DNS, TLS
	CauseServer     Cause = "server"     // 5xx, 408, 410
	CauseTopology   Cause = "topology"   // 403/3, 403/1008
	CauseSession    Cause = "session"    // 404/1002
	CauseTimeout    Cause = "timeout"    // no answer in time
)

// Event is one decision. It carries no body, no credential and no partition
// key value.
type Event struct {
	Kind Kind
	Time time.Time
	// Operation is what the caller does: "read", "query", "metadata read", …;
	// empty for events about the shared state.
	Operation string
	// Collection is the path of the container, empty outside one.
	Collection string
	// Partition is the physical partition, for events about one.
	Partition string
	// Region is where it happened; Target is where the next attempt goes.
	Region, Target string
	// Status and SubStatus of the answer, 0 without one.
	Status, SubStatus int
	Cause             Cause
	// Attempt counts the operation's requests so far.
	Attempt int
	// Wait is the pause before the next attempt.
	Wait time.Duration
	// Elapsed is the time since the operation began.
	Elapsed time.Duration
	// Charge is the request units of all attempts, for Completed.
	Charge float64
	// Failed reports, for Completed, that the caller got an error or a status of
	// 400 or more, and for Refreshed, that no endpoint could be asked.
	Failed bool
	// Reason says why, in a few words.
	Reason string
}

// Observer is told of each decision. Observe is called one event at a time, in
// order, from a goroutine of its own, unless the observer is a [Synchronous]
// one. It may be slow: events that it cannot keep up with are dropped and
// counted. It may panic: the panic is recovered and counted.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// Synchronous is an observer that wants to be called in the request's own
// goroutine, with its context, and from many at once. It must not block: it is
// on the path of the request.
type Synchronous interface {
	Observer
	ObservesSynchronously()
}

// Selective is an observer that does not want every event. An operation that
// succeeds at once makes one event, and for an observer that does not want it,
// waking its goroutine is the better part of what it costs. Wants is called in the
// request's own goroutine, from many at once, and must not block. One that panics
// does not want the event. A [Synchronous] observer is not asked.
type Selective interface {
	Observer
	Wants(e Event) bool
}

// Func makes an observer of a function.
type Func func(ctx context.Context, e Event)

// Observe implements [Observer].
func (f Func) Observe(ctx context.Context, e Event) { f(ctx, e) }
