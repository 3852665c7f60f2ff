package regioncache

import (
	"context"
	"fmt"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

func TestOverrideFollowsWrites(t *testing.T) {
	c := newCache(t, ppaf, &Options{PreferredRegions: []string{north}})
	located(c, "[1]", "0")
	located(c, "[2]", "0")
	located(c, "[3]", "1")
	hubFirst := []string{east, north, west}
	equal(t, "at first", route(c, context.Background(), write("[1]")), hubFirst)

	c.WriteConfirmed(write("[1]"), hostOf(west))
	equal(t, "after a write elsewhere", route(c, context.Background(), write("[1]")), []string{west, east, north})
	equal(t, "another key of the partition", route(c, context.Background(), write("[2]")), []string{west, east, north})
	equal(t, "another partition", route(c, context.Background(), write("[3]")), hubFirst)
	equal(t, "reads", route(c, context.Background(), read("[1]")), []string{north, east, west})
	equal(t, "metadata writes", route(c, context.Background(), metadata(wire.KindCreate)), []string{east})

	c.WriteConfirmed(write("[2]"), hostOf(north))
	equal(t, "after it moved on", route(c, context.Background(), write("[1]")), []string{north, east, west})
	c.WriteConfirmed(write("[1]"), hostOf(east))
	equal(t, "after the hub took one", route(c, context.Background(), write("[1]")), hubFirst)
	is(t, "overrides", len(c.Overrides()), 0)
}

func TestOverrideOnlyForItemWritesOfPPAF(t *testing.T) {
	for name, test := range map[string]struct {
		account account
		op      *wire.Operation
	}{
		"a single-write account": {single, write("[1]")},
		"a multi-write account":  {multi, write("[1]")},
		"a multi-write account that says PPAF": {
			account{readable: accountOrder, writable: accountOrder, multiWrite: true, ppaf: true}, write("[1]")},
		"a read":           {ppaf, read("[1]")},
		"a metadata write": {ppaf, metadata(wire.KindCreate)},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, test.account, nil)
			c.WriteConfirmed(test.op, hostOf(west))
			is(t, "overrides", len(c.Overrides()), 0)
		})
	}
	c := emptyCache(t, nil)
	c.WriteConfirmed(write("[1]"), hostOf(west))
	is(t, "before the topology is known", len(c.Overrides()), 0)
}

func TestOverrideHeedsTheRest(t *testing.T) {
	c := newCache(t, ppaf, nil)
	c.WriteConfirmed(write("[1]"), hostOf(west))
	out := WithExcludedRegions(context.Background(), west)
	equal(t, "excluded", route(c, out, write("[1]")), []string{east, north})
	c.MarkUnavailable(hostOf(west))
	equal(t, "marked", route(c, context.Background(), write("[1]")), []string{east, north, west})
	configure(t, c, &Options{ExcludedRegions: []string{"west-us"}})
	equal(t, "excluded for all", route(c, context.Background(), write("[1]")), []string{east, north})
}

func TestOverrideForgotten(t *testing.T) {
	moved := account{readable: accountOrder, writable: []string{west}, ppaf: true}
	off := ppaf
	off.ppaf = false
	for name, test := range map[string]struct {
		learn account
		want  []string
		left  int
	}{
		"not by the same account":   {ppaf, []string{west, east, north}, 1},
		"when the flag goes off":    {off, []string{east}, 0},
		"when writes go everywhere": {multi, accountOrder, 0},
		"not when the hub moves":    {moved, []string{west, east, north}, 1},
		"as long as the region is gone": {account{readable: []string{east, north}, writable: []string{east}, ppaf: true},
			[]string{east, north}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, ppaf, nil)
			c.WriteConfirmed(write("[1]"), hostOf(west))
			learn(t, c, test.learn)
			equal(t, "route", route(c, context.Background(), write("[1]")), test.want)
			is(t, "overrides", len(c.Overrides()), test.left)
			learn(t, c, ppaf)
			is(t, "overrides when the account is as before", len(c.Overrides()), test.left)
		})
	}
}

func TestOverridesAreBounded(t *testing.T) {
	c := newCache(t, ppaf, &Options{Breaker: BreakerOptions{Capacity: 100}})
	for n := range 10_000 {
		c.WriteConfirmed(write(key(n)), hostOf(west))
	}
	is(t, "overrides", len(c.Overrides()), 100)
	is(t, "the latest", choose(t, c, write(key(9_999))), west)
	is(t, "the first", choose(t, c, write(key(0))), east)
	for n := range 10_000 {
		c.WriteConfirmed(write(key(n)), hostOf(east))
	}
	is(t, "after the hub took all", len(c.Overrides()), 0)
	is(t, "size", c.overrides.Load().size.Load(), 0)
}

func TestOverrideConcurrentSafe(t *testing.T) {
	c := newCache(t, ppaf, &Options{Breaker: BreakerOptions{Capacity: 8}})
	together(8, func() {
		for n := range 2000 {
			c.WriteConfirmed(write(key(n%16)), hostOf(accountOrder[n/16%3]))
			choose(t, c, write(key(n%16)))
			if n%500 == 0 {
				learn(t, c, account{readable: accountOrder, writable: []string{east}, ppaf: n%1000 == 0})
			}
		}
	})
	is(t, "size", int(c.overrides.Load().size.Load()), len(c.overrides.Load().entries.Keys()))
	for n := range 16 {
		c.WriteConfirmed(write(key(n)), hostOf(east))
	}
	learn(t, c, ppaf)
	for n := range 16 {
		is(t, fmt.Sprint("key ", n), choose(t, c, write(key(n))), east)
	}
}
