package telemetry_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

// newObserver returns an observer and the reader of its metrics.
func newObserver(tb testing.TB, o *telemetry.Options) (*telemetry.Observer, sdk.Reader) {
	tb.Helper()
	if o == nil {
		o = new(telemetry.Options)
	}
	reader := sdk.NewManualReader()
	o.MeterProvider = sdk.NewMeterProvider(sdk.WithReader(reader))
	observer, err := telemetry.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return observer, reader
}

func newAccount(tb testing.TB) *cosmostest.Account {
	tb.Helper()
	account := cosmostest.New(tb, &cosmostest.Config{Containers: []cosmostest.Container{{Database: "db", ID: "c"}}})
	if err := account.Seed("db", "c", map[string]any{"id": "i", "pk": "a"}); err != nil {
		tb.Fatal(err)
	}
	return account
}

// newClient makes an azcosmos client with all policies over an in-process account.
func newClient(tb testing.TB, account *cosmostest.Account, o *policies.Options, spans tracing.Provider) (*azcosmos.ContainerClient, *policies.Set) {
	tb.Helper()
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport(), TracingProvider: spans}}
	set, err := policies.Install(options, account.Endpoint(), o)
	if err != nil {
		tb.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		tb.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, options)
	if err != nil {
		tb.Fatal(err)
	}
	container, err := client.NewContainer("db", "c")
	if err != nil {
		tb.Fatal(err)
	}
	return container, set
}

func read(ctx context.Context, c *azcosmos.ContainerClient) error {
	_, err := c.ReadItem(ctx, azcosmos.NewPartitionKeyString("a"), "i", nil)
	return err
}

func create(ctx context.Context, c *azcosmos.ContainerClient, id string) error {
	_, err := c.CreateItem(ctx, azcosmos.NewPartitionKeyString("a"), []byte(`{"id":"`+id+`","pk":"a"}`), nil)
	return err
}

// throttled makes an account ask for a wait.
func throttled(region, milliseconds string, times int) cosmostest.Fault {
	return cosmostest.Fault{Region: region, Status: 429, Header: http.Header{"X-Ms-Retry-After-Ms": {milliseconds}}, Times: times}
}

// collect reads all metrics, by name.
func collect(tb testing.TB, reader sdk.Reader) map[string]metricdata.Metrics {
	tb.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		tb.Fatal(err)
	}
	metrics := map[string]metricdata.Metrics{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			metrics[m.Name] = m
		}
	}
	return metrics
}

// point is one series: a sum's or a gauge's value, or a histogram's sum and count.
type point struct {
	value  float64
	count  uint64
	bounds []float64
}

// points lists the series of a metric by their attributes, without db.system.name.
func points(m metricdata.Metrics) map[string]point {
	list := map[string]point{}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			list[text(p.Attributes)] = point{value: float64(p.Value)}
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			list[text(p.Attributes)] = point{value: p.Value}
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			list[text(p.Attributes)] = point{p.Sum, p.Count, p.Bounds}
		}
	case metricdata.Histogram[int64]:
		for _, p := range data.DataPoints {
			list[text(p.Attributes)] = point{float64(p.Sum), p.Count, p.Bounds}
		}
	}
	return list
}

func text(set attribute.Set) string {
	rest, _ := set.Filter(func(kv attribute.KeyValue) bool { return kv.Key != "db.system.name" })
	return rest.Encoded(attribute.DefaultEncoder())
}
