package attempt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

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

// Transient reports whether the same operation may succeed when it is repeated
// later. It is false for one that must not run twice and may have run: a program
// that loops on Transient does not repeat what it opted out of.
func (e *Error) Transient() bool { return e.transient && !e.unsure }

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
