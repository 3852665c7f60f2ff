package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// deaf is a transport that does not look at contexts: its answer comes when it
// comes.
func deaf(took time.Duration, status int) transport {
	return func(req *http.Request) (*http.Response, error) {
		time.Sleep(took)
		return &http.Response{
			Status: http.StatusText(status), StatusCode: status, Header: http.Header{"X-Ms-Request-Charge": {"1"}},
			Body: io.NopCloser(strings.NewReader(`{"id":"i"}`)), Request: req,
		}, nil
	}
}

// TestAnswersThatArriveAreNotThrownAway: azcore replaces an answer by the
// context's error when the context ended meanwhile. The write was executed, and
// its caller must learn it.
func TestAnswersThatArriveAreNotThrownAway(t *testing.T) {
	for _, status := range []int{200, 201, 204, 304, 404, 409, 412} {
		for _, late := range []time.Duration{0, 1, time.Millisecond, time.Second} {
			for name, end := range map[string]func(context.Context, time.Duration) (context.Context, context.CancelFunc){
				"deadline": context.WithTimeout,
				"cancellation": func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
					ctx, cancel := context.WithCancel(ctx)
					time.AfterFunc(d, cancel)
					return ctx, cancel
				},
			} {
				t.Run(fmt.Sprint(status, " ", late, " after the ", name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						ctx, cancel := end(t.Context(), 2*time.Second)
						defer cancel()
						resp, err := newCall(deaf(2*time.Second+late, status), 0, &sender{}).Do(newRequest(t, ctx, "POST", "https://acct", `{}`))
						if err != nil || resp.StatusCode != status || resp.Header.Get("x-ms-request-charge") != "1" {
							t.Fatalf("got %v, %v", resp, err)
						}
						if body, err := io.ReadAll(resp.Body); string(body) != `{"id":"i"}` || err != nil {
							t.Errorf("the body is %q, %v", body, err)
						}
					})
				})
			}
		}
	}
}

// TestDeadlinesEndAs408: in one form, whoever notices first, and also when the
// deadline was over before.
func TestDeadlinesEndAs408(t *testing.T) {
	for _, deadline := range []time.Duration{-time.Hour, 0, 1, 1500 * time.Millisecond} {
		for _, tryTimeout := range []time.Duration{0, time.Second, time.Hour} {
			t.Run(fmt.Sprint(deadline, " with ", tryTimeout), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), deadline)
					defer cancel()
					start := time.Now()
					resp, err := newCall(silence, tryTimeout, policyFunc((&script{steps: make([]step, 100)}).policy)).Do(newRequest(t, ctx, "GET", "https://acct", ""))
					if took := time.Since(start); took != max(deadline, 0) {
						t.Errorf("took %v", took)
					}
					check408(t, resp, err)
				})
			})
		}
	}
}

func check408(t *testing.T, resp *http.Response, err error) {
	t.Helper()
	answer, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok || resp != nil || answer.StatusCode != 408 || answer.RawResponse.Header.Get("x-ms-substatus") != "20008" {
		t.Fatalf("got %v, %v, want 408/20008", resp, err)
	}
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("%v is no deadline", err)
	}
	if e := gaveUp(t, err); !e.Transient() {
		t.Error("not transient")
	}
	body, readErr := io.ReadAll(answer.RawResponse.Body)
	if readErr != nil || !strings.Contains(string(body), "CLIENT_OPERATION_TIMEOUT") || int64(len(body)) != answer.RawResponse.ContentLength {
		t.Errorf("the body is %q, %v", body, readErr)
	}
	_ = answer.Error() // prints the request, which must be there
}

// TestCancellationsStayCancellations: errors.Is finds the context's own error,
// and nothing looks like an answer of the service.
func TestCancellationsStayCancellations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, after := range []time.Duration{0, time.Second} {
			ctx, cancel := context.WithCancel(t.Context())
			if after == 0 {
				cancel()
			}
			time.AfterFunc(after, cancel)
			p := &sender{}
			start := time.Now()
			_, err := newCall(silence, 0, p).Do(newRequest(t, ctx, "GET", "https://acct", ""))
			if err != context.Canceled || time.Since(start) != after {
				t.Errorf("got %T %v after %v", err, err, time.Since(start))
			}
		}
	})
}

// TestGivenUpIsGivenUp: a service error that the policies ended with survives a
// deadline that passes on the way up; a cancellation does not wait for it.
func TestGivenUpIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{giveUp: "enough", steps: []step{{region: "East US", took: time.Second, status: 503}}}
		dawdle := spy(func(error) { time.Sleep(2 * time.Second) })
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := newCall(transport(s.send), 0, dawdle, policyFunc(s.policy)).Do(newRequest(t, ctx, "GET", "https://acct", ""))
		if e := gaveUp(t, err); e.Reason() != "enough" || e.Attempts()[0].Status != 503 {
			t.Errorf("got %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		_, err = newCall(transport(s.send), 0, dawdle, policyFunc(s.policy)).Do(newRequest(t, ctx, "GET", "https://acct", ""))
		if err != context.Canceled {
			t.Errorf("got %v", err)
		}
	})
}

// TestOuterLayersCannotHideTheResult: whatever a layer between the policies and
// the caller puts in the place of their error, the caller gets it; a layer that
// adds to it is left alone.
func TestOuterLayersCannotHideTheResult(t *testing.T) {
	var own error
	layers := map[string]struct {
		change func(error) error
		want   func(error) bool
	}{
		"in place of it": {
			func(err error) error {
				return fmt.Errorf("%w: underlying transport error: %v", context.DeadlineExceeded, err)
			},
			func(err error) bool { return err == own },
		},
		"around it": {
			func(err error) error { return fmt.Errorf("in my program: %w", err) },
			func(err error) bool { return err != own && errors.Is(err, own) },
		},
	}
	for name, layer := range layers {
		t.Run(name, func(t *testing.T) {
			s := &script{giveUp: "enough", steps: []step{{region: "East US", status: 503}}}
			outer := policyFunc(func(req *policy.Request) (*http.Response, error) {
				_, own = req.Next()
				return nil, layer.change(own)
			})
			_, err := newCall(transport(s.send), 0, outer, policyFunc(s.policy)).Do(newRequest(t, t.Context(), "GET", "https://acct", ""))
			if !layer.want(err) || gaveUp(t, err).Reason() != "enough" {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestAnotherPassHasItsOwnEnd: what an earlier pass gave up is not the result of
// a later one.
func TestAnotherPassHasItsOwnEnd(t *testing.T) {
	refusal := errors.New("the second pass is not allowed")
	s := &script{giveUp: "enough", steps: []step{{region: "East US", status: 503}}}
	again := policyFunc(func(req *policy.Request) (*http.Response, error) {
		_, _ = req.Next()
		s.giveUp, s.steps[0].err = "", markedError{refusal}
		return req.Next()
	})
	_, err := newCall(transport(s.send), 0, again, policyFunc(s.policy)).Do(newRequest(t, t.Context(), "GET", "https://acct", ""))
	if !errors.Is(err, refusal) {
		t.Errorf("after another pass: got %v, want its own end", err)
	}
}

// TestEveryAttemptIsListed: those of inner policies too, with their clocks.
func TestEveryAttemptIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, outer := &sender{attempts: 2}, &sender{attempts: 3}
		_, _ = newCall(silence, 0, outer, inner).Do(newRequest(t, t.Context(), "GET", "https://acct", ""))
		if len(outer.ended) != 6 {
			t.Fatalf("%d attempts, want 6", len(outer.ended))
		}
		for i, a := range outer.ended {
			if a.Duration != 6*time.Second || a.Outcome().Class != attempt.TimedOut {
				t.Errorf("attempt %d: %+v", i, a)
			}
		}
	})
}
