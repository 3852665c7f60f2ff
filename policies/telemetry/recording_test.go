package telemetry_test

import (
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// recording is a meter provider that remembers the units of the instruments.
type recording struct {
	noop.MeterProvider
	units map[string]string
}

type recordingMeter struct {
	noop.Meter
	units map[string]string
}

func (r recording) Meter(string, ...metric.MeterOption) metric.Meter {
	return recordingMeter{units: r.units}
}

func (m recordingMeter) Float64Histogram(name string, o ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	m.units[name] = metric.NewFloat64HistogramConfig(o...).Unit()
	return noop.Float64Histogram{}, nil
}

func (m recordingMeter) Int64Histogram(name string, o ...metric.Int64HistogramOption) (metric.Int64Histogram, error) {
	m.units[name] = metric.NewInt64HistogramConfig(o...).Unit()
	return noop.Int64Histogram{}, nil
}

func (m recordingMeter) Int64Counter(name string, o ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	m.units[name] = metric.NewInt64CounterConfig(o...).Unit()
	return noop.Int64Counter{}, nil
}

func (m recordingMeter) Int64ObservableCounter(name string, o ...metric.Int64ObservableCounterOption) (metric.Int64ObservableCounter, error) {
	m.units[name] = metric.NewInt64ObservableCounterConfig(o...).Unit()
	return noop.Int64ObservableCounter{}, nil
}

func (m recordingMeter) Int64ObservableUpDownCounter(name string, o ...metric.Int64ObservableUpDownCounterOption) (metric.Int64ObservableUpDownCounter, error) {
	m.units[name] = metric.NewInt64ObservableUpDownCounterConfig(o...).Unit()
	return noop.Int64ObservableUpDownCounter{}, nil
}

func (m recordingMeter) Float64ObservableGauge(name string, o ...metric.Float64ObservableGaugeOption) (metric.Float64ObservableGauge, error) {
	m.units[name] = metric.NewFloat64ObservableGaugeConfig(o...).Unit()
	return noop.Float64ObservableGauge{}, nil
}
