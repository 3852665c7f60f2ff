package attempt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Attempt is one request of an operation and how it ended.
type Attempt struct {
	// Region that the request went to, "" while the account's regions are unknown.
	Region string
	// Host that the request went to.
	Host string
	// Start is when the request was sent.
	Start time.Time
	// Wait is how long the policies slept before it.
	Wait time.Duration
	// Duration is how long the answer, or the failure, took.
	Duration time.Duration
	// Status and SubStatus of the answer, 0 when none arrived.
	Status, SubStatus int
	// Sent is false when the request surely never left the client.
	Sent bool
	// Reason says why the request was sent: what went wrong before it. It is
	// empty for the first one.
	Reason string
	// Charge is the request units that the request cost, where somebody asked
	// for it (diagnostics, observers), else 0.
	Charge float64
	// Partition is the physical partition that answered, where somebody asked
	// for it and the answer told it, else empty.
	Partition string
	// ActivityID names the request in the service's own logs.
	ActivityID string
	// Err is why no answer arrived, nil when one did.
	Err error

	outcome Outcome
	visit   int
}

// Outcome is the attempt's end in the terms of the retry rules.
func (a *Attempt) Outcome() Outcome { return a.outcome }

// String tells where the request went and how it ended: "East US: 503".
func (a *Attempt) String() string { return a.where() + ": " + a.result() }

func (a *Attempt) where() string {
	if a.Region != "" {
		return a.Region
	}
	return a.Host
}

func (a *Attempt) result() string {
	switch {
	case a.Err != nil:
		return line(a.Err)
	case a.SubStatus != 0:
		return fmt.Sprintf("%d/%d", a.Status, a.SubStatus)
	}
	return fmt.Sprint(a.Status)
}

// Error is the end of an operation that the policies gave up. It carries the
// last answer of the service, or the transport's error when there was none, and
// the list of the attempts.
//
// errors.As finds the *[azcore.ResponseError] in it, as without the policies.
// It is immutable once the caller has it, and safe for concurrent use.
type Error struct {
	op         wire.Operation
	reason     string
	attempts   []Attempt
	elapsed    time.Duration
	retryAfter time.Duration
	transient  bool
	unsure     bool // it may have been executed, and must not be twice
	response   *azcore.ResponseError
	cause      error // no service answer: the transport's error or the context's
	opened     atomic.Bool
}

// GiveUp ends the operation with its last answer or transport error. reason
// says in a few words why it is not retried; transient whether the same
// operation may succeed later, and retryAfter when to come back, 0 for unknown.
func (s *State) GiveUp(resp *http.Response, err error, reason string, transient bool, retryAfter time.Duration) *Error {
	e := s.newError(reason, transient)
	e.retryAfter = retryAfter
	if resp != nil && err == nil {
		e.response = responseError(resp)
	} else if e.cause = err; len(s.attempts) > 0 && s.attempts[len(s.attempts)-1].Err != nil {
		e.cause = s.attempts[len(s.attempts)-1].Err
	}
	return e
}

// Interrupted ends the operation because the caller's context is done: with
// 408/20008 after a deadline, with the context's own error after a
// cancellation. It returns nil while the context is alive.
func (s *State) Interrupted() error {
	err := s.base.Err()
	if err == nil {
		return nil
	}
	return s.interrupted(err)
}

func (s *State) interrupted(err error) error {
	if s.ended && s.final != nil {
		return s.final
	}
	s.ended = true
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := s.newError("the operation's deadline is over", true)
	e.cause = err
	e.response = responseError(s.timeoutResponse())
	return e
}

func (s *State) newError(reason string, transient bool) *Error {
	e := &Error{
		op: s.Op, reason: reason, transient: transient, unsure: s.unsure(),
		attempts: s.attempts, elapsed: time.Since(s.Start),
	}
	s.final = e
	s.tell(event.KindGaveUp, reason, 0)
	return e
}

// unsure reports whether nobody knows if a write was executed that must not be
// executed twice.
func (s *State) unsure() bool {
	if s.Op.Reads() || s.Op.Kind != wire.KindExecute && s.RetriesWrites() {
		return false
	}
	for i := range s.attempts {
		if s.attempts[i].mayHaveRun() {
			return true
		}
	}
	return false
}

// timeoutResponse makes the answer that the service would give for an operation
// that took too long, so that callers need only one way to recognise it.
func (s *State) timeoutResponse() *http.Response {
	const body = `{"code":"RequestTimeout","message":"The operation did not end within the caller's deadline (CLIENT_OPERATION_TIMEOUT)."}`
	resp := &http.Response{
		Status: "408 Request Timeout", StatusCode: http.StatusRequestTimeout,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			wire.HeaderSubStatus: {fmt.Sprint(wire.SubStatusClientOperationTimeout)},
			"Content-Type":       {"application/json"},
		},
		Body:          io.NopCloser(bytes.NewReader([]byte(body))),
		ContentLength: int64(len(body)),
	}
	resp.Request = s.request
	return resp
}

// responseError makes the error that azcosmos makes of the same response.
func responseError(resp *http.Response) *azcore.ResponseError {
	var e *azcore.ResponseError
	errors.As(runtime.NewResponseErrorWithErrorCode(resp, resp.Status), &e)
	return e
}

// Attempts lists every request of the operation, oldest first.
func (e *Error) Attempts() []Attempt { return append([]Attempt(nil), e.attempts...) }

// Elapsed is the time from the operation's start to its end, waits included.
func (e *Error) Elapsed() time.Duration { return e.elapsed }

// Transient reports whether the same operation may succeed later.
func (e *Error) Transient() bool { return e.transient }

// RetryAfter is how long the service asked to wait before the next try, 0 when
// it did not say.
func (e *Error) RetryAfter() time.Duration { return e.retryAfter }

// Reason says in a few words why the operation was not retried further.
func (e *Error) Reason() string { return e.reason }

// NonRetriable marks the error for azcore and azcosmos: both would otherwise
// start the operation again from the outside.
func (e *Error) NonRetriable() {}

// Open lets the caller's errors.As and errors.Is reach the transport's error.
// Inside the pipeline it is out of reach, because azcosmos retries on what it
// finds there before it looks for the NonRetriable mark.
func (e *Error) Open() { e.opened.Store(true) }

// Unwrap returns the service's answer and, once the error has left the
// pipeline, the transport's or the context's error.
func (e *Error) Unwrap() []error {
	var chain []error
	if e.response != nil {
		chain = append(chain, e.response)
	}
	if e.cause != nil && e.opened.Load() {
		chain = append(chain, e.cause)
	}
	return chain
}

// Error is one line: the operation, its last result, how many attempts it cost
// where and over how long, what to do, and what the service calls the last
// attempt.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cosmos %s: %s", e.describe(), e.last())
	if len(e.attempts) == 0 {
		b.WriteString(" before the first attempt")
	} else {
		fmt.Fprintf(&b, " after %s over %s (%s)", plural(len(e.attempts), "attempt"), round(e.elapsed), e.where())
	}
	fmt.Fprintf(&b, ": %s; %s", e.reason, e.advice())
	if id := e.activity(); id != "" {
		fmt.Fprintf(&b, "; activity %s", id)
	}
	return b.String()
}

// activity is the identity of the last attempt that the service answered: the
// first thing that its support asks for.
func (e *Error) activity() string {
	for i := len(e.attempts) - 1; i >= 0; i-- {
		if id := e.attempts[i].ActivityID; id != "" {
			return id
		}
	}
	return ""
}

func (e *Error) describe() string {
	what := describe(&e.op)
	if e.op.Collection != "" {
		what += " in " + e.op.Collection
	}
	return what
}

func (e *Error) last() string {
	switch {
	case e.response != nil:
		last := Attempt{Status: e.response.StatusCode, SubStatus: wire.SubStatus(e.response.RawResponse.Header)}
		return last.result()
	case e.cause != nil:
		return line(e.cause)
	}
	return "no answer"
}

// line is an error's text without line breaks, and without the URL that
// [http.Client] puts before it: region and container are told already, and the
// id of an item is nobody's business.
func line(err error) string {
	if u, ok := err.(*url.Error); ok {
		err = u.Err
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// where counts the attempts per region, in the order of the first visit.
func (e *Error) where() string {
	var names []string
	counts := map[string]int{}
	for i := range e.attempts {
		name := e.attempts[i].where()
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if n := counts[name]; n > 1 {
			names[i] = fmt.Sprintf("%s ×%d", name, n)
		}
	}
	return strings.Join(names, ", ")
}

func (e *Error) advice() string {
	switch {
	case e.unsure:
		return "it may have been executed, so look before you repeat it"
	case e.retryAfter > 0:
		return fmt.Sprintf("retry in %s", round(e.retryAfter))
	case e.transient:
		return "retry later"
	}
	return "a retry will not help"
}

// Format prints one line for %v and %s, and the time line of all attempts for %+v.
func (e *Error) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprintf(f, "%q", e.Error())
		return
	}
	io.WriteString(f, e.Error())
	if verb != 'v' || !f.Flag('+') {
		return
	}
	timeLine(f, e.attempts)
}

// timeLine writes a line per attempt, times from the first one on.
func timeLine(w io.Writer, attempts []Attempt) {
	for i := range attempts {
		a := &attempts[i]
		fmt.Fprintf(w, "\n  %3d. +%-9s %s in %s", i+1, round(a.Start.Sub(attempts[0].Start)), a, round(a.Duration))
		if a.Wait > 0 {
			fmt.Fprintf(w, ", waited %s", round(a.Wait))
		}
		if a.Reason != "" {
			fmt.Fprintf(w, ", because %s", a.Reason)
		}
		if a.ActivityID != "" {
			fmt.Fprintf(w, ", activity %s", a.ActivityID)
		}
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// round drops digits that nobody reads.
func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
