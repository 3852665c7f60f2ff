package telemetry

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/semconv/v1.43.0/azureconv"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"
)

// The bounds of the histograms' buckets: the first two are those that the
// semantic conventions recommend.
var (
	durationBounds = []float64{.001, .005, .01, .05, .1, .5, 1, 5, 10}
	chargeBounds   = []float64{1, 5, 10, 25, 50, 100, 250, 500, 1000}
	retriesBounds  = []float64{1, 2, 3, 5, 10, 20, 50, 120}
	elapsedBounds  = []float64{.005, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}
	waitBounds     = []float64{.001, .005, .01, .05, .1, .5, 1, 5, 10, 30}
)

// instruments are those that events are measured with.
type instruments struct {
	duration, charge metric.Float64Histogram
	retriesPer       metric.Int64Histogram
	retriedDuration  metric.Float64Histogram
	throttleWait     metric.Float64Histogram

	retries, failovers, gaveUp, refused metric.Int64Counter
	trips, probes, recoveries           metric.Int64Counter
	marks, moves, refreshes, lost       metric.Int64Counter
}

// observables are those that are asked for their value.
type observables struct {
	instances    metric.Int64ObservableUpDownCounter
	budgetLeft   metric.Float64ObservableGauge
	breakers     metric.Int64ObservableUpDownCounter
	marked       metric.Int64ObservableUpDownCounter
	overrides    metric.Int64ObservableUpDownCounter
	eventsMissed metric.Int64ObservableCounter
}

func (o *observables) all() []metric.Observable {
	return []metric.Observable{o.instances, o.budgetLeft, o.breakers, o.marked, o.overrides, o.eventsMissed}
}

// maker makes instruments and collects what goes wrong.
type maker struct {
	meter metric.Meter
	errs  []error
}

func (m *maker) err() error { return errors.Join(m.errs...) }

func (m *maker) histogram(name, unit, description string, bounds []float64) metric.Float64Histogram {
	h, err := m.meter.Float64Histogram(name, metric.WithUnit(unit), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
	m.errs = append(m.errs, err)
	return h
}

func (m *maker) counter(name, unit, description string) metric.Int64Counter {
	c, err := m.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return c
}

func (m *maker) upDown(name, unit, description string) metric.Int64ObservableUpDownCounter {
	c, err := m.meter.Int64ObservableUpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return c
}

func (m *maker) instruments() instruments {
	duration, charge := dbconv.ClientOperationDuration{}, azureconv.CosmosDBClientOperationRequestCharge{}
	i := instruments{
		duration: m.histogram(duration.Name(), duration.Unit(), duration.Description(), durationBounds),
		charge:   m.histogram(charge.Name(), charge.Unit(), charge.Description(), chargeBounds),

		retriedDuration: m.histogram("cosmosretry.operation.retried.duration", "s", "Overall time of operations that needed retries, waits included.", elapsedBounds),
		throttleWait:    m.histogram("cosmosretry.throttle.wait", "s", "Waits before retries after throttling (429, 449).", waitBounds),

		retries:   m.counter("cosmosretry.retries", "{retry}", "Requests that were sent again."),
		failovers: m.counter("cosmosretry.failovers", "{failover}", "Retries that went to another region."),
		gaveUp:    m.counter("cosmosretry.gave_up", "{operation}", "Operations that ended with an error of the policies."),
		refused:   m.counter("cosmosretry.budget.refused", "{retry}", "Retries that the retry budget did not allow."),

		trips:      m.counter("cosmosretry.breaker.trips", "{trip}", "Circuit breakers that opened: a partition is kept away from a region."),
		probes:     m.counter("cosmosretry.breaker.probes", "{probe}", "Requests that found out whether a partition works again in a region."),
		recoveries: m.counter("cosmosretry.breaker.recoveries", "{recovery}", "Circuit breakers that a probe closed."),

		marks:     m.counter("cosmosretry.endpoint.marks", "{mark}", "Endpoints that were put last, since they could not be reached or lost the account."),
		moves:     m.counter("cosmosretry.ppaf.moves", "{move}", "Partitions whose writes moved to another region (PPAF)."),
		refreshes: m.counter("cosmosretry.topology.refreshes", "{refresh}", "Reads of the account's topology on demand."),
		lost:      m.counter("cosmosretry.dead_letters.lost", "{write}", "Writes that were given up and could not be kept."),
	}
	var err error
	i.retriesPer, err = m.meter.Int64Histogram("cosmosretry.operation.retries", metric.WithUnit("{retry}"),
		metric.WithDescription("Retries of an operation that needed any."), metric.WithExplicitBucketBoundaries(retriesBounds...))
	m.errs = append(m.errs, err)
	return i
}

func (m *maker) observables() observables {
	instances := azureconv.CosmosDBClientActiveInstanceCount{}
	o := observables{
		instances: m.upDown(instances.Name(), instances.Unit(), instances.Description()),
		breakers:  m.upDown("cosmosretry.breaker.tripped", "{breaker}", "Circuit breakers that are open or probing now."),
		marked:    m.upDown("cosmosretry.endpoint.marked", "{endpoint}", "Endpoints that are tried last now."),
		overrides: m.upDown("cosmosretry.ppaf.overrides", "{partition}", "Partitions whose writes start in another region than the account's (PPAF)."),
	}
	var err error
	o.budgetLeft, err = m.meter.Float64ObservableGauge("cosmosretry.budget.left", metric.WithUnit("{retry}"),
		metric.WithDescription("Retries that the retry budget would allow now."))
	m.errs = append(m.errs, err)
	o.eventsMissed, err = m.meter.Int64ObservableCounter("cosmosretry.events.dropped", metric.WithUnit("{event}"),
		metric.WithDescription("Events that observers missed."))
	m.errs = append(m.errs, err)
	return o
}
