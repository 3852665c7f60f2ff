package attempt

import (
	"net/http"
	"strconv"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/budget"
	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Shared is what the operations of a client share beside the routing state.
// All parts may be nil.
type Shared struct {
	Budget      *budget.Budget
	Events      *event.Hub
	DeadLetters DeadLetters
	// TryTimeout of the client's retry options, 0 for none. It bounds an attempt
	// also where the caller's deadline hides it.
	TryTimeout time.Duration
}

// Retry records the decision to send again, to the target chosen: it charges
// the process's retry budget and tells the observers. It returns false when the
// budget does not allow the retry; then nothing must be sent.
func (s *State) Retry(kind event.Kind, reason string, wait time.Duration) bool {
	s.why = reason
	if !s.shared.Budget.Retry(time.Now(), s.Target.Region) {
		s.tell(event.KindBudgetRefused, reason, wait)
		return false
	}
	s.tell(kind, reason, wait)
	return true
}

// MayRetry reports whether the process's budget has a retry left at all. It asks
// before a wait; [State.Retry] decides.
func (s *State) MayRetry() bool { return s.shared.Budget.Allows(time.Now()) }

// RefuseRetry tells the observers that a retry is not made because
// [State.MayRetry] has said no.
func (s *State) RefuseRetry(reason string, wait time.Duration) {
	s.tell(event.KindBudgetRefused, reason, wait)
}

// BudgetSpent is why an operation ends whose retry the process's budget refused.
const BudgetSpent = ", and the retry budget of the process is spent"

// tell builds an event from the latest attempt and emits it.
func (s *State) tell(kind event.Kind, reason string, wait time.Duration) {
	if s.shared.Events == nil {
		return
	}
	now := time.Now()
	e := event.Event{
		Kind: kind, Time: now, Operation: s.describe(), Collection: s.Op.Collection,
		Cause: causeOf(s.outcome), Attempt: len(s.attempts), Wait: wait,
		Elapsed: now.Sub(s.Start), Reason: reason,
	}
	if n := len(s.attempts); n > 0 {
		a := &s.attempts[n-1]
		e.Region, e.Status, e.SubStatus, e.Partition = a.where(), a.Status, a.SubStatus, a.Partition
	}
	if kind != event.KindGaveUp && kind != event.KindCompleted {
		e.Target = s.Target.Region
	}
	ctx := s.base
	if ctx == nil {
		ctx = s.caller // nothing was sent yet
	}
	s.shared.Events.Emit(ctx, e)
}

// completed tells the observers and the caller's diagnostics how the operation
// ended.
func (s *State) completed(resp *http.Response, err error) {
	if d := s.call.Diagnostics; d != nil {
		d.add(s)
	}
	s.keepLetter(err)
	if s.shared.Events == nil {
		return
	}
	end := s.end(resp)
	e := event.Event{
		Kind: event.KindCompleted, Time: end, Operation: s.describe(), Collection: s.Op.Collection,
		Cause: causeOf(s.outcome), Attempt: len(s.attempts), Elapsed: end.Sub(s.Start),
		Failed: err != nil || resp.StatusCode >= http.StatusBadRequest,
	}
	for i := range s.attempts {
		e.Charge += s.attempts[i].Charge
		e.Wait += s.attempts[i].Wait
	}
	if n := len(s.attempts); n > 0 {
		a := &s.attempts[n-1]
		e.Region, e.Partition = a.where(), a.Partition
	}
	switch {
	case err == nil && resp == s.answer:
		e.Status, e.SubStatus = s.outcome.Status, s.outcome.SubStatus
	case err == nil:
		e.Status, e.SubStatus = resp.StatusCode, wire.SubStatus(resp.Header)
	case s.final != nil && s.final.response != nil:
		e.Status, e.SubStatus = s.final.response.StatusCode, wire.SubStatus(s.final.response.RawResponse.Header)
		e.Reason = s.final.reason
	case s.final != nil:
		e.Reason = s.final.reason
	}
	s.shared.Events.Emit(s.caller, e)
}

// end is when the operation ended: when its answer arrived, since that is known
// and looking at the clock is a good part of what an event costs; or else now.
func (s *State) end(resp *http.Response) time.Time {
	if resp == nil || resp != s.answer {
		return time.Now()
	}
	a := &s.attempts[len(s.attempts)-1]
	return a.Start.Add(a.Duration)
}

// measured reports whether somebody wants to know what attempts cost.
func (s *State) measured() bool { return s.shared.Events != nil || s.call.Diagnostics != nil }

// measure keeps of an answer what only observers and diagnostics want.
func (a *Attempt) measure(h http.Header) {
	a.Charge, _ = strconv.ParseFloat(wire.Get(h, wire.HeaderRequestCharge), 64)
	a.Partition = wire.PartitionKeyRangeID(h)
}

// describe names the operation: "read", "metadata create".
func (s *State) describe() string { return describe(&s.Op) }

func describe(op *wire.Operation) string {
	if op.Scope == wire.ScopeItem {
		return op.Kind.String()
	}
	return op.Scope.String() + " " + op.Kind.String()
}

// causeOf sorts an outcome into the classes that operators tell apart. It is pure.
func causeOf(o Outcome) event.Cause {
	switch {
	case o.Class == TimedOut || o.Silent:
		return event.CauseTimeout
	case o.Class == Failed:
		return event.CauseConnection
	case o.Class != Answered:
		return event.CauseNone
	}
	switch {
	case o.Status == http.StatusTooManyRequests || o.Status == 449:
		return event.CauseThrottling
	case o.Is(http.StatusNotFound, wire.SubStatusReadSessionNotAvailable):
		return event.CauseSession
	case o.Is(http.StatusForbidden, wire.SubStatusWriteForbidden), o.Is(http.StatusForbidden, wire.SubStatusAccountNotFound):
		return event.CauseTopology
	case o.Status == http.StatusRequestTimeout, o.Status == http.StatusGone, o.Status >= http.StatusInternalServerError:
		return event.CauseServer
	}
	return event.CauseNone
}
