package regioncache

import (
	"context"
	"fmt"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// benched is a cache of a multi-write account, where the breaker manages
// writes too, with some breakers open in the preferred region.
func benched(b *testing.B, open int) *Cache {
	c := newCache(b, multi, &Options{Breaker: BreakerOptions{UnavailableFor: 1 << 40}})
	for i := range open {
		id := fmt.Sprint("sick", i)
		op := &wire.Operation{Scope: wire.ScopeItem, Collection: container, PartitionKeyRangeID: id}
		fail(c, op, east, 10)
	}
	for i := range 1000 {
		located(c, key(i), fmt.Sprint(i%100))
	}
	return c
}

func operations() []*wire.Operation {
	ops := make([]*wire.Operation, 1000)
	for i := range ops {
		ops[i] = read(key(i))
	}
	return ops
}

func BenchmarkChoose(b *testing.B) {
	for _, open := range []int{0, 1, 8192} {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			c, ops, ctx := benched(b, open), operations(), context.Background()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				c.Choose(ctx, ops[i%len(ops)], nil)
				i++
			}
		})
	}
}

func BenchmarkAnswered(b *testing.B) {
	for _, open := range []int{0, 1, 8192} {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			c, ops := benched(b, open), operations()
			headers, host := from("7"), hostOf(east)
			for i := range ops {
				ops[i] = read(key(7 + i%10*100))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				c.Answered(ops[i%len(ops)], host, headers)
				i++
			}
		})
	}
}
