package attempt_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// transport is a function in the place of a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) Do(req *http.Request) (*http.Response, error) { return f(req) }

// sender is the least policy that sends attempts: one, or as many as it is told.
type sender struct {
	timeouts attempt.Timeouts
	attempts int
	forget   bool // keep no list of attempts

	mu    sync.Mutex
	ended []attempt.Attempt
}

// Do implements [policy.Policy].
func (p *sender) Do(req *policy.Request) (resp *http.Response, err error) {
	s := attempt.Enter(req)
	defer s.Leave()
	p.timeouts.SetDefaults()
	for range max(p.attempts, 1) {
		runtime.Drain(resp)
		resp, err = s.Send(req, &p.timeouts, nil)
	}
	if p.forget {
		return resp, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = append(p.ended, s.Attempts()...)
	return resp, err
}

// last is how the latest attempt ended.
func (p *sender) last(t *testing.T) attempt.Attempt {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ended) == 0 {
		t.Fatal("no attempt ended")
	}
	return p.ended[len(p.ended)-1]
}

// newPipeline is azcore's pipeline around the policies, without retries of its own.
func newPipeline(tr policy.Transporter, perRetry ...policy.Policy) runtime.Pipeline {
	return runtime.NewPipeline("test", "v1", runtime.PipelineOptions{PerRetry: perRetry},
		&policy.ClientOptions{Transport: tr, Retry: policy.RetryOptions{MaxRetries: -1}})
}

const itemPath = "/dbs/d/colls/c/docs/i"

// newRequest is a request for an item, or with its body a write of it.
func newRequest(t testing.TB, ctx context.Context, method, endpoint, body string) *policy.Request {
	t.Helper()
	req, err := runtime.NewRequest(ctx, method, strings.TrimSuffix(endpoint, "/")+itemPath)
	if err != nil {
		t.Fatal(err)
	}
	req.Raw().Header.Set("x-ms-documentdb-partitionkey", `["p"]`)
	if body != "" {
		if err := req.SetBody(streaming.NopCloser(strings.NewReader(body)), "application/json"); err != nil {
			t.Fatal(err)
		}
	}
	return req
}

// patience is longer than anything on a loopback takes; it bounds a test that
// fails, and is never waited for by one that passes.
const patience = 20 * time.Second
