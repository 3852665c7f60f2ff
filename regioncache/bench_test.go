package regioncache

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// benched is a cache of a multi-write account, where the breaker manages writes
// too, with as many breakers open in the preferred region. Its keys live in
// partitions that are well, save for those of partition "sick0".
func benched(b *testing.B, open int) *Cache {
	c := newCache(b, multi, &Options{Breaker: BreakerOptions{UnavailableFor: 1 << 40}})
	for i := range open {
		op := &wire.Operation{Scope: wire.ScopeItem, Collection: container, PartitionKeyRangeID: fmt.Sprint("sick", i)}
		fail(c, op, east, 10)
	}
	for i := range 1000 {
		located(c, key(i), fmt.Sprint(i%100))
	}
	return c
}

func operations(op func(pk string) *wire.Operation) []*wire.Operation {
	ops := make([]*wire.Operation, 1000)
	for i := range ops {
		ops[i] = op(key(i))
	}
	return ops
}

var openCounts = []int{0, 1, 8192}

func BenchmarkChoose(b *testing.B) {
	for _, open := range openCounts {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			benchmarkChoose(b, benched(b, open), operations(read))
		})
	}
	b.Run("own=open", func(b *testing.B) {
		c := benched(b, 8192)
		located(c, "[1]", "sick0")
		benchmarkChoose(b, c, []*wire.Operation{read("[1]")})
	})
	b.Run("marked", func(b *testing.B) {
		c := benched(b, 0)
		c.MarkUnavailable(hostOf(west))
		benchmarkChoose(b, c, operations(read))
	})
	b.Run("override", func(b *testing.B) {
		c := newCache(b, ppaf, nil)
		c.WriteConfirmed(write("[1]"), hostOf(west))
		benchmarkChoose(b, c, operations(write))
	})
	b.Run("key=2KiB", func(b *testing.B) {
		benchmarkChoose(b, benched(b, 1), []*wire.Operation{read(long(2048))})
	})
}

func benchmarkChoose(b *testing.B, c *Cache, ops []*wire.Operation) {
	ctx := context.Background()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Choose(ctx, ops[i%len(ops)], nil)
	}
}

// answers are headers by partition, as benched has located the keys.
func answers() []http.Header {
	headers := make([]http.Header, 100)
	for i := range headers {
		headers[i] = from(fmt.Sprint(i))
	}
	return headers
}

func BenchmarkAnswered(b *testing.B) {
	for _, open := range openCounts {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			c, ops, headers, host := benched(b, open), operations(read), answers(), hostOf(east)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Answered(ops[i%len(ops)], host, headers[i%len(headers)])
			}
		})
	}
}

func BenchmarkWriteConfirmed(b *testing.B) {
	c, ops, host := newCache(b, ppaf, nil), operations(write), hostOf(east)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.WriteConfirmed(ops[i%len(ops)], host)
	}
}

// BenchmarkRequest is all that one healthy request asks of the cache, by one
// goroutine and by 64.
func BenchmarkRequest(b *testing.B) {
	for _, open := range openCounts[:2] {
		for _, goroutines := range []int{1, 64} {
			b.Run(fmt.Sprintf("open=%d/goroutines=%d", open, goroutines), func(b *testing.B) {
				c, ops, headers, ctx := benched(b, open), operations(read), answers(), context.Background()
				b.ReportAllocs()
				if goroutines == 1 {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				}
				b.SetParallelism((goroutines + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
				b.RunParallel(func(pb *testing.PB) {
					for i := 0; pb.Next(); i++ {
						op := ops[i%len(ops)]
						choice := c.Choose(ctx, op, nil)
						c.Answered(op, choice.Region.Host, headers[i%len(headers)])
					}
				})
			})
		}
	}
}

// BenchmarkFailing is what the requests of a sick partition ask of the cache.
func BenchmarkFailing(b *testing.B) {
	c, op, host := benched(b, 0), read(key(1)), hostOf(east)
	b.ReportAllocs()
	for b.Loop() {
		c.PartitionFailed(op, host)
	}
}

// BenchmarkKeys teaches keys that nobody has seen before, and tells what each
// takes of the heap.
func BenchmarkKeys(b *testing.B) {
	const keys = 1_000_000
	ops, headers := make([]*wire.Operation, keys), answers()
	for i := range ops {
		ops[i] = read(key(i))
	}
	host := hostOf(east)
	for b.Loop() {
		c := newCache(b, single, nil)
		before := heap()
		for i, op := range ops {
			c.Answered(op, host, headers[i%len(headers)])
		}
		b.ReportMetric(float64(heap()-before)/(partitionShards*keysPerShard), "bytes/kept-key")
		runtime.KeepAlive(c)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*keys), "ns/key")
}

func BenchmarkUnhealthy(b *testing.B) {
	c := benched(b, 8192)
	b.ReportAllocs()
	for b.Loop() {
		if len(c.Unhealthy()) != 8192 {
			b.Fatal("not all are listed")
		}
	}
}

func BenchmarkLearn(b *testing.B) {
	c, document := newCache(b, multi, nil), multi.document()
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Learn(document, c.Snapshot().Observed); err != nil {
			b.Fatal(err)
		}
	}
}
