package policies

import (
	"context"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// Profile fits the retries of an operation to the latency that its caller can
// bear. Take one of this package's, or write your own: zero fields of Limits
// keep the settings, negative ones switch the thing off.
type Profile struct {
	// Name appears in nothing but your own code.
	Name string
	// Objective is the time within which every operation ends, by success or by
	// error, whatever happens. It is the sum of what Limits allows, and Limits
	// should enforce it as OperationTimeout.
	Objective time.Duration
	// Limits replaces limits of the settings.
	Limits Limits
}

// Limits replaces limits of the settings for single operations. Zero keeps the
// setting, a negative number switches the thing off; a number may be beyond the
// range of the setting:
//
//	ThrottleRetries, ThrottleWait  throttle.maxRetries and throttle.maxWait
//	RetryWithWait                  throttle.retryWith.maxWait
//	Failovers                      failover.maxRetries
//	BackendRetries, BackendDelay   failover.backend.maxRetries and failover.backend.delay
//	SessionRetries                 session.maxRetries
//	AttemptTimeout                 failover.attemptTimeout, field by field
//	OperationTimeout               operationTimeout; the caller's own deadline holds besides
//
// OperationTimeout needs [Install]; the others reach policies that stand alone too.
type Limits = attempt.Limits

// Interactive is for operations that a person waits for: everything ends within
// 2 s. Few retries and short waits; an attempt that is not answered within
// 800 ms is worth another region.
var Interactive = Profile{
	Name:      "interactive",
	Objective: 2 * time.Second,
	Limits: Limits{
		OperationTimeout: 2 * time.Second,
		AttemptTimeout:   AttemptTimeout{Point: 800 * time.Millisecond, Query: 1500 * time.Millisecond, Metadata: 1500 * time.Millisecond},
		ThrottleRetries:  3,
		ThrottleWait:     500 * time.Millisecond,
		RetryWithWait:    500 * time.Millisecond,
		Failovers:        2,
		BackendRetries:   4,
		BackendDelay:     250 * time.Millisecond,
	},
}

// Background is for work that is expensive to start again: it waits out
// throttling and region changes for up to 5 min.
var Background = Profile{
	Name:      "background",
	Objective: 5 * time.Minute,
	Limits: Limits{
		OperationTimeout: 5 * time.Minute,
		AttemptTimeout:   AttemptTimeout{Point: 20 * time.Second, Query: 2 * time.Minute, Metadata: 2 * time.Minute},
		ThrottleRetries:  30,
		ThrottleWait:     2 * time.Minute,
		RetryWithWait:    time.Minute,
		Failovers:        6,
		BackendRetries:   240,
		BackendDelay:     time.Second,
	},
}

// AttemptTimeout bounds single requests by what they ask for: Point an operation on
// one item (6 s by default), Query a query, feed or batch (65 s), Metadata databases,
// containers and offers (65 s), Account the account read (5 s). Zero means the
// default, or what is set elsewhere; negative no bound. Each is cut to what is left
// of the caller's deadline.
type AttemptTimeout = attempt.Timeouts

// WithProfile returns a context whose operations have the limits of a profile.
// The last profile of a context counts, as a whole. The budget of the process holds
// besides.
func WithProfile(ctx context.Context, p Profile) context.Context {
	return attempt.WithCall(ctx, func(c *attempt.Call) { c.Limits = &p.Limits })
}

// Diagnostics collects what operations did: see [WithDiagnostics]. The zero value
// is ready for use. It is safe for concurrent use, and grows with what it records:
// use a new one for each operation, or for a few.
//
//	Operations() int         how many were recorded; a pager makes one per page
//	Attempts() []Attempt     their requests, oldest first
//	Elapsed() time.Duration  the time that they took, waits included
//	Waited() time.Duration   the time that the policies slept
//	Charge() float64         the request units of all attempts
//	Regions() []string       the regions that were asked, by first visit
//	String() string          a line with the sums, and a line per attempt
type Diagnostics = attempt.Diagnostics

// WithDiagnostics returns a context whose operations record in d what they did,
// also when they succeed: every attempt with its region, result, wait, reason
// and charge. d must not be nil; it may serve many operations, at once or one
// after the other. Without [Install] nothing is recorded.
func WithDiagnostics(ctx context.Context, d *Diagnostics) context.Context {
	return attempt.WithCall(ctx, func(c *attempt.Call) { c.Diagnostics = d })
}
