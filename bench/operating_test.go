package bench

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/debug"
	"github.com/cosmosretry/cosmosretry/policies/logging"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

// extra is something to switch on: options of the policies, or what each call
// asks for.
type extra struct {
	name    string
	options func(tb testing.TB, o *policies.Options)
	call    func(ctx context.Context) context.Context
}

// extras are what operators switch on, each alone and then all at once.
var extras = []extra{
	{name: "nothing"},
	{name: "budget", options: withBudget},
	{name: "observer", options: func(_ testing.TB, o *policies.Options) { o.Observers = append(o.Observers, deaf{}) }},
	{name: "telemetry", options: withTelemetry},
	{name: "logging", options: withLogging},
	{name: "page", options: withPage},
	{name: "dead-letters", options: withDeadLetters},
	{name: "diagnostics", call: withDiagnostics},
	{name: "profile", call: withProfile},
	{name: "all", options: withAll, call: func(ctx context.Context) context.Context { return withProfile(withDiagnostics(ctx)) }},
}

func withBudget(tb testing.TB, o *policies.Options) {
	budget, err := policies.NewBudget(nil)
	if err != nil {
		tb.Fatal(err)
	}
	o.Budget = budget
}

// withTelemetry measures with the SDK, and nobody collects.
func withTelemetry(tb testing.TB, o *policies.Options) {
	observer, err := telemetry.New(&telemetry.Options{MeterProvider: sdk.NewMeterProvider(sdk.WithReader(sdk.NewManualReader()))})
	if err != nil {
		tb.Fatal(err)
	}
	o.Observers = append(o.Observers, observer)
}

func withLogging(tb testing.TB, o *policies.Options) {
	observer, err := logging.New(slog.New(slog.NewJSONHandler(io.Discard, nil)), nil)
	if err != nil {
		tb.Fatal(err)
	}
	o.Observers = append(o.Observers, observer)
}

func withPage(tb testing.TB, o *policies.Options) {
	page, err := debug.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	o.Observers = append(o.Observers, page)
}

// deaf is an observer that does nothing: what events cost by themselves.
type deaf struct{}

func (deaf) Observe(context.Context, policies.Event) {}
func (deaf) ObservesSynchronously()                  {}

type noLetters struct{}

func (noLetters) Keep(context.Context, policies.Letter) error { return nil }

func withDeadLetters(_ testing.TB, o *policies.Options) { o.DeadLetters = noLetters{} }

func withAll(tb testing.TB, o *policies.Options) {
	for _, with := range []func(testing.TB, *policies.Options){withBudget, withTelemetry, withLogging, withPage, withDeadLetters} {
		with(tb, o)
	}
}

func withDiagnostics(ctx context.Context) context.Context {
	return policies.WithDiagnostics(ctx, new(policies.Diagnostics))
}

func withProfile(ctx context.Context) context.Context {
	return policies.WithProfile(ctx, policies.Interactive)
}

// container is a client whose policies have the extra.
func (e *extra) container(tb testing.TB) *azcosmos.ContainerClient {
	tb.Helper()
	o := new(policies.Options)
	if e.options != nil {
		e.options(tb, o)
	}
	cred, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		tb.Fatal(err)
	}
	client, err := compat.NewClientWithKey(endpoint, cred, clientOptions(), o)
	if err != nil {
		tb.Fatal(err)
	}
	container, err := client.NewContainer("db", "c")
	if err != nil {
		tb.Fatal(err)
	}
	return container
}

// does is an operation whose calls ask for the extra.
func (e *extra) does(do operation) operation {
	if e.call == nil {
		return do
	}
	return func(ctx context.Context, c *azcosmos.ContainerClient) error { return do(e.call(ctx), c) }
}

// BenchmarkOperating compares policies that have an extra with policies that
// have none.
func BenchmarkOperating(b *testing.B) {
	for _, what := range []string{"read", "create"} {
		for i := range extras {
			b.Run(what+"/"+extras[i].name, func(b *testing.B) { extras[i].compare(b, operations[what]) })
		}
	}
}

func (e *extra) compare(b *testing.B, do operation) {
	off, on := extras[0].container(b), e.container(b)
	doOn := e.does(do)
	run(b, do, off, perRound) // reads the account, and fills the pools
	run(b, doOn, on, perRound)
	var offTimes, onTimes []time.Duration
	var ratios []float64
	for pair := 0; b.Loop(); pair++ {
		var offTime, onTime time.Duration
		for turn := range 2 {
			start := processorTime()
			if (pair+turn)%2 == 0 {
				run(b, do, off, perRound)
				offTime = processorTime() - start
			} else {
				run(b, doOn, on, perRound)
				onTime = processorTime() - start
			}
		}
		offTimes, onTimes = append(offTimes, offTime), append(onTimes, onTime)
		ratios = append(ratios, float64(onTime)/float64(offTime))
	}
	offAllocs, offBytes := allocated(b, do, off)
	onAllocs, onBytes := allocated(b, doOn, on)
	slices.Sort(ratios)
	b.ReportMetric(0, "ns/op") // of a pair of rounds: says nothing
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(float64(median(offTimes))/perRound, "off-ns/op")
	b.ReportMetric(float64(median(onTimes))/perRound, "on-ns/op")
	b.ReportMetric(onAllocs-offAllocs, "extra-allocs/op")
	b.ReportMetric(onBytes-offBytes, "extra-B/op")
}
