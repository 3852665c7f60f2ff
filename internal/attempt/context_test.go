package attempt_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// during runs look with the context that the transport gets for an attempt, and
// returns that context when the attempt is over.
func during(t *testing.T, ctx context.Context, look func(context.Context)) context.Context {
	t.Helper()
	var attempt context.Context
	tr := transport(func(req *http.Request) (*http.Response, error) {
		attempt = req.Context()
		look(attempt)
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
	})
	_, _ = newPipeline(tr, &sender{}).Do(newRequest(t, ctx, "GET", "https://acct", ""))
	return attempt
}

// ways are how transports wait for the end of a context.
var ways = map[string]func(context.Context) error{
	"done": func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	},
	"polling": func(ctx context.Context) error {
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return ctx.Err()
	},
	"a cancellable child": func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	},
	"a child with a longer deadline": func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	},
	"a child with a value": func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(context.WithValue(ctx, requestID{}, "1"))
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	},
	"a function to call": func(ctx context.Context) error {
		called := make(chan error)
		context.AfterFunc(ctx, func() { called <- ctx.Err() })
		return <-called
	},
}

var errSibling = errors.New("a sibling failed")

// ends are what ends the context of an attempt.
var ends = map[string]struct {
	caller func(context.Context) (context.Context, context.CancelFunc)
	after  time.Duration
	want   error
	cause  error
}{
	"the attempt's clock": {context.WithCancel, 6 * time.Second, context.DeadlineExceeded, nil},
	"the caller's deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, 2*time.Second)
	}, 2 * time.Second, context.DeadlineExceeded, context.DeadlineExceeded},
	"the caller's cancellation": {func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(3*time.Second, func() { cancel(errSibling) })
		return ctx, func() { cancel(nil) }
	}, 3 * time.Second, context.Canceled, errSibling},
}

// TestAttemptContextsEndOnTime: by the attempt's clock, the caller's deadline or
// the caller's cancellation, whichever is first, and however one waits for it.
func TestAttemptContextsEndOnTime(t *testing.T) {
	for name, end := range ends {
		for way, wait := range ways {
			t.Run(name+" by "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := end.caller(t.Context())
					defer cancel()
					start := time.Now()
					during(t, ctx, func(ctx context.Context) {
						err := wait(ctx)
						late := time.Since(start) - end.after // by at most one look
						if !errors.Is(err, end.want) || late < 0 || late > time.Millisecond {
							t.Errorf("%v after %v, want %v after %v", err, time.Since(start), end.want, end.after)
						}
						if cause := context.Cause(ctx); end.cause != nil && cause != end.cause {
							t.Errorf("the cause is %v, want %v", cause, end.cause)
						}
						if err := ctx.Err(); err != end.want {
							t.Errorf("and then %v", err)
						}
					})
				})
			})
		}
	}
}

// TestAttemptContextsEndWithTheAttempt: what still waits for the context of an
// attempt that is over is let go, what begins to wait later too.
func TestAttemptContextsEndWithTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for way, wait := range ways {
			var group sync.WaitGroup
			start := time.Now()
			ctx := during(t, t.Context(), func(ctx context.Context) {
				group.Go(func() { _ = wait(ctx) })
				synctest.Wait()
			})
			group.Wait()
			if err := wait(ctx); err == nil || time.Since(start) > time.Millisecond {
				t.Errorf("%s: %v after %v", way, err, time.Since(start))
			}
		}
	})
}

// TestAttemptContextsAreSafeForConcurrentUse is for the race detector.
func TestAttemptContextsAreSafeForConcurrentUse(t *testing.T) {
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		use := func(attempt context.Context) {
			for range 4 {
				group.Go(func() {
					child, stop := context.WithTimeout(attempt, time.Minute)
					defer stop()
					forget := context.AfterFunc(attempt, func() {})
					_, _ = attempt.Deadline()
					_ = attempt.Err()
					forget()
					<-child.Done()
				})
			}
			group.Go(cancel)
		}
		use(during(t, ctx, use))
		group.Wait()
	}
}

// TestStoppedFunctionsAreNotCalled: a transport that is done with the context
// takes back what it asked for.
func TestStoppedFunctionsAreNotCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called := false
		during(t, t.Context(), func(ctx context.Context) {
			stop := context.AfterFunc(ctx, func() { called = true })
			if !stop() || stop() {
				t.Error("stop does not say whether it stopped the function")
			}
		})
		synctest.Wait()
		if called {
			t.Error("called all the same")
		}
	})
}
