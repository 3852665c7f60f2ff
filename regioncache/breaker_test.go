package regioncache

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

func TestBreakerOpensAtThreshold(t *testing.T) {
	for name, test := range map[string]struct {
		account   account
		op        *wire.Operation
		o         BreakerOptions
		threshold int
	}{
		"reads":                 {single, read("[1]"), BreakerOptions{}, 10},
		"reads, multi-write":    {multi, read("[1]"), BreakerOptions{}, 10},
		"writes, multi-write":   {multi, write("[1]"), BreakerOptions{}, 5},
		"queries are reads":     {single, item(wire.KindQuery, "[1]"), BreakerOptions{}, 10},
		"deletes are writes":    {multi, item(wire.KindDelete, "[1]"), BreakerOptions{}, 5},
		"procedures are writes": {multi, item(wire.KindExecute, "[1]"), BreakerOptions{}, 5},
		"reads, by option":      {single, read("[1]"), BreakerOptions{ReadFailures: 3}, 3},
		"writes, by option":     {multi, write("[1]"), BreakerOptions{WriteFailures: 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(t, test.account, &Options{Breaker: test.o})
				fail(c, test.op, east, test.threshold-1)
				is(t, "one failure before", choose(t, c, test.op), east)
				fail(c, test.op, east, 1)
				is(t, "at the threshold", choose(t, c, test.op), west)
				is(t, "another partition", choose(t, c, item(test.op.Kind, "[2]")), east)
			})
		})
	}
}

func TestBreakerManages(t *testing.T) {
	alone := account{readable: []string{east}, writable: []string{east}, multiWrite: true}
	for name, test := range map[string]struct {
		account account
		op      *wire.Operation
		o       BreakerOptions
	}{
		"single-write item writes": {single, write("[1]"), BreakerOptions{}},
		"PPAF item writes":         {ppaf, write("[1]"), BreakerOptions{}},
		"metadata reads":           {multi, metadata(wire.KindRead), BreakerOptions{}},
		"metadata writes":          {multi, metadata(wire.KindCreate), BreakerOptions{}},
		"an account of one region": {alone, read("[1]"), BreakerOptions{}},
		"reads switched off":       {multi, read("[1]"), BreakerOptions{ReadFailures: -1}},
		"writes switched off":      {multi, write("[1]"), BreakerOptions{WriteFailures: -1}},
		"the breaker switched off": {multi, read("[1]"), BreakerOptions{Disabled: true}},
	} {
		t.Run("not "+name, func(t *testing.T) {
			c := newCache(t, test.account, &Options{Breaker: test.o})
			fail(c, test.op, east, 1000)
			is(t, "region", choose(t, c, test.op), east)
			is(t, "entries", len(c.Unhealthy()), 0)
		})
	}
	t.Run("nothing before the topology is known", func(t *testing.T) {
		c := emptyCache(t, nil)
		fail(c, read("[1]"), east, 1000)
		learn(t, c, single)
		is(t, "region", choose(t, c, read("[1]")), east)
	})
}

func TestBreakerCountStartsAgain(t *testing.T) {
	for name, between := range map[string]struct {
		do     func(c *Cache)
		resets bool
	}{
		"a success":                         {func(c *Cache) { c.Answered(read("[1]"), hostOf(east), nil) }, true},
		"a success of another key in there": {func(c *Cache) { c.Answered(read("[2]"), hostOf(east), nil) }, true},
		"a success in another region":       {func(c *Cache) { c.Answered(read("[1]"), hostOf(west), nil) }, false},
		"a success of another partition":    {func(c *Cache) { c.Answered(read("[3]"), hostOf(east), nil) }, false},
		"a success of a write":              {func(c *Cache) { c.Answered(write("[1]"), hostOf(east), nil) }, false},
		"a success of metadata":             {func(c *Cache) { c.Answered(metadata(wire.KindRead), hostOf(east), nil) }, false},
		"a bad answer":                      {func(c *Cache) { c.Reached(read("[1]"), hostOf(east)) }, false},
		"five minutes without a failure":    {func(*Cache) { time.Sleep(5 * time.Minute) }, false},
		"more than five minutes without":    {func(*Cache) { time.Sleep(5*time.Minute + 1) }, true},
		"nine minutes, with a failure at three": {func(c *Cache) {
			time.Sleep(3 * time.Minute)
			fail(c, read("[1]"), east, 1)
			time.Sleep(5 * time.Minute)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(t, single, nil)
				located(c, "[1]", "0")
				located(c, "[2]", "0")
				located(c, "[3]", "1")
				fail(c, read("[1]"), east, 8)
				between.do(c)
				fail(c, read("[1]"), east, 1)
				want := east
				if fail(c, read("[1]"), east, 1); !between.resets {
					want = west
				}
				is(t, "region after 8 + 2 failures", choose(t, c, read("[1]")), want)
			})
		})
	}
}

func TestBreakerCounterResetOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, single, &Options{Breaker: BreakerOptions{CounterReset: -1}})
		for range 10 {
			fail(c, read("[1]"), east, 1)
			time.Sleep(24 * time.Hour)
		}
		if p := probe(c, read("[1]"), east); p == nil {
			t.Error("ten failures in ten days did not open the breaker")
		}
	})
}

func TestBreakerReadsAndWritesApart(t *testing.T) {
	c := newCache(t, multi, nil)
	fail(c, write("[1]"), east, 5)
	is(t, "writes", choose(t, c, write("[1]")), west)
	is(t, "reads", choose(t, c, read("[1]")), east)
	fail(c, read("[1]"), east, 9)
	is(t, "reads after 9 failures", choose(t, c, read("[1]")), east)
}

func TestBreakerNextRegionInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, multi, nil)
		op := read("[1]")
		equal(t, "healthy", route(c, context.Background(), op), []string{east, west, north})
		fail(c, op, east, 10)
		equal(t, "one open", route(c, context.Background(), op), []string{west, north, east})
		fail(c, op, west, 9)
		equal(t, "the next one counts for itself", route(c, context.Background(), op), []string{west, north, east})
		fail(c, op, west, 1)
		equal(t, "two open", route(c, context.Background(), op), []string{north, east, west})
		fail(c, op, north, 10)
		equal(t, "all open: used all the same", route(c, context.Background(), op), []string{east, west, north})
	})
}

func TestBreakerNeverRejects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, multi, nil)
		op := write("[1]")
		for _, region := range accountOrder {
			fail(c, op, region, 5)
		}
		for range 100 {
			choice := c.Choose(context.Background(), op, hostsOf(accountOrder...))
			is(t, "region", nameOf(choice.Region), east)
			is(t, "again", choice.Again, true)
		}
	})
}

// TestBreakerIgnoresLateResults has requests end that were sent before the
// breaker opened.
func TestBreakerIgnoresLateResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, single, nil)
		op := read("[1]")
		fail(c, op, east, 10)
		opened := c.Unhealthy()
		time.Sleep(4 * time.Second)
		c.Answered(op, hostOf(east), nil)
		is(t, "after a late success", choose(t, c, op), west)
		fail(c, op, east, 100)
		equal(t, "after late failures", c.Unhealthy(), opened)
	})
}

func TestBreakerEvictionFailsSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, single, &Options{Breaker: BreakerOptions{Capacity: 2}})
		fail(c, read("[1]"), east, 10)
		time.Sleep(8 * time.Second)
		p := probe(c, read("[1]"), east)
		fail(c, read("[2]"), east, 1)
		fail(c, read("[3]"), east, 1)
		set := c.breakers.Load()
		is(t, "evicted, hence closed", choose(t, c, read("[1]")), east)
		is(t, "size", set.size.Load(), 2)
		is(t, "open", set.open.Load(), 0)

		fail(c, read("[1]"), east, 10)
		p.Succeeded()
		is(t, "the probe of the evicted one says nothing of its successor", choose(t, c, read("[1]")), west)
		is(t, "open", set.open.Load(), 1)
	})
}

// TestBreakerOutlivesFirstFailures has a region fail for many keys that nobody
// has seen before, whose answers come from the next one.
func TestBreakerOutlivesFirstFailures(t *testing.T) {
	c := newCache(t, single, &Options{Breaker: BreakerOptions{Capacity: 10}})
	located(c, "[1]", "0")
	fail(c, read("[1]"), east, 10)
	for n := range 1000 {
		fail(c, read(key(n)), east, 1)
		c.Answered(read(key(n)), hostOf(west), from(fmt.Sprint(n%5)))
	}
	is(t, "region", choose(t, c, read("[1]")), west)
	is(t, "entries", len(c.Unhealthy()), 5)
}

// TestBreakerConcurrentSafe has breakers open, close, and be evicted at the same
// time: in the end the counts of the set are those of its entries.
func TestBreakerConcurrentSafe(t *testing.T) {
	c := newCache(t, single, &Options{Breaker: BreakerOptions{Capacity: 4, ReadFailures: 1}})
	set := c.breakers.Load()
	together(8, func() {
		for n := range 5000 {
			op := read(key(n * 7 % 16))
			if fail(c, op, east, 1); n%3 == 0 {
				c.Answered(op, hostOf(east), from(fmt.Sprint(n%16)))
			}
		}
	})
	open := 0
	for _, b := range set.entries.Values() {
		if b.tripped.Load() {
			open++
		}
	}
	is(t, "size", int(set.size.Load()), set.entries.Len())
	is(t, "open", int(set.open.Load()), open)
	slots := 0
	for i := range set.slots {
		slots += int(set.slots[i].Load())
	}
	is(t, "slots", slots, set.entries.Len())
}

// TestBreakerProbeLost has a request lose the probe that it saw due to another.
func TestBreakerProbeLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t)
		time.Sleep(8 * time.Second)
		v := view{cache: c, snapshot: c.Snapshot(), config: c.config.Load(), op: read("[1]"), breakers: true}
		list := v.snapshot.list(v.op)
		r, due := v.pick(list, false, true)
		is(t, "with a probe", nameOf(r), east)
		is(t, "due", due, true)
		r, due = v.pick(list, false, false)
		is(t, "without", nameOf(r), west)
		is(t, "due", due, false)
	})
}
