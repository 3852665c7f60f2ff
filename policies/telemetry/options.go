package telemetry

import (
	"fmt"
	"slices"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Options configures an [Observer]. Nil and the zero value mean the defaults.
// The observer copies it.
type Options struct {
	// MeterProvider makes the instruments. Nil: the global one, as
	// [otel.GetMeterProvider] returns it, which may be set later.
	MeterProvider metric.MeterProvider
	// Attributes go with every measurement, to tell two accounts of a process
	// apart, say. Default: none. Those of the observer win over them.
	Attributes []attribute.KeyValue
	// MaxCollections is how many containers are told apart by name; measurements
	// of the containers that come after them are under "other". Default: 200.
	// Negative: all are under "other".
	MaxCollections int
	// NoSpanEvents leaves spans alone. Default: false, decisions are added to the
	// span of the request.
	NoSpanEvents bool
}

const (
	defaultCollections = 200
	mostCollections    = 100_000
)

func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	c.Attributes = slices.Clone(c.Attributes)
	for _, a := range c.Attributes {
		if !a.Valid() {
			return c, fmt.Errorf("telemetry: Attributes has %q without a key or a value: want both", a.Key)
		}
	}
	switch {
	case c.MaxCollections > mostCollections:
		return c, fmt.Errorf("telemetry: MaxCollections is %d: want up to %d (0 for the default, negative for none)", c.MaxCollections, mostCollections)
	case c.MaxCollections == 0:
		c.MaxCollections = defaultCollections
	}
	if c.MeterProvider == nil {
		c.MeterProvider = otel.GetMeterProvider()
	}
	return c, nil
}
