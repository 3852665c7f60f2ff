package telemetry_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/semconv/v1.43.0/azureconv"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"

	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

func TestOptionsAreCopied(t *testing.T) {
	o := &telemetry.Options{Attributes: []attribute.KeyValue{attribute.String("account", "a"), attribute.String("db.system.name", "mine")}}
	observer, reader := newObserver(t, o)
	o.Attributes[0] = attribute.String("account", "b")
	o.MaxCollections = -1
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventLetterLost, Collection: "dbs/db/colls/c"})
	wantPoints(t, reader, "cosmosretry.dead_letters.lost", map[string]float64{"account=a,db.collection.name=c,db.namespace=db": 1})
}

func TestNegativeMeansNoContainers(t *testing.T) {
	observer, reader := newObserver(t, &telemetry.Options{MaxCollections: -1})
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventLetterLost, Collection: "dbs/db/colls/c"})
	wantPoints(t, reader, "cosmosretry.dead_letters.lost", map[string]float64{"db.collection.name=other,db.namespace=other": 1})
}

func TestSenselessOptionsAreErrors(t *testing.T) {
	for name, o := range map[string]*telemetry.Options{
		"MaxCollections": {MaxCollections: 100_001},
		"Attributes":     {Attributes: []attribute.KeyValue{{}}},
	} {
		if _, err := telemetry.New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The global provider may be set after the observer was made.
func TestGlobalProviderIsTheDefault(t *testing.T) {
	before := otel.GetMeterProvider()
	defer otel.SetMeterProvider(before)
	observer, err := telemetry.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	reader := sdk.NewManualReader()
	otel.SetMeterProvider(sdk.NewMeterProvider(sdk.WithReader(reader)))
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventRefreshed})
	wantPoints(t, reader, "cosmosretry.topology.refreshes", map[string]float64{"": 1})
}

// refusing is a meter provider that cannot make one kind of instrument.
type refusing struct {
	noop.MeterProvider
	callbacks bool
}

type refusingMeter struct {
	noop.Meter
	callbacks bool
}

func (p refusing) Meter(string, ...metric.MeterOption) metric.Meter {
	return refusingMeter{callbacks: p.callbacks}
}

func (m refusingMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	if m.callbacks {
		return noop.Int64Counter{}, nil
	}
	return nil, errors.New("no counters")
}

func (m refusingMeter) RegisterCallback(metric.Callback, ...metric.Observable) (metric.Registration, error) {
	return nil, errors.New("no callbacks")
}

func TestErrorsOfTheProviderAreTold(t *testing.T) {
	for _, callbacks := range []bool{false, true} {
		if _, err := telemetry.New(&telemetry.Options{MeterProvider: refusing{callbacks: callbacks}}); err == nil || !strings.HasPrefix(err.Error(), "telemetry: no c") {
			t.Errorf("got %v", err)
		}
	}
}

// The table in the package documentation is what the observer exports.
func TestDocumentationListsEveryMetric(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	row := regexp.MustCompile(`(?m)^//\t([a-z_]+\.[a-z_.]+)(?: \*)? +(histogram|counter|up-down|gauge) +(\S+)`)
	for _, m := range row.FindAllStringSubmatch(string(source), -1) {
		documented[m[1]] = m[3]
	}
	made := recording{units: map[string]string{}}
	if _, err := telemetry.New(&telemetry.Options{MeterProvider: made}); err != nil {
		t.Fatal(err)
	}
	for name, unit := range made.units {
		if documented[name] != unit {
			t.Errorf("%s in %s: the documentation says %q", name, unit, documented[name])
		}
	}
	if len(documented) != len(made.units) {
		t.Errorf("%d metrics are documented and %d made", len(documented), len(made.units))
	}
	for name, unit := range map[string]string{
		dbconv.ClientOperationDuration{}.Name():                 "s",
		azureconv.CosmosDBClientOperationRequestCharge{}.Name(): "{request_unit}",
		azureconv.CosmosDBClientActiveInstanceCount{}.Name():    "{instance}",
	} {
		if made.units[name] != unit {
			t.Errorf("no %s in %s, which the semantic conventions require", name, unit)
		}
	}
}
