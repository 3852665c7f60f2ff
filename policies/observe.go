package policies

import (
	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/backoff"
	"github.com/cosmosretry/cosmosretry/internal/budget"
	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// Event is one decision of the policies: a retry, a failover, a mark, the end
// of an operation. It carries no body, no credential and no partition key value.
// A field that says nothing is at zero:
//
//	Kind               what was decided
//	Time               when
//	Operation          "read", "query", "create", "metadata read", "account read", …; "reads" or "writes" of a
//	                   breaker; empty for other events about the shared state
//	Collection         the path of the container, "dbs/shop/colls/orders"
//	Partition          the physical partition, where the answer told it
//	Region, Target     where it happened, and where the next attempt goes; a host while the regions are unknown
//	Status, SubStatus  of the answer
//	Cause              the class of trouble
//	Attempt            the operation's requests so far
//	Wait               the pause before the next attempt; the sum of all pauses for EventCompleted
//	Elapsed            the time since the operation began
//	Charge             the request units of all attempts, for EventCompleted
//	Failed             for EventCompleted: an error, or a status of 400 or more; for EventRefreshed: nobody answered
//	Reason             why, in a few words
type Event = event.Event

// EventKind says what was decided. There may be further kinds one day.
type EventKind = event.Kind

// The kinds of event. An operation has any number of retries and failovers, one
// EventGaveUp at most, and exactly one EventCompleted, its last.
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

// EventCause is the class of trouble behind a decision, empty for none.
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

// Observer is told of each decision:
//
//	Observe(ctx context.Context, e Event)
//
// It cannot slow a request down: it is called with one event at a time, in order,
// in a goroutine of its own that exists while there are events. One that is 1,024
// events behind misses those that come then, and one that panics the event that it
// panicked on; [Set.Dropped] counts both. ctx has the values of the request's
// context, and does not end with it. An observer of several clients is called from
// one goroutine for each.
type Observer = event.Observer

// SynchronousObserver is an observer with one more method,
// ObservesSynchronously(). It is called in the request's own goroutine, with the
// request's context, from many goroutines at once. It is on the path of the
// request and must not block. It misses nothing but what it panics on.
type SynchronousObserver = event.Synchronous

// SelectiveObserver is an observer that does not want every event, with one more
// method:
//
//	Wants(e Event) bool
//
// It is called in the request's own goroutine, from many at once, before the event
// goes to the observer's goroutine, and must not block. One that panics does not
// want the event, and [Set.Dropped] counts. An observer that does not want
// [EventCompleted] costs an operation that succeeds at once next to nothing. A
// [SynchronousObserver] is not asked.
type SelectiveObserver = event.Selective

// InstalledObserver is an observer that wants to know the clients that it is
// installed in, to read their state. The constructors of package compat hand no
// [Set] out; this is how an observer gets it all the same.
type InstalledObserver interface {
	Observer
	// Installed is called once for each client, by [Install], before it returns.
	Installed(*Set)
}

// ObserverFunc makes an [Observer] of a function.
type ObserverFunc = event.Func

// DeadLetters keeps writes that were given up; see [Options]. Package
// policies/deadletter has a durable one. The interface is
//
//	Keep(ctx context.Context, l Letter) error
//
// Keep is called in the goroutine of the operation, before its error is returned,
// and from many at once. ctx ends after 2 s, and not with the operation; Keep must
// return then. Whatever it does, the caller gets the operation's own error;
// observers are told, with [EventLetterLost], of an error of Keep's and of a panic.
//
// A letter is made of a create, upsert, replace, patch, delete, batch or stored
// procedure that ended in an [Error]. What the service refused for good (400, 409,
// 412, …) and what the caller cancelled makes none.
type DeadLetters = attempt.DeadLetters

// Letter is a write that was given up, with all that it takes to send it again
// and nothing that identifies the sender:
//
//	Time                  of the giving up
//	Operation             "create", "upsert", "replace", "patch", "delete", "batch" or "execute"
//	Method, Path, Header  of the request: the path escaped and without the host; of the header what describes the
//	                      write (content type, partition key, conditions, session token, triggers)
//	Body                  of the request, nil for a delete; it must not be changed
//	Status, SubStatus     of the last answer, 0 when none arrived
//	Error                 the end, in words
//	Attempts              how many requests were made
//	MayHaveRun            an attempt may have been executed all the same: a second execution needs a guard
type Letter = attempt.Letter

// Budget limits the retries of a whole process, as Finagle and Linkerd define it:
// over a sliding window, retries are at most a share of the operations plus a
// floor per second. A retry that it does not allow is not made: the operation ends
// at once with the service's last answer, and its [Error] says that the budget is
// spent. So a struggling service is not held down by its clients' retries.
//
// Share one between the clients of a process by giving it to each client's
// Options. It is safe for concurrent use. Its method Left tells how many retries
// it would allow now, and how many it has refused since it was made; Configure
// gives it other options, and keeps what it has counted.
type Budget = budget.Budget

// BudgetOptions configures a [Budget]. Nil and the zero value mean the defaults:
//
//	field                  default  up to      negative
//	Ratio                  0.2      10         none     retries per operation, over the window
//	MinPerSecond           10       1,000,000  none     retries per second that are allowed besides
//	Window                 10 s     1 min      error    over which both are counted, in whole seconds; 1 s or more
//	MaxPerMinute           no cap   1,000,000  no cap   retries in the last minute
//	MaxPerMinutePerRegion  no cap   1,000,000  no cap   the same for the retries that go to one region
type BudgetOptions = budget.Options

// NewBudget returns a retry budget; nil options mean the defaults: retries up to
// 20 % of the operations of the last 10 s, plus 10 per second. An option out of
// its range is an error that names it and what is allowed.
func NewBudget(o *BudgetOptions) (*Budget, error) { return budget.New(o) }

// Backoff gives the waits between retries; see the Backoff fields of [Options],
// throttle.Options and failover.Options. It is a value without state, and safe for
// concurrent use:
//
//	Delay(retry int, previous time.Duration, random float64) time.Duration
//
// retry counts from 0, previous is the wait before (0 at first), and random is in
// [0, 1), so that a test can pin it. A negative delay is none. How often and how long is retried in all is
// not the strategy's to say: the settings limit that.
type Backoff = backoff.Strategy

// The back-off strategies.
type (
	// ExponentialBackoff waits Base, then twice as long each time, at most Max.
	// Base at zero or less is no wait, Max at zero or less no limit. Jitter says how
	// chance spreads the waits, by default ±25 %.
	ExponentialBackoff = backoff.Exponential
	// IncrementalBackoff waits First, then Step longer each time, at most Max.
	// Negative fields count as zero; Max at zero is no limit. There is no chance in
	// it: clients that fail together come back together.
	IncrementalBackoff = backoff.Incremental
	// FixedBackoff is a duration: it waits as long each time, and not at all if it
	// is negative. There is no chance in it either.
	FixedBackoff = backoff.Fixed
	// ImmediateOnce retries once without a wait, and then as the strategy in Then
	// says, counted from there. Without Then it never waits.
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

// PartitionHealth tells of a partition that fails in a region; see
// [Set.Unhealthy].
type PartitionHealth = regioncache.PartitionHealth
