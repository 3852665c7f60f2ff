package telemetry_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/tracing/azotel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

// spansOf runs two reads, the second of which meets trouble, and returns the
// spans that azcosmos made of the calls.
func spansOf(t *testing.T, o *telemetry.Options) []tracetest.SpanStub {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	spans := trace.NewTracerProvider(trace.WithSyncer(exporter))
	account := newAccount(t)
	observer, _ := newObserver(t, o)
	container, _ := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}}, azotel.NewTracingProvider(spans, nil))
	if err := read(t.Context(), container); err != nil {
		t.Fatal(err)
	}
	account.SetFaults(
		cosmostest.Fault{Region: "East US", Status: 410, SubStatus: 1022, Times: 1},
		throttled("West US", "50", 1),
	)
	if err := read(t.Context(), container); err != nil {
		t.Fatal(err)
	}
	calls := slices.DeleteFunc(exporter.GetSpans(), func(s tracetest.SpanStub) bool { return s.Name != "read_item c" })
	if len(calls) != 2 {
		t.Fatalf("got %d spans of calls, want 2", len(calls))
	}
	return calls
}

func TestDecisionsAreEventsOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		calls := spansOf(t, nil)
		if events := calls[0].Events; len(events) != 0 {
			t.Errorf("got %v for a read that succeeded at once, want none", events)
		}
		events := calls[1].Events
		var names []string
		for _, e := range events {
			names = append(names, e.Name)
		}
		if want := []string{"cosmosretry.failover", "cosmosretry.retry", "cosmosretry.completed"}; !slices.Equal(names, want) {
			t.Fatalf("got %v, want %v", names, want)
		}
		failover := attribute.NewSet(events[0].Attributes...)
		reason, _ := failover.Value("cosmosretry.reason")
		rest, _ := failover.Filter(func(kv attribute.KeyValue) bool { return kv.Key != "cosmosretry.reason" })
		const want = "azure.cosmosdb.response.sub_status_code=1022,cosmosretry.attempt=1,cosmosretry.cause=server,cosmosretry.elapsed=0," +
			"cosmosretry.region=East US,cosmosretry.target_region=West US,cosmosretry.wait=0,db.response.status_code=410"
		if got := text(rest); got != want || reason.AsString() == "" {
			t.Errorf("failover: got %s because %q,\nwant %s and a reason", got, reason.AsString(), want)
		}
		retry := attribute.NewSet(events[1].Attributes...)
		if wait, _ := retry.Value("cosmosretry.wait"); wait.AsFloat64() != 0.05 || !events[1].Time.Equal(start) {
			t.Errorf("retry: wait %v at %v, want 0.05 at %v", wait.AsFloat64(), events[1].Time, start)
		}
		completed := attribute.NewSet(events[2].Attributes...)
		if charge, ok := completed.Value("azure.cosmosdb.operation.request_charge"); !ok || charge.AsFloat64() <= 0 {
			t.Errorf("completed: %v, want the request charge", events[2].Attributes)
		}
	})
}

func TestSpanEventsCanBeOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if events := spansOf(t, &telemetry.Options{NoSpanEvents: true})[1].Events; len(events) != 0 {
			t.Errorf("got %v, want none", events)
		}
	})
}
