package compat_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// orders are all the ways to put some of the three policies into a pipeline.
var orders = []string{
	"f", "s", "t", "fs", "sf", "ft", "tf", "st", "ts", "fst", "fts", "sft", "stf", "tfs", "tsf",
}

// ordered is a client with the policies in this order, and no other.
func ordered(t *testing.T, acct *cosmostest.Account, order string) *azcosmos.ContainerClient {
	t.Helper()
	cache, err := regioncache.New(acct.Endpoint(), nil)
	noError(t, err)
	o := client{retry: policy.RetryOptions{MaxRetries: -1}}.options(acct)
	for _, name := range order {
		var p policy.Policy
		switch name {
		case 'f':
			p, err = failover.New(cache, nil)
		case 's':
			p, err = session.New(cache, nil)
		case 't':
			p, err = throttle.New(nil)
		}
		noError(t, err)
		o.PerRetryPolicies = append(o.PerRetryPolicies, p)
	}
	cl, err := azcosmos.NewClientWithKey(acct.Endpoint(), newKey(t), o)
	noError(t, err)
	c, err := cl.NewContainer("db", "c")
	noError(t, err)
	return c
}

// TestClocksCoverOneSend: the clock of an attempt, 6 s for a read, is on nobody's
// waits, in whatever order the policies stand.
func TestClocksCoverOneSend(t *testing.T) {
	for _, order := range orders {
		t.Run(order, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := newAccount(t, nil)
				c := ordered(t, acct, order)
				warmUp(t, acct, c)
				slow := cosmostest.Fault{Region: "*", Delay: 5 * time.Second, Times: 1}
				faults := []cosmostest.Fault{slow}
				want := 5 * time.Second
				if has(order, 't') {
					throttled := cosmostest.Fault{Region: "*", Status: 429, Times: 2, Delay: 5 * time.Second, Header: http.Header{"Retry-After": {"10"}}}
					faults, want = append([]cosmostest.Fault{throttled}, slow), 3*5*time.Second+2*10*time.Second
				}
				if has(order, 's') {
					behind := cosmostest.Fault{Region: "*", Status: 404, SubStatus: 1002, Times: 2, Delay: 5 * time.Second}
					faults, want = append([]cosmostest.Fault{behind}, faults...), want+2*5*time.Second
				}
				if has(order, 'f') {
					failing := cosmostest.Fault{Region: "*", Status: 503, Times: 2, Delay: 5 * time.Second}
					faults, want = append([]cosmostest.Fault{failing}, faults...), want+2*5*time.Second
				}
				acct.SetFaults(faults...)
				start := time.Now()
				noError(t, read(t.Context(), c))
				if took := time.Since(start); took != want {
					t.Errorf("took %v, want %v", took, want)
				}
			})
		})
	}
}

func has(order string, name rune) bool {
	for _, r := range order {
		if r == name {
			return true
		}
	}
	return false
}

// TestClocksEndSilence: each attempt in a silent region ends on time, in
// whatever order the policies stand. Who tries again is failover's business;
// without it, azcosmos does as its version does, a second after each attempt.
func TestClocksEndSilence(t *testing.T) {
	for _, order := range orders {
		t.Run(order, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := newAccount(t, nil)
				c := ordered(t, acct, order)
				warmUp(t, acct, c)
				acct.SetFaults(broken(cosmostest.Blackhole))
				start := time.Now()
				err := read(t.Context(), c)
				took, requests := time.Since(start), len(visits(acct))
				waits := took - time.Duration(requests)*6*time.Second
				if waits < 0 || waits > time.Duration(requests-1)*time.Second || err == nil {
					t.Errorf("%d requests took %v: %v", requests, took, err)
				}
				if has(order, 'f') && (requests != 4 || waits != 0) {
					t.Errorf("%d requests and %v of waits, want 4 without a wait", requests, waits)
				}
			})
		})
	}
}

// TestTryTimeoutIsPerAttempt: azcore's TryTimeout bounds each attempt, and the
// operation goes on behind it.
func TestTryTimeoutIsPerAttempt(t *testing.T) {
	for _, deadline := range []time.Duration{0, 10 * time.Second} {
		for _, perCall := range []bool{false, true} {
			t.Run(fmt.Sprint(deadline, " ", perCall), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					acct := newAccount(t, nil)
					ctx, retry := t.Context(), policy.RetryOptions{TryTimeout: 300 * time.Millisecond}
					if deadline > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, deadline)
						defer cancel()
					}
					if perCall {
						ctx, retry = policy.WithRetryOptions(ctx, retry), policy.RetryOptions{}
					}
					c := client{retry: retry}.container(t, acct)
					warmUp(t, acct, c)
					acct.SetFaults(cosmostest.Fault{Region: "*", Transport: cosmostest.Blackhole, Times: 2})
					start := time.Now()
					noError(t, read(ctx, c))
					if took := time.Since(start); took != 600*time.Millisecond {
						t.Errorf("took %v, want twice the TryTimeout", took)
					}
					wantVisits(t, acct, east, west, north)
				})
			})
		}
	}
}

// TestNobodySleepsPastTheDeadline: a wait that cannot end in time is not begun,
// and the service's own answer is the result.
func TestNobodySleepsPastTheDeadline(t *testing.T) {
	for name, c := range map[string]struct {
		fault      cosmostest.Fault
		deadline   time.Duration
		took       time.Duration
		status     int
		retryAfter time.Duration
	}{
		"429 that says when":          {cosmostest.Fault{Status: 429, Header: http.Header{"Retry-After": {"10"}}}, 5 * time.Second, 0, 429, 10 * time.Second},
		"429 that says when, exactly": {cosmostest.Fault{Status: 429, Header: http.Header{"Retry-After": {"5"}}}, 5 * time.Second, 0, 429, 5 * time.Second},
		"403/1008":                    {cosmostest.Fault{Status: 403, SubStatus: 1008}, 500 * time.Millisecond, 0, 403, 0},
		"403/1008, later":             {cosmostest.Fault{Status: 403, SubStatus: 1008}, 2500 * time.Millisecond, 2 * time.Second, 403, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := newAccount(t, nil)
				cl := client{}.container(t, acct)
				warmUp(t, acct, cl)
				acct.SetFaults(always(c.fault))
				ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
				defer cancel()
				start := time.Now()
				err := read(ctx, cl)
				answer, ok := errors.AsType[*azcore.ResponseError](err)
				if took := time.Since(start); took != c.took || !ok || answer.StatusCode != c.status || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v after %v", err, took)
				}
				if e, ok := errors.AsType[*policies.Error](err); !ok || e.RetryAfter() != c.retryAfter || !e.Transient() {
					t.Errorf("got %v, want the policies' error and %v", err, c.retryAfter)
				}
			})
		})
	}
}

// TestDeadlinesAre408: for the caller of every kind of operation, whichever
// deadline it was.
func TestDeadlinesAre408(t *testing.T) {
	for name, do := range operations {
		for _, own := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				acct := newAccount(t, nil)
				settings := new(policies.Settings)
				ctx := t.Context()
				if own {
					settings.OperationTimeout = policies.Duration(7 * time.Second)
				} else {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, 7*time.Second)
					defer cancel()
				}
				c := client{settings: settings}.container(t, acct)
				warmUp(t, acct, c)
				acct.SetFaults(broken(cosmostest.Blackhole))
				start := time.Now()
				err := do(ctx, c)
				answer, ok := errors.AsType[*azcore.ResponseError](err)
				if !ok || answer.StatusCode != 408 || answer.RawResponse.Header.Get("x-ms-substatus") != "20008" ||
					!errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 7*time.Second {
					t.Errorf("%s: got %v after %v", name, err, time.Since(start))
				}
			})
		}
	}
}
