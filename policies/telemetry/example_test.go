package telemetry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"github.com/Azure/azure-sdk-for-go/sdk/tracing/azotel"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

// outage is an account whose first region answers 503.
func outage() *cosmostest.Account {
	account, err := cosmostest.NewAccount(&cosmostest.Config{Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}}})
	if err != nil {
		log.Fatal(err)
	}
	if err := account.Seed("shop", "orders", map[string]any{"id": "1", "pk": "a"}); err != nil {
		log.Fatal(err)
	}
	account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
	return account
}

// readOrder reads an order with a client that has the policies and observer.
func readOrder(account *cosmostest.Account, observer *telemetry.Observer, spans tracing.Provider) {
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport(), TracingProvider: spans}}
	set, err := policies.Install(options, account.Endpoint(), &policies.Options{Observers: []policies.Observer{observer}})
	if err != nil {
		log.Fatal(err)
	}
	observer.Watch(set) // for as long as the program runs
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		log.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, options)
	if err != nil {
		log.Fatal(err)
	}
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("a"), "1", nil); err != nil {
		log.Fatal(err)
	}
}

// The metrics go to whatever the program has set up OpenTelemetry for; here a
// reader that is asked by hand takes the place of an exporter.
func Example() {
	reader := sdk.NewManualReader()
	observer, err := telemetry.New(&telemetry.Options{MeterProvider: sdk.NewMeterProvider(sdk.WithReader(reader))})
	if err != nil {
		log.Fatal(err)
	}
	readOrder(outage(), observer, tracing.Provider{})

	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &metrics); err != nil {
		log.Fatal(err)
	}
	for _, m := range metrics.ScopeMetrics[0].Metrics {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok && len(sum.DataPoints) == 1 {
			labels := sum.DataPoints[0].Attributes
			fmt.Println(m.Name, sum.DataPoints[0].Value, labels.Encoded(attribute.DefaultEncoder()))
		}
	}
	// Unordered output:
	// cosmosretry.retries 1 cosmosretry.cause=server,cosmosretry.kind=failover,cosmosretry.region=East US,db.collection.name=orders,db.namespace=shop,db.operation.name=read_item,db.system.name=azure.cosmosdb
	// cosmosretry.failovers 1 cosmosretry.cause=server,cosmosretry.region=East US,cosmosretry.target_region=West US,db.system.name=azure.cosmosdb
	// azure.cosmosdb.client.active_instance.count 1 db.system.name=azure.cosmosdb
	// cosmosretry.events.dropped 0 db.system.name=azure.cosmosdb
}

// With a tracing provider azcosmos makes a span for each call, and the decisions
// become events of it.
func Example_spans() {
	exporter := tracetest.NewInMemoryExporter()
	spans := azotel.NewTracingProvider(trace.NewTracerProvider(trace.WithSyncer(exporter)), nil)
	observer, err := telemetry.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	readOrder(outage(), observer, spans)

	for _, span := range exporter.GetSpans() {
		for _, event := range span.Events {
			set := attribute.NewSet(event.Attributes...)
			reason, _ := set.Value("cosmosretry.reason")
			target, _ := set.Value("cosmosretry.target_region")
			fmt.Println(span.Name, event.Name, target.AsString(), reason.AsString())
		}
	}
	// Output:
	// read_item orders cosmosretry.failover West US the service failed
	// read_item orders cosmosretry.completed
}

// The constructors of package compat keep the set of policies to themselves: give
// them a budget, or a cache, and watch that.
func ExampleObserver_WatchBudget() {
	reader := sdk.NewManualReader()
	observer, err := telemetry.New(&telemetry.Options{MeterProvider: sdk.NewMeterProvider(sdk.WithReader(reader))})
	if err != nil {
		log.Fatal(err)
	}
	budget, err := policies.NewBudget(&policies.BudgetOptions{Ratio: 0.1, MinPerSecond: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer observer.WatchBudget(budget)()

	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &metrics); err != nil {
		log.Fatal(err)
	}
	for _, m := range metrics.ScopeMetrics[0].Metrics {
		fmt.Println(m.Name, m.Data.(metricdata.Gauge[float64]).DataPoints[0].Value)
	}
	// Output:
	// cosmosretry.budget.left 20
}
