package telemetry_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/tracing/azotel"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

// hanging is an exporter of metrics and spans whose backend does not answer.
type hanging struct {
	answer  chan struct{}
	entered atomic.Int64
}

func (h *hanging) wait() error { h.entered.Add(1); <-h.answer; return nil }

func (h *hanging) Export(context.Context, *metricdata.ResourceMetrics) error { return h.wait() }
func (h *hanging) ExportSpans(context.Context, []trace.ReadOnlySpan) error   { return h.wait() }
func (h *hanging) ForceFlush(context.Context) error                          { return nil }
func (h *hanging) Shutdown(context.Context) error                            { return nil }

func (h *hanging) Temporality(k sdk.InstrumentKind) metricdata.Temporality {
	return sdk.DefaultTemporalitySelector(k)
}

func (h *hanging) Aggregation(k sdk.InstrumentKind) sdk.Aggregation {
	return sdk.DefaultAggregationSelector(k)
}

func TestHangingExporterDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exporter := &hanging{answer: make(chan struct{})}
		metrics := sdk.NewMeterProvider(sdk.WithReader(sdk.NewPeriodicReader(exporter, sdk.WithInterval(time.Second), sdk.WithTimeout(time.Hour))))
		spans := trace.NewTracerProvider(trace.WithBatcher(exporter, trace.WithBatchTimeout(time.Second), trace.WithExportTimeout(time.Hour)))
		observer, err := telemetry.New(&telemetry.Options{MeterProvider: metrics})
		if err != nil {
			t.Fatal(err)
		}
		account := newAccount(t)
		container, set := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}}, azotel.NewTracingProvider(spans, nil))
		observer.Watch(set)
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := exporter.entered.Load(); n != 2 {
			t.Fatalf("%d exports hang, want those of metrics and of spans", n)
		}
		start := time.Now()
		for range 5000 {
			if err := read(t.Context(), container); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("5000 reads took %v longer than they should", took)
		}
		close(exporter.answer)
		if err := metrics.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := spans.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
