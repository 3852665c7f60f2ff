package simulation

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// client is the real thing: the policies in a pipeline.
type client struct {
	*service
	cache    *regioncache.Cache
	pipeline runtime.Pipeline
	keys     int // per partition
}

func newClient(t *testing.T, s *service, document []byte, breaker bool, keys int) *client {
	c := &client{service: s, keys: keys}
	var err error
	c.cache, err = regioncache.New("https://acct.documents.azure.com:443/", &regioncache.Options{
		Account: func(context.Context, string) ([]byte, error) { return document, nil },
		Breaker: regioncache.BreakerOptions{Disabled: !breaker},
		Logger:  slog.New(slog.DiscardHandler),
	})
	must(t, err)
	must(t, c.cache.Learn(document, time.Now()))
	f, err := failover.New(c.cache, nil)
	must(t, err)
	n, err := session.New(c.cache, nil)
	must(t, err)
	th, err := throttle.New(nil)
	must(t, err)
	c.pipeline = runtime.NewPipeline("simulation", "v1", runtime.PipelineOptions{PerRetry: []policy.Policy{f, n, th}},
		&policy.ClientOptions{Transport: s, Retry: policy.RetryOptions{MaxRetries: -1}, Telemetry: policy.TelemetryOptions{Disabled: true}})
	return c
}

func must(t *testing.T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// run sends the operations of a partition until the end.
func (c *client) run(p int, seed uint64, wg *sync.WaitGroup) {
	random := rand.New(rand.NewPCG(seed, uint64(p)))
	for k := range min(c.keys, 50) {
		c.do(&operation{partition: p}, k, 0) // the client has been at work for a while
	}
	next := time.Duration(random.Int64N(int64(dense)))
	for next < c.end {
		time.Sleep(next - c.now())
		gap := min(c.gap(p, c.watch.away(p), next), c.end-next)
		op := &operation{partition: p, write: random.IntN(5) == 0, began: c.now()}
		if c.noise(op, random.IntN(1000)); op.noise != none {
			op.noisy = true
		}
		key, weight := random.IntN(c.keys), float64(gap)/float64(dense)
		if c.hangs(p, next) {
			wg.Go(func() { c.do(op, key, weight) })
		} else {
			c.do(op, key, weight)
		}
		next += gap
	}
}

// noise spoils a request now and then.
func (c *client) noise(op *operation, chance int) {
	switch {
	case chance == 0:
		op.noise = throttled
	case chance == 1 && !op.write && c.wellSince(op.partition, op.began-calm, op.began):
		op.noise = behind
	}
}

// do sends one operation, which stands for as many as its weight says.
func (c *client) do(op *operation, key int, weight float64) {
	ctx := context.WithValue(context.Background(), operationKey{}, op)
	method, url := http.MethodGet, "https://"+hosts[hub]+"/dbs/d/colls/c/docs/1"
	if op.write {
		method = http.MethodPut
	}
	req, err := runtime.NewRequest(ctx, method, url)
	if err != nil {
		panic(err)
	}
	req.Raw().Header["X-Ms-Documentdb-Partitionkey"] = []string{`["` + strconv.Itoa(op.partition) + "." + strconv.Itoa(key) + `"]`}
	if op.write {
		err = req.SetBody(streaming.NopCloser(strings.NewReader(`{"id": "1"}`)), "application/json")
		if err != nil {
			panic(err)
		}
	}
	resp, err := c.pipeline.Do(req)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
	}
	c.watch.done(op, err == nil && resp.StatusCode == http.StatusOK, weight, c.now())
}
