package attempt

import (
	"cmp"
	"context"
	"time"
)

// Call is what the caller of an operation asks of the policies, through the
// context. The zero value asks for nothing.
type Call struct {
	// WriteRetry, when set, says whether writes are repeated that an earlier
	// attempt may have executed.
	WriteRetry *bool
	// Limits, when set, replaces limits of the policies' options.
	Limits *Limits
	// Diagnostics, when set, collects what the operation did.
	Diagnostics *Diagnostics
}

// Limits replaces limits of the policies' options for one operation. Zero keeps
// a limit, a negative number switches the thing off.
type Limits struct {
	// ThrottleRetries and ThrottleWait limit the retries after 429.
	ThrottleRetries int
	ThrottleWait    time.Duration
	// RetryWithWait limits the retries after 449.
	RetryWithWait time.Duration
	// Failovers is the generic budget of retries in other regions.
	Failovers int
	// BackendRetries and BackendDelay limit the retries while the account
	// changes its regions.
	BackendRetries int
	BackendDelay   time.Duration
	// SessionRetries limits the retries after 404/1002.
	SessionRetries int
	// AttemptTimeout bounds each request.
	AttemptTimeout Timeouts
	// OperationTimeout is a deadline for the whole operation.
	OperationTimeout time.Duration
}

// Over returns the bounds that count, field by field.
func (t Timeouts) Over(other Timeouts) Timeouts {
	return Timeouts{
		Point:    cmp.Or(t.Point, other.Point),
		Query:    cmp.Or(t.Query, other.Query),
		Metadata: cmp.Or(t.Metadata, other.Metadata),
		Account:  cmp.Or(t.Account, other.Account),
	}
}

type callKey struct{}

// CallOf returns what the context asks for.
func CallOf(ctx context.Context) *Call {
	if call, ok := ctx.Value(callKey{}).(*Call); ok {
		return call
	}
	return &noCall
}

var noCall Call

// WithCall returns a context that asks for more; change gets a copy.
func WithCall(ctx context.Context, change func(*Call)) context.Context {
	call := *CallOf(ctx)
	change(&call)
	return context.WithValue(ctx, callKey{}, &call)
}

// RetriesWrites reports whether the operation's writes may be repeated.
func (s *State) RetriesWrites() bool {
	return s.call.WriteRetry == nil || *s.call.WriteRetry
}

// Limits returns what the caller wants limited otherwise, nil for nothing.
func (s *State) Limits() *Limits { return s.call.Limits }
