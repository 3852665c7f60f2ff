package bench

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// operations are what a program does most.
var operations = map[string]operation{"read": read, "create": create}

type operation func(ctx context.Context, c *azcosmos.ContainerClient) error

func read(ctx context.Context, c *azcosmos.ContainerClient) error {
	resp, err := c.ReadItem(ctx, azcosmos.NewPartitionKeyString("a"), "item", nil)
	if err == nil && (resp.RawResponse.StatusCode != http.StatusOK || len(resp.Value) != len(item)) {
		return errors.New("read: not the answer of the transport")
	}
	return err
}

func create(ctx context.Context, c *azcosmos.ContainerClient) error {
	resp, err := c.CreateItem(ctx, azcosmos.NewPartitionKeyString("a"), item, nil)
	if err == nil && resp.RawResponse.StatusCode != http.StatusCreated {
		return errors.New("create: not the answer of the transport")
	}
	return err
}

// withContext gives each call of an operation a context of its own, as a
// server does.
var withContext = map[string]func(operation) operation{
	"background": func(do operation) operation { return do },
	"cancel": func(do operation) operation {
		return func(ctx context.Context, c *azcosmos.ContainerClient) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			return do(ctx, c)
		}
	},
	"deadline": func(do operation) operation {
		return func(ctx context.Context, c *azcosmos.ContainerClient) error {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			return do(ctx, c)
		}
	},
}

// contextNames is the order in which the benchmarks run.
var contextNames = []string{"background", "cancel", "deadline"}

func BenchmarkPairedRead(b *testing.B) { eachContext(b, read) }

func BenchmarkPairedCreate(b *testing.B) { eachContext(b, create) }

func eachContext(b *testing.B, do operation) {
	for _, name := range contextNames {
		b.Run(name, func(b *testing.B) { paired(b, withContext[name](do)) })
	}
}

// perRound is short enough for a slow spell of the machine to hit both sides of
// a pair, and long enough for the clock.
const perRound = 50

// paired lets the two sides take turns and reports how they compare.
func paired(b *testing.B, do operation) {
	sides := newSides(b)
	for _, c := range sides {
		run(b, do, c, perRound) // reads the account, and fills the pools
	}
	var times [2][]time.Duration
	for pair := 0; b.Loop(); pair++ {
		for turn := range 2 {
			side := (pair + turn) % 2
			start := time.Now()
			run(b, do, sides[side], perRound)
			times[side] = append(times[side], time.Since(start))
		}
	}
	bare, full := median(times[0]), median(times[1])
	bareAllocs, bareBytes := allocated(b, do, sides[0])
	fullAllocs, fullBytes := allocated(b, do, sides[1])
	b.ReportMetric(0, "ns/op") // of a pair of rounds: says nothing
	b.ReportMetric(float64(full)/float64(bare), "ratio")
	b.ReportMetric(float64(bare)/perRound, "bare-ns/op")
	b.ReportMetric(float64(full)/perRound, "policies-ns/op")
	b.ReportMetric(fullAllocs-bareAllocs, "extra-allocs/op")
	b.ReportMetric(fullBytes-bareBytes, "extra-B/op")
}

func run(tb testing.TB, do operation, c *azcosmos.ContainerClient, times int) {
	for range times {
		if err := do(context.Background(), c); err != nil {
			tb.Fatal(err)
		}
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// allocated counts what one call of an operation allocates.
func allocated(tb testing.TB, do operation, c *azcosmos.ContainerClient) (allocs, bytes float64) {
	const calls = 1000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // nothing else allocates meanwhile
	run(tb, do, c, perRound)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run(tb, do, c, calls)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / calls, float64(after.TotalAlloc-before.TotalAlloc) / calls
}

// BenchmarkAlone runs one side at a time, for profiles.
func BenchmarkAlone(b *testing.B) {
	for _, what := range []string{"read", "create"} {
		for side, name := range []string{"bare", "policies"} {
			b.Run(what+"/"+name, func(b *testing.B) {
				c := newSides(b)[side]
				b.ReportAllocs()
				for b.Loop() {
					if err := operations[what](context.Background(), c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
