package telemetry_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

const item = "db.collection.name=c,db.namespace=db,db.operation.name=read_item"

// wantPoints compares all series of a metric.
func wantPoints(t *testing.T, reader sdk.Reader, name string, want map[string]float64) {
	t.Helper()
	got := map[string]float64{}
	for labels, p := range points(collect(t, reader)[name]) {
		got[labels] = p.value
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s:\ngot  %v\nwant %v", name, got, want)
	}
}

func TestOperationsAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer, reader := newObserver(t, nil)
		container, _ := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}}, tracing.Provider{})
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		account.SetFaults(throttled("East US", "250", 1), cosmostest.Fault{Region: "*", Status: 503})
		if err := read(t.Context(), container); err == nil {
			t.Fatal("got a success")
		}
		ctx, cancel := context.WithCancel(t.Context())
		account.SetFaults(cosmostest.Fault{Transport: cosmostest.Blackhole})
		time.AfterFunc(time.Second, cancel)
		if err := read(ctx, container); err == nil {
			t.Fatal("got a success")
		}
		const east = "cosmosretry.region=East US," + item
		wantPoints(t, reader, "db.client.operation.duration", map[string]float64{
			east + ",db.response.status_code=200":                0,
			east + ",db.response.status_code=503,error.type=503": 0.25,
			east + ",error.type=canceled":                        1,
		})
		wantPoints(t, reader, "azure.cosmosdb.client.operation.request_charge", map[string]float64{east + ",db.response.status_code=200": 1})
		wantPoints(t, reader, "cosmosretry.operation.retried.duration", map[string]float64{item + ",error.type=503": 0.25})
		wantPoints(t, reader, "cosmosretry.operation.retries", map[string]float64{item: 4})
		wantPoints(t, reader, "cosmosretry.throttle.wait", map[string]float64{east: 0.25})
		wantPoints(t, reader, "cosmosretry.gave_up", map[string]float64{"cosmosretry.cause=server," + item + ",db.response.status_code=503": 1})

		metrics := collect(t, reader)
		for name, want := range map[string][]float64{
			"db.client.operation.duration":                   {.001, .005, .01, .05, .1, .5, 1, 5, 10},
			"azure.cosmosdb.client.operation.request_charge": {1, 5, 10, 25, 50, 100, 250, 500, 1000},
		} {
			for labels, p := range points(metrics[name]) {
				if !slices.Equal(p.bounds, want) || p.count != 1 {
					t.Errorf("%s{%s}: %d measurements in buckets %v, want 1 in %v", name, labels, p.count, p.bounds, want)
				}
			}
		}
	})
}

func TestRetriesAreCountedByCauseAndKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer, reader := newObserver(t, nil)
		container, _ := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}}, tracing.Provider{})
		account.SetFaults(
			cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused, Times: 2},
			throttled("West US", "50", 3),
			cosmostest.Fault{Region: "West US", Status: 404, SubStatus: 1002, Times: 1},
		)
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		retry := func(cause, kind, region string) string {
			return "cosmosretry.cause=" + cause + ",cosmosretry.kind=" + kind + ",cosmosretry.region=" + region + "," + item
		}
		wantPoints(t, reader, "cosmosretry.retries", map[string]float64{
			retry("connection", "local_retry", "East US"): 1,
			retry("connection", "failover", "East US"):    1,
			retry("throttling", "retry", "West US"):       3,
			retry("session", "session_retry", "West US"):  1,
		})
		wantPoints(t, reader, "cosmosretry.failovers", map[string]float64{
			"cosmosretry.cause=connection,cosmosretry.region=East US,cosmosretry.target_region=West US": 1,
			"cosmosretry.cause=session,cosmosretry.region=West US,cosmosretry.target_region=East US":    1,
		})
		wantPoints(t, reader, "cosmosretry.operation.retries", map[string]float64{item: 6})
		wantPoints(t, reader, "cosmosretry.operation.retried.duration", map[string]float64{item: 0.15})
	})
}

// Each event that no operation above makes, counted once.
func TestOtherEventsAreCounted(t *testing.T) {
	observer, reader := newObserver(t, nil)
	for _, kind := range []policies.EventKind{
		policies.EventBudgetRefused, policies.EventLetterLost, policies.EventRefreshed, policies.EventOverrideMoved, policies.EventUnmarked, "new",
	} {
		observer.Observe(t.Context(), policies.Event{Kind: kind, Operation: "create", Collection: "dbs/db/colls/c", Region: "East US", Cause: policies.CauseServer})
	}
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventRefreshed, Failed: true})
	const operation = "db.collection.name=c,db.namespace=db,db.operation.name=create_item"
	wantPoints(t, reader, "cosmosretry.budget.refused", map[string]float64{"cosmosretry.cause=server,cosmosretry.region=East US," + operation: 1})
	wantPoints(t, reader, "cosmosretry.dead_letters.lost", map[string]float64{operation: 1})
	wantPoints(t, reader, "cosmosretry.ppaf.moves", map[string]float64{"cosmosretry.region=East US," + operation: 1})
	wantPoints(t, reader, "cosmosretry.topology.refreshes", map[string]float64{operation: 1, "error.type=_OTHER": 1})
}

func TestBreakerIsCountedAndWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer, reader := newObserver(t, nil)
		container, set := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}}, tracing.Provider{})
		defer observer.Watch(set)()
		many := func(n int) {
			for range n {
				if err := read(t.Context(), container); err != nil {
					t.Fatal(err)
				}
			}
		}
		states := func(open, probing float64) map[string]float64 {
			want := map[string]float64{}
			for _, region := range []string{"East US", "West US", "North Europe"} {
				want["cosmosretry.breaker.state=open,cosmosretry.region="+region] = 0
				want["cosmosretry.breaker.state=probing,cosmosretry.region="+region] = 0
			}
			want["cosmosretry.breaker.state=open,cosmosretry.region=East US"] = open
			want["cosmosretry.breaker.state=probing,cosmosretry.region=East US"] = probing
			return want
		}
		many(1) // learns the partition
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		many(10)
		wantPoints(t, reader, "cosmosretry.breaker.tripped", states(1, 0))
		time.Sleep(8 * time.Second)
		wantPoints(t, reader, "cosmosretry.breaker.tripped", states(0, 1))
		account.SetFaults()
		many(1)
		wantPoints(t, reader, "cosmosretry.breaker.tripped", states(0, 0))
		const partition = "cosmosretry.region=East US,db.collection.name=c,db.namespace=db,db.operation.name=reads"
		for _, name := range []string{"cosmosretry.breaker.trips", "cosmosretry.breaker.probes", "cosmosretry.breaker.recoveries"} {
			wantPoints(t, reader, name, map[string]float64{partition: 1})
		}
	})
}
