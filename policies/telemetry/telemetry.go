package telemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/cosmosretry/cosmosretry/policies"
)

// ScopeName is the instrumentation scope of the metrics.
const ScopeName = "github.com/cosmosretry/cosmosretry/policies/telemetry"

// Observer measures the decisions of the policies, and adds them to the spans of
// the requests. Give one to the Observers of [policies.Options]; several clients
// can share it. It is safe for concurrent use.
//
// It is called in the goroutine of the request, whose span it needs. It takes no
// lock on the way, does no I/O, and never waits for an exporter: those of the
// OpenTelemetry SDK run in goroutines of their own.
type Observer struct {
	labels       *labeller
	on           instruments
	spanEvents   bool
	watches      watches
	registration metric.Registration
}

// errorOther is the error.type of what has no better one.
const errorOther = "_OTHER"

var _ policies.SynchronousObserver = (*Observer)(nil)

// New returns an observer. Pass nil to accept the defaults. It is an error when
// an option makes no sense or the meter provider refuses an instrument.
func New(o *Options) (*Observer, error) {
	options, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	m := maker{meter: options.MeterProvider.Meter(ScopeName, metric.WithSchemaURL(semconv.SchemaURL))}
	t := &Observer{labels: newLabeller(&options), on: m.instruments(), spanEvents: !options.NoSpanEvents}
	observables := m.observables()
	if err := m.err(); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t.registration, err = m.meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		t.report(&observables, to)
		return nil
	}, observables.all()...)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return t, nil
}

// ObservesSynchronously implements [policies.SynchronousObserver].
func (t *Observer) ObservesSynchronously() {}

// Close ends the reports on what is watched; see [Observer.Watch]. Events are
// measured all the same.
func (t *Observer) Close() error { return t.registration.Unregister() }

// Observe implements [policies.Observer].
func (t *Observer) Observe(ctx context.Context, e policies.Event) {
	t.measure(ctx, &e)
	if t.spanEvents {
		addSpanEvent(ctx, &e)
	}
}

// measure sorts events by what they are counted as.
func (t *Observer) measure(ctx context.Context, e *policies.Event) {
	if e.Kind == policies.EventCompleted {
		t.completed(ctx, e)
		return
	}
	key := t.labels.operation(e.Operation, e.Collection)
	switch e.Kind {
	case policies.EventRetry, policies.EventLocalRetry, policies.EventFailover, policies.EventSessionRetry:
		t.retried(ctx, e, key)
	case policies.EventGaveUp:
		key.cause, key.status = t.labels.cause(e.Cause), e.Status
		t.on.gaveUp.Add(ctx, 1, t.labels.options(key).add...)
	case policies.EventBudgetRefused:
		key.cause, key.region = t.labels.cause(e.Cause), t.labels.region(e.Region)
		t.on.refused.Add(ctx, 1, t.labels.options(key).add...)
	case policies.EventLetterLost:
		t.on.lost.Add(ctx, 1, t.labels.options(key).add...)
	case policies.EventRefreshed:
		if e.Failed {
			key.failure = errorOther
		}
		t.on.refreshes.Add(ctx, 1, t.labels.options(key).add...)
	default:
		t.regional(ctx, e, key)
	}
}

// regional counts the events about the shared state of a region.
func (t *Observer) regional(ctx context.Context, e *policies.Event, key labels) {
	var counter metric.Int64Counter
	switch e.Kind {
	case policies.EventBreakerOpened:
		counter = t.on.trips
	case policies.EventBreakerProbing:
		counter = t.on.probes
	case policies.EventBreakerClosed:
		counter = t.on.recoveries
	case policies.EventMarked:
		counter = t.on.marks
	case policies.EventOverrideMoved:
		counter = t.on.moves
	default:
		return
	}
	key.region = t.labels.region(e.Region)
	counter.Add(ctx, 1, t.labels.options(key).add...)
}

// retried counts a request that is sent again.
func (t *Observer) retried(ctx context.Context, e *policies.Event, key labels) {
	key.region = t.labels.region(e.Region)
	cause := t.labels.cause(e.Cause)
	if e.Kind == policies.EventRetry && e.Cause == policies.CauseThrottling {
		t.on.throttleWait.Record(ctx, e.Wait.Seconds(), t.labels.options(key).record...)
	}
	if target := t.labels.region(e.Target); target != key.region && target != "" {
		move := labels{region: key.region, target: target, cause: cause}
		t.on.failovers.Add(ctx, 1, t.labels.options(move).add...)
	}
	key.cause, key.kind = cause, string(e.Kind)
	t.on.retries.Add(ctx, 1, t.labels.options(key).add...)
}

// completed measures an operation as a whole.
func (t *Observer) completed(ctx context.Context, e *policies.Event) {
	end := t.labels.ending(ctx, e)
	if end == nil {
		return // the client's own, behind an operation that is measured
	}
	if retries := e.Attempt - 1; retries > 0 {
		// The others are counted with their duration: what all operations pay for
		// is kept small.
		t.on.retriesPer.Record(ctx, int64(retries), end.operation.record...)
		t.on.retriedDuration.Record(ctx, e.Elapsed.Seconds(), end.result.record...)
	}
	t.on.duration.Record(ctx, e.Elapsed.Seconds(), end.answer.record...)
	if e.Charge > 0 {
		t.on.charge.Record(ctx, e.Charge, end.answer.record...)
	}
}

// failureOf is why an operation failed, as error.type has it, "" for one that
// did not: the status, or what was in the way of an answer.
func failureOf(ctx context.Context, e *policies.Event) string {
	switch {
	case !e.Failed:
		return ""
	case e.Status != 0:
		return statusLabel(e.Status)
	case errors.Is(ctx.Err(), context.Canceled):
		return "canceled"
	case e.Cause != "":
		return string(e.Cause)
	}
	return errorOther
}
