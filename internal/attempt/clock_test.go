package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// silence never answers.
var silence = transport(func(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, context.Cause(req.Context())
})

// call stands at the outside of a pipeline, as the front door's policy does.
type call struct{}

// Do implements [policy.Policy].
func (call) Do(req *policy.Request) (*http.Response, error) {
	s := attempt.Begin(req, new(attempt.Shared))
	s.CalledWith(req.Raw().Context())
	return s.Settle(req.Next())
}

// newCall is a pipeline with the outermost policy, and a time-out of azcore's.
func newCall(tr policy.Transporter, tryTimeout time.Duration, perRetry ...policy.Policy) runtime.Pipeline {
	return runtime.NewPipeline("test", "v1", runtime.PipelineOptions{PerCall: []policy.Policy{call{}}, PerRetry: perRetry},
		&policy.ClientOptions{Transport: tr, Retry: policy.RetryOptions{MaxRetries: -1, TryTimeout: tryTimeout}})
}

// timedRequests are requests of each kind, and the time for one attempt.
var timedRequests = []struct {
	name, method, path string
	header             map[string]string
	want               time.Duration
}{
	{"read of an item", "GET", "/dbs/d/colls/c/docs/i", map[string]string{"x-ms-documentdb-partitionkey": "[1]"}, 6 * time.Second},
	{"write of an item", "PUT", "/dbs/d/colls/c/docs/i", map[string]string{"x-ms-documentdb-partitionkey": "[1]"}, 6 * time.Second},
	{"stored procedure", "POST", "/dbs/d/colls/c/sprocs/s", nil, 6 * time.Second},
	{"query", "POST", "/dbs/d/colls/c/docs", map[string]string{"x-ms-documentdb-query": "True"}, 65 * time.Second},
	{"batch", "POST", "/dbs/d/colls/c/docs", map[string]string{"x-ms-cosmos-is-batch-request": "True"}, 65 * time.Second},
	{"feed", "GET", "/dbs/d/colls/c/docs", nil, 65 * time.Second},
	{"container", "GET", "/dbs/d/colls/c", nil, 65 * time.Second},
	{"account", "GET", "/", nil, 5 * time.Second},
}

func TestEachAttemptHasItsTime(t *testing.T) {
	for _, c := range timedRequests {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req, err := runtime.NewRequest(t.Context(), c.method, "https://acct.documents.azure.com"+c.path)
				if err != nil {
					t.Fatal(err)
				}
				for k, v := range c.header {
					req.Raw().Header.Set(k, v)
				}
				p := &sender{attempts: 3}
				start := time.Now()
				_, err = newPipeline(silence, p).Do(req)
				if took := time.Since(start); took != 3*c.want {
					t.Errorf("3 attempts took %v, want %v", took, 3*c.want)
				}
				for i, a := range p.ended {
					if a.Outcome().Class != attempt.TimedOut || !a.Outcome().Silent || a.Duration != c.want || err == nil {
						t.Errorf("attempt %d: %+v after %v, %v", i, a.Outcome(), a.Duration, err)
					}
					if want := fmt.Sprintf("no answer within the attempt time-out of %v", c.want); a.Err.Error() != want {
						t.Errorf("attempt %d: %v, want %v", i, a.Err, want)
					}
				}
			})
		})
	}
}

// TestClocksAreCutToTheDeadline: no attempt outlives its caller, with time-outs
// or without.
func TestClocksAreCutToTheDeadline(t *testing.T) {
	for _, timeout := range []time.Duration{-1, 0, time.Second, 2500 * time.Millisecond, time.Hour} {
		t.Run(timeout.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const deadline = 2500 * time.Millisecond
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				want := deadline
				if timeout > 0 && timeout < deadline {
					want = timeout
				}
				start := time.Now()
				seen := transport(func(req *http.Request) (*http.Response, error) {
					if at, ok := req.Context().Deadline(); !ok || !at.Equal(start.Add(want)) {
						t.Errorf("the transport sees the deadline %v, want %v", at.Sub(start), want)
					}
					return silence(req)
				})
				p := &sender{timeouts: attempt.Timeouts{Point: timeout}}
				_, err := newPipeline(seen, p).Do(newRequest(t, ctx, "GET", "https://acct", ""))
				if took := time.Since(start); took != want || err == nil {
					t.Errorf("took %v, want %v; %v", took, want, err)
				}
			})
		})
	}
}

// TestClocksWithoutABoundWaitForTheCaller: negative means no bound.
func TestClocksWithoutABoundWaitForTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(24*time.Hour, cancel)
		p := &sender{timeouts: attempt.Timeouts{Point: -1}}
		start := time.Now()
		_, err := newPipeline(silence, p).Do(newRequest(t, ctx, "GET", "https://acct", ""))
		if took := time.Since(start); took != 24*time.Hour || !errors.Is(err, context.Canceled) {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// TestTryTimeoutBoundsEachAttempt: azcore's TryTimeout takes the place of the
// clocks of the attempts, rather than span all of them.
func TestTryTimeoutBoundsEachAttempt(t *testing.T) {
	for _, tryTimeout := range []time.Duration{10 * time.Millisecond, 3 * time.Second, 20 * time.Second} {
		for _, deadline := range []time.Duration{0, time.Hour} {
			t.Run(fmt.Sprint(tryTimeout, " of ", deadline), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx := t.Context()
					if deadline > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, deadline)
						defer cancel()
					}
					p := &sender{attempts: 3}
					start := time.Now()
					_, _ = newCall(silence, tryTimeout, p).Do(newRequest(t, ctx, "GET", "https://acct", ""))
					if took := time.Since(start); took != 3*tryTimeout {
						t.Errorf("3 attempts took %v, want %v", took, 3*tryTimeout)
					}
					for i, a := range p.ended {
						if a.Outcome().Class != attempt.TimedOut || a.Duration != tryTimeout {
							t.Errorf("attempt %d: %+v after %v", i, a.Outcome(), a.Duration)
						}
					}
				})
			})
		}
	}
}

type requestID struct{}

// setID is a policy of somebody else's that says in the context whose attempt it is.
type setID struct{}

// Do implements [policy.Policy].
func (setID) Do(req *policy.Request) (*http.Response, error) {
	return req.WithContext(context.WithValue(req.Raw().Context(), requestID{}, "attempt")).Next()
}

// TestAttemptsKeepTheValuesOfTheContext: those that policies outside have set
// count before the caller's, with a TryTimeout and without.
func TestAttemptsKeepTheValuesOfTheContext(t *testing.T) {
	for _, tryTimeout := range []time.Duration{0, time.Minute} {
		var seen []any
		tr := transport(func(req *http.Request) (*http.Response, error) {
			seen = append(seen, req.Context().Value(requestID{}))
			return nil, errors.New("broken")
		})
		ctx := context.WithValue(t.Context(), requestID{}, "caller")
		p := &sender{attempts: 2}
		_, _ = newCall(tr, tryTimeout, setID{}, p).Do(newRequest(t, ctx, "GET", "https://acct", ""))
		if len(seen) != 2 || seen[0] != "attempt" || seen[1] != "attempt" {
			t.Errorf("with a TryTimeout of %v, the transport sees %v", tryTimeout, seen)
		}
	}
}
