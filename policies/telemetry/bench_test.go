package telemetry_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

var (
	plain = policies.Event{
		Kind: policies.EventCompleted, Operation: "read", Collection: "dbs/db/colls/c", Partition: "0", Region: "East US",
		Status: 200, Attempt: 1, Elapsed: 3 * time.Millisecond, Charge: 1,
	}
	failover = policies.Event{
		Kind: policies.EventFailover, Operation: "read", Collection: "dbs/db/colls/c", Partition: "0", Region: "East US", Target: "West US",
		Status: 503, Cause: policies.CauseServer, Attempt: 1, Elapsed: 3 * time.Millisecond, Reason: "server error",
	}
)

// BenchmarkObserve is the cost of one event: an operation that succeeds at once
// has one, Completed.
func BenchmarkObserve(b *testing.B) {
	for name, e := range map[string]policies.Event{"completed": plain, "failover": failover} {
		b.Run(name, func(b *testing.B) {
			observer, _ := newObserver(b, nil)
			b.ReportAllocs()
			for b.Loop() {
				observer.Observe(context.Background(), e)
			}
		})
	}
}

func BenchmarkObserveParallel(b *testing.B) {
	observer, _ := newObserver(b, nil)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			observer.Observe(context.Background(), plain)
		}
	})
}

// BenchmarkSpanEvent is the cost of an event that goes to a span, too.
func BenchmarkSpanEvent(b *testing.B) {
	tracer := trace.NewTracerProvider().Tracer("bench")
	observer, _ := newObserver(b, nil)
	ctx, span := tracer.Start(context.Background(), "read_item c")
	defer span.End()
	b.ReportAllocs()
	for b.Loop() {
		observer.Observe(ctx, failover)
	}
}

// BenchmarkRead is a read that succeeds at once through azcosmos and the
// policies, over a transport in memory, without and with the observer.
func BenchmarkRead(b *testing.B) {
	observer, _ := newObserver(b, nil)
	for _, side := range []struct {
		name      string
		observers []policies.Observer
	}{{"policies", nil}, {"telemetry", []policies.Observer{observer}}} {
		b.Run(side.name, func(b *testing.B) {
			container := benchClient(b, side.observers)
			b.ReportAllocs()
			for b.Loop() {
				if err := read(context.Background(), container); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchClient(b *testing.B, observers []policies.Observer) *azcosmos.ContainerClient {
	b.Helper()
	const endpoint = "https://acct.documents.azure.com:443/"
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: memory{}}}
	if _, err := policies.Install(options, endpoint, &policies.Options{Observers: observers}); err != nil {
		b.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		b.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(endpoint, cred, options)
	if err != nil {
		b.Fatal(err)
	}
	container, err := client.NewContainer("db", "c")
	if err != nil {
		b.Fatal(err)
	}
	return container
}

// memory answers every request with success.
type memory struct{}

func (memory) Do(req *http.Request) (*http.Response, error) {
	body := `{"id":"i","pk":"a"}`
	if req.URL.Path == "" || req.URL.Path == "/" {
		body = `{"id":"acct","writableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"}],` +
			`"readableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"}]}`
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: req, Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
		Header: http.Header{"Content-Type": {"application/json"}, "X-Ms-Request-Charge": {"1"}, "X-Ms-Documentdb-Partitionkeyrangeid": {"0"}},
	}, nil
}
