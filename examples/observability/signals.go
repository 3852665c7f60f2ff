package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	"github.com/Azure/azure-sdk-for-go/sdk/tracing/azotel"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/logging"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

// signals is how the program tells what happens: metrics, traces and a log.
type signals struct {
	registry  *prometheus.Registry
	metrics   *metric.MeterProvider
	traces    *trace.TracerProvider
	spans     *spanKeeper
	telemetry *telemetry.Observer
	log       *logging.Observer
}

// newSignals sets OpenTelemetry up. In a program of yours the providers are
// there already; what is new are the two observers.
func newSignals(logger *slog.Logger) (*signals, error) {
	s := &signals{registry: prometheus.NewRegistry(), spans: new(spanKeeper)}
	reader, err := exporter.New(exporter.WithRegisterer(s.registry), exporter.WithoutScopeInfo(), exporter.WithoutTargetInfo())
	if err != nil {
		return nil, err
	}
	s.metrics = metric.NewMeterProvider(metric.WithReader(reader))
	s.traces = trace.NewTracerProvider(trace.WithSyncer(s.spans))
	if s.telemetry, err = telemetry.New(&telemetry.Options{MeterProvider: s.metrics}); err != nil {
		return nil, err
	}
	s.log, err = logging.New(logger, nil)
	return s, err
}

// observers are what the policies tell their decisions to.
func (s *signals) observers() []policies.Observer { return []policies.Observer{s.telemetry, s.log} }

// spanProvider lets azcosmos make spans, to which the decisions are added.
func (s *signals) spanProvider() tracing.Provider { return azotel.NewTracingProvider(s.traces, nil) }

func (s *signals) handler() http.Handler {
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{})
}

// scrape reads the metrics without a server.
func (s *signals) scrape(context.Context) (string, error) {
	families, err := s.registry.Gather()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (s *signals) close(ctx context.Context) error {
	return errors.Join(s.log.Close(), s.telemetry.Close(), s.traces.Shutdown(ctx), s.metrics.Shutdown(ctx))
}
