package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/policies/throttle"
)

// answer is one step of a script: what the service says, and when it must be
// asked for it.
type answer struct {
	at     time.Duration
	status int
	header string // "name: value"
}

// script is a service that gives its answers in order.
type script struct {
	t       *testing.T
	start   time.Time
	answers []answer
	asked   int
	last    *http.Request
}

func (s *script) Do(req *http.Request) (*http.Response, error) {
	if s.asked == len(s.answers) {
		s.t.Fatalf("request %d at +%v: the script has no answer for it", s.asked+1, time.Since(s.start))
	}
	a := s.answers[s.asked]
	s.asked++
	s.last = req
	if at := time.Since(s.start); at != a.at {
		s.t.Errorf("request %d came at +%v, want +%v", s.asked, at, a.at)
	}
	header := http.Header{}
	if name, value, ok := strings.Cut(a.header, ": "); ok {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: a.status, Status: fmt.Sprint(a.status), Header: header, Body: http.NoBody, Request: req}, nil
}

// run sends one point read through azcore's pipeline with the policy in it.
func run(t *testing.T, ctx context.Context, o *throttle.Options, answers ...answer) (*http.Response, *script, error) {
	t.Helper()
	p, err := throttle.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, start: time.Now(), answers: answers}
	pipeline := runtime.NewPipeline("test", "v0", runtime.PipelineOptions{}, &policy.ClientOptions{
		Transport: s, PerRetryPolicies: []policy.Policy{p},
	})
	req, err := runtime.NewRequest(ctx, http.MethodGet, "https://acct.documents.azure.com/dbs/d/colls/c/docs/i")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := pipeline.Do(req)
	if s.asked != len(answers) {
		t.Errorf("got %d requests, want %d", s.asked, len(answers))
	}
	return resp, s, err
}

func TestWaitsWhatTheServiceSays(t *testing.T) {
	tests := []struct {
		name    string
		answers []answer
		status  int
	}{
		{"milliseconds", []answer{{0, 429, "x-ms-retry-after-ms: 150"}, {150 * time.Millisecond, 200, ""}}, 200},
		{"plain milliseconds", []answer{{0, 429, "retry-after-ms: 150"}, {150 * time.Millisecond, 200, ""}}, 200},
		{"seconds", []answer{{0, 429, "Retry-After: 2"}, {2 * time.Second, 200, ""}}, 200},
		{"a date", []answer{{0, 429, "Retry-After: Sat, 01 Jan 2000 00:00:07 GMT"}, {7 * time.Second, 200, ""}}, 200},
		{"now", []answer{{0, 429, "x-ms-retry-after-ms: 0"}, {0, 429, "x-ms-retry-after-ms: 0"}, {0, 200, ""}}, 200},
		{"each time anew", []answer{{0, 429, "x-ms-retry-after-ms: 10"}, {10 * time.Millisecond, 429, "Retry-After: 1"}, {1010 * time.Millisecond, 404, ""}}, 404},
		{"longer than an attempt may take", []answer{{0, 429, "Retry-After: 20"}, {20 * time.Second, 200, ""}}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				resp, _, err := run(t, t.Context(), nil, tt.answers...)
				if err != nil || resp.StatusCode != tt.status {
					t.Errorf("got %v, %v, want %d", resp, err, tt.status)
				}
			})
		})
	}
}

func TestSurfacesOnceAndTellsWhenToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, err := run(t, t.Context(), nil, answer{0, 429, "Retry-After: 31"})
		respErr, ok := errors.AsType[*azcore.ResponseError](err)
		if !ok || respErr.StatusCode != http.StatusTooManyRequests || respErr.RawResponse.Header.Get("Retry-After") != "31" {
			t.Fatalf("got %v, want the 429 with its headers", err)
		}
		type comeBack interface {
			error
			RetryAfter() time.Duration
			Transient() bool
		}
		e, ok := errors.AsType[comeBack](err)
		if !ok || e.RetryAfter() != 31*time.Second || !e.Transient() {
			t.Errorf("got %v, want a transient error that says to come back in 31 s", err)
		}
	})
}

func TestNeverWaitsPastTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		_, _, err := run(t, ctx, nil, answer{0, 429, "Retry-After: 2"}, answer{2 * time.Second, 429, "Retry-After: 2"})
		if respErr, ok := errors.AsType[*azcore.ResponseError](err); !ok || respErr.StatusCode != 429 {
			t.Errorf("got %v, want the 429", err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %v, want 2s: the second wait cannot end in time", took)
		}
	})
}

func TestCancellationEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, _, err := run(t, ctx, nil, answer{0, 429, "Retry-After: 25"})
		if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v, want context.Canceled after 1s", err, time.Since(start))
		}
	})
}

func TestOwns449(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s, _ := run(t, t.Context(), nil, answer{0, 200, ""})
		if got := s.last.Header.Get("x-ms-noretry-449"); got != "true" {
			t.Errorf("x-ms-noretry-449 is %q, want true: else the gateway would retry too", got)
		}
	})
}

func TestOptionsAreCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &throttle.Options{MaxRetries: 1}
		p, err := throttle.New(o)
		if err != nil {
			t.Fatal(err)
		}
		o.MaxRetries = 9
		s := &script{t: t, start: time.Now(), answers: []answer{{0, 429, "Retry-After: 1"}, {time.Second, 429, ""}}}
		pipeline := runtime.NewPipeline("test", "v0", runtime.PipelineOptions{}, &policy.ClientOptions{
			Transport: s, PerRetryPolicies: []policy.Policy{p},
		})
		req, err := runtime.NewRequest(t.Context(), http.MethodGet, "https://acct.documents.azure.com/dbs/d/colls/c/docs/i")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pipeline.Do(req); err == nil {
			t.Error("got a success, want the 429")
		}
	})
}
