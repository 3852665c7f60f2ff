package regioncache_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// client sends reads through the failover policy to two regions.
type client struct {
	t          *testing.T
	cache      *regioncache.Cache
	pipeline   runtime.Pipeline
	east, west atomic.Int32 // requests
	// answer is what the first region does with a request; the second one is fine.
	answer func(*http.Request) (int, error)
	// before fails a request before it is sent, when it is not nil.
	before func() error
}

func newClient(t *testing.T) *client {
	cache, err := regioncache.New("https://acct.documents.azure.com:443/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := cache.Learn(documentOf("East US", "West US"), time.Now()); err != nil {
		t.Fatal(err)
	}
	c := clientOf(cache)
	c.t = t
	return c
}

func clientOf(cache *regioncache.Cache) *client {
	p, err := failover.New(cache, nil)
	if err != nil {
		panic(err)
	}
	c := &client{cache: cache, answer: answers(503)}
	c.pipeline = runtime.NewPipeline("test", "v1", runtime.PipelineOptions{PerRetry: []policy.Policy{p, inside{c}}},
		&policy.ClientOptions{Transport: c, Retry: policy.RetryOptions{MaxRetries: -1}})
	return c
}

// failReads has n reads fail in the first region.
func failReads(cache *regioncache.Cache, n int) {
	c := clientOf(cache)
	for range n {
		c.read(context.Background())
	}
}

func answers(status int) func(*http.Request) (int, error) {
	return func(*http.Request) (int, error) { return status, nil }
}

// inside is a policy between failover and the transport.
type inside struct{ *client }

func (p inside) Do(req *policy.Request) (*http.Response, error) {
	if p.before != nil {
		if err := p.before(); err != nil {
			return nil, err
		}
	}
	return req.Next()
}

// Do implements policy.Transporter.
func (c *client) Do(req *http.Request) (*http.Response, error) {
	status := http.StatusOK
	if strings.Contains(req.URL.Host, "eastus") {
		c.east.Add(1)
		var err error
		if status, err = c.answer(req); err != nil {
			return nil, err
		}
	} else {
		c.west.Add(1)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"X-Ms-Documentdb-Partitionkeyrangeid": {"0"}},
		Body: io.NopCloser(bytes.NewReader(nil)), Request: req,
	}, nil
}

// read reads an item, and returns the status of the answer.
func (c *client) read(ctx context.Context) (int, error) {
	req, err := runtime.NewRequest(ctx, http.MethodGet, "https://acct-eastus.documents.azure.com:443/dbs/d/colls/c/docs/1")
	if err != nil {
		return 0, err
	}
	req.Raw().Header.Set("x-ms-documentdb-partitionkey", `["a"]`)
	resp, err := c.pipeline.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, nil
}

// sick has reads until the breaker of the first region is open, and then waits
// until it may be probed.
func (c *client) sick() {
	c.t.Helper()
	for range 12 {
		if status, err := c.read(context.Background()); status != http.StatusOK {
			c.t.Fatalf("status %d, %v", status, err)
		}
	}
	if n := c.east.Load(); n != 10 {
		c.t.Fatalf("%d requests before the breaker opened: want 10", n)
	}
	time.Sleep(8 * time.Second)
	c.east.Store(0)
	c.west.Store(0)
}

func (c *client) sent(what string, east, west int32) {
	c.t.Helper()
	if e, w := c.east.Swap(0), c.west.Swap(0); e != east || w != west {
		c.t.Errorf("%s: %d requests to the first region and %d to the second, want %d and %d", what, e, w, east, west)
	}
}

// TestPolicyConcurrentSafe has 1,000 reads arrive together when a probe is due.
func TestPolicyConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t)
		c.sick()
		all := func() {
			var wg sync.WaitGroup
			for range 1000 {
				wg.Go(func() {
					if status, err := c.read(context.Background()); status != http.StatusOK {
						t.Errorf("status %d, %v", status, err)
					}
				})
			}
			wg.Wait()
		}
		c.answer = func(*http.Request) (int, error) { time.Sleep(time.Second); return 503, nil }
		all()
		c.sent("while a probe fails", 1, 1000)
		time.Sleep(8 * time.Second)
		c.answer = func(*http.Request) (int, error) { time.Sleep(time.Second); return 200, nil }
		all()
		c.sent("while a probe succeeds", 1, 999)
		all()
		c.sent("after it has", 1000, 0)
	})
}

// probeEnd is how the request that probes ends, and what follows: the breaker
// is closed, waits again, or still needs a probe.
type probeEnd struct {
	answer func(*http.Request) (int, error)
	before func() error
	then   string
}

var probeEnds = map[string]probeEnd{
	"a success":                 {answers(200), nil, "closed"},
	"not found":                 {answers(404), nil, "closed"},
	"a conflict":                {answers(409), nil, "closed"},
	"throttled":                 {answers(429), nil, "closed"},
	"no access":                 {answers(403), nil, "closed"},
	"a failure":                 {answers(503), nil, "waiting"},
	"a time-out of the service": {answers(408), nil, "waiting"},
	"gone":                      {answers(410), nil, "waiting"},
	"a broken connection":       {func(*http.Request) (int, error) { return 0, io.ErrUnexpectedEOF }, nil, "waiting"},
	"no answer in six seconds":  {answerNever, nil, "waiting"},
	"a cancellation":            {answerNever, nil, "due"},
	"a panic":                   {func(*http.Request) (int, error) { panic("transport") }, nil, "due"},
	"a refusal inside":          {answers(200), func() error { return nonRetriable{errors.New("no token")} }, "due"},
}

func TestPolicyProbeEnds(t *testing.T) {
	for name, end := range probeEnds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t)
				c.sick()
				c.answer, c.before = end.answer, end.before
				probeOnce(c, name == "a cancellation")
				if open := len(c.cache.Unhealthy()) > 0; open == (end.then == "closed") {
					t.Errorf("open: %t", open)
				}
				c.answer, c.before = answers(200), nil
				if status, err := c.read(context.Background()); status != http.StatusOK {
					t.Fatalf("then: status %d, %v", status, err)
				}
				if end.then == "waiting" {
					c.sent("then", 0, 1)
				} else {
					c.sent("then", 1, 0)
				}
			})
		})
	}
}

type nonRetriable struct{ error }

func (nonRetriable) NonRetriable() {}

func answerNever(req *http.Request) (int, error) {
	<-req.Context().Done()
	return 0, req.Context().Err()
}

// probeOnce sends one read, and forgets how many requests it took.
func probeOnce(c *client, cancelled bool) {
	defer func() {
		recover()
		c.east.Store(0)
		c.west.Store(0)
	}()
	ctx := context.Background()
	if cancelled {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel)
	}
	c.read(ctx)
}

// TestPolicyLeavesSickRegionAlone has traffic on a partition that is sick for an hour.
func TestPolicyLeavesSickRegionAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t)
		c.sick()
		for range 36_000 {
			if status, err := c.read(context.Background()); status != http.StatusOK {
				t.Fatalf("status %d, %v", status, err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := c.east.Load(); n < 3600*10/80 || n > 3600/5 {
			t.Errorf("%d requests in an hour: want one in 5 to 7.5 s", n)
		}
	})
}
