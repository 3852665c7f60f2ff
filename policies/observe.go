package policies

import (
	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/backoff"
	"github.com/cosmosretry/cosmosretry/internal/budget"
	"github.com/cosmosretry/cosmosretry/internal/event"
)

// Event is one decision of the policies: a retry, a failover, a mark, the end
// of an operation. It carries no body, no credential and no partition key value.
type Event = event.Event

// EventKind says what was decided.
type EventKind = event.Kind

// The kinds of event.
const (
	EventRetry          = event.KindRetry          // same region, after a wait (429, 449)
	EventLocalRetry     = event.KindLocalRetry     // same region, at once, on a new connection
	EventFailover       = event.KindFailover       // another region, or the same one when there is no other
	EventSessionRetry   = event.KindSessionRetry   // a region that may have caught up (404/1002)
	EventBudgetRefused  = event.KindBudgetRefused  // a retry that the process's budget did not allow
	EventGaveUp         = event.KindGaveUp         // the operation ends with an error of the policies
	EventCompleted      = event.KindCompleted      // the operation ended, well or not
	EventMarked         = event.KindMarked         // an endpoint is tried last from now on
	EventUnmarked       = event.KindUnmarked       // it answered again
	EventBreakerOpened  = event.KindBreakerOpened  // a partition is kept away from a region
	EventBreakerProbing = event.KindBreakerProbing // one request finds out whether it works again
	EventBreakerClosed  = event.KindBreakerClosed  // it does
	EventOverrideMoved  = event.KindOverrideMoved  // PPAF: a partition's writes start elsewhere
	EventRefreshed      = event.KindRefreshed      // the account's topology was read on demand
	EventLetterLost     = event.KindLetterLost     // a write that was given up could not be kept
)

// EventCause is the class of trouble behind a decision.
type EventCause = event.Cause

// The classes of cause.
const (
	CauseThrottling = event.CauseThrottling // 429, 449
	CauseConnection = event.CauseConnection // refused, reset, cut, DNS, TLS
	CauseServer     = event.CauseServer     // 5xx, 408, 410
	CauseTopology   = event.CauseTopology   // 403/3, 403/1008
	CauseSession    = event.CauseSession    // 404/1002
	CauseTimeout    = event.CauseTimeout    // no answer in time
)

// Observer is told of each decision. It cannot slow a request down: it runs in
// a goroutine of its own that exists while there are events, misses events when
// it falls more than 1,024 behind, and may panic.
type Observer = event.Observer

// SynchronousObserver is an observer that is called in the request's own
// goroutine, with the request's context, from many goroutines at once. It is on
// the path of the request and must not block.
type SynchronousObserver = event.Synchronous

// InstalledObserver is an observer that wants to know the clients that it is
// installed in, to read their state. The constructors of package compat hand no
// [Set] out; this is how an observer gets it all the same.
type InstalledObserver interface {
	Observer
	Installed(*Set)
}

// ObserverFunc makes an [Observer] of a function.
type ObserverFunc = event.Func

// DeadLetters keeps writes that were given up; see [Options]. Package
// policies/deadletter has a durable one.
type DeadLetters = attempt.DeadLetters

// Letter is a write that was given up, with all that it takes to send it again.
type Letter = attempt.Letter

// Budget limits the retries of a whole process. Share one between the clients
// of a process by giving it to each client's Options.
type Budget = budget.Budget

// BudgetOptions configures a [Budget].
type BudgetOptions = budget.Options

// NewBudget returns a retry budget; nil options mean the defaults: retries up to
// 20 % of the requests of the last 10 s, plus 10 per second.
func NewBudget(o *BudgetOptions) (*Budget, error) { return budget.New(o) }

// Backoff gives the waits between retries; see the Backoff fields of
// throttle.Options and failover.Options.
type Backoff = backoff.Strategy

// The back-off strategies.
type (
	// ExponentialBackoff waits twice as long each time.
	ExponentialBackoff = backoff.Exponential
	// IncrementalBackoff waits a step longer each time.
	IncrementalBackoff = backoff.Incremental
	// FixedBackoff waits equally long each time.
	FixedBackoff = backoff.Fixed
	// ImmediateOnce retries once at once, and then as another strategy says.
	ImmediateOnce = backoff.ImmediateOnce
	// Jitter is how chance spreads an exponential wait.
	Jitter = backoff.Jitter
)

// The ways to spread an exponential wait d.
const (
	JitterQuarter      = backoff.JitterQuarter      // d ± 25 %, the default
	JitterNone         = backoff.JitterNone         // d
	JitterEqual        = backoff.JitterEqual        // d/2 to d
	JitterFull         = backoff.JitterFull         // 0 to d
	JitterDecorrelated = backoff.JitterDecorrelated // the base to three times the last wait
)
