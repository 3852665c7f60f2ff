package regioncache

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// partition names the partition of an operation as the tests compare it.
func partition(c *Cache, op *wire.Operation) string {
	p := c.partitions.resolve(op)
	if p.Logical && p.ID == "" && p.value == c.partitions.hash(op.PartitionKey) {
		return "logical " + op.PartitionKey
	}
	return p.ID
}

func TestPartitionLearned(t *testing.T) {
	token := func(v string) http.Header { return http.Header{wire.HeaderSessionToken: {v}} }
	both := from("3")
	both[wire.HeaderSessionToken] = []string{"4:-1#42"}
	for name, test := range map[string]struct {
		header http.Header
		want   string
	}{
		"nothing told":                   {nil, `logical ["a"]`},
		"by header":                      {from("3"), "3"},
		"by session token":               {token("4:-1#42"), "4"},
		"the header comes first":         {both, "3"},
		"a token of several ranges":      {token("4:-1#42,5:-1#42"), `logical ["a"]`},
		"a token without a range":        {token("-1#42"), `logical ["a"]`},
		"an empty token":                 {token(""), `logical ["a"]`},
		"a header without a value":       {http.Header{wire.HeaderPartitionKeyRangeID: nil}, `logical ["a"]`},
		"a header with an empty one":     {from(""), `logical ["a"]`},
		"an id that is not a number":     {from("rid,7"), "rid,7"},
		"a header that is not canonical": {http.Header{"x-ms-documentdb-partitionkeyrangeid": {"3"}}, `logical ["a"]`},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, single, nil)
			c.Answered(read(`["a"]`), hostOf(east), test.header)
			is(t, "partition", partition(c, read(`["a"]`)), test.want)
			is(t, "of a write", partition(c, write(`["a"]`)), test.want)
			is(t, "of another key", partition(c, read(`["b"]`)), `logical ["b"]`)
		})
	}
}

// TestPartitionKeys has keys that look alike be different ones.
func TestPartitionKeys(t *testing.T) {
	c := newCache(t, single, nil)
	keys := []string{
		`["a"]`, `["A"]`, `["a","b"]`, `["a","b","c"]`, `["a,b"]`, `["ab"]`, `["\u0061"]`,
		`[null]`, `["null"]`, `[{}]`, `["a",null]`, `[""]`, `[0]`, `["0"]`, `[true]`, `[]`, long(2048), long(2047),
	}
	for i, key := range keys {
		located(c, key, fmt.Sprint(i))
	}
	for i, key := range keys {
		is(t, key, partition(c, read(key)), fmt.Sprint(i))
	}
	is(t, "keys", c.partitions.len(), len(keys))
}

func TestPartitionOfContainersApart(t *testing.T) {
	c := newCache(t, single, nil)
	located(c, `["a"]`, "1")
	other := &wire.Operation{Scope: wire.ScopeItem, Collection: "dbs/d/colls/other", PartitionKey: `["a"]`}
	is(t, "before", partition(c, other), `logical ["a"]`)
	c.Answered(other, hostOf(east), from("2"))
	is(t, "after", partition(c, other), "2")
	is(t, "the first one", partition(c, read(`["a"]`)), "1")

	fail(c, read(`["a"]`), east, 10)
	other.PartitionKeyRangeID = "1"
	is(t, "a partition of the same id there", choose(t, c, other), east)
}

// TestPartitionWithoutKey has operations over a whole container, or over one
// feed range, not be taken for those of a key.
func TestPartitionWithoutKey(t *testing.T) {
	c := newCache(t, single, nil)
	query := item(wire.KindQuery, "")
	ranged := item(wire.KindQuery, "")
	ranged.PartitionKeyRangeID = "5"
	c.Answered(query, hostOf(east), from("9"))
	c.Answered(ranged, hostOf(east), from("5"))
	both := item(wire.KindQuery, "[2]")
	both.PartitionKeyRangeID = "5"
	c.Answered(both, hostOf(east), from("5"))
	is(t, "keys", c.partitions.len(), 0)
	is(t, "a query across partitions", partition(c, query), "")
	is(t, "a query over a feed range", partition(c, ranged), "5")

	located(c, "[1]", "5")
	fail(c, query, east, 10)
	is(t, "queries across partitions have a breaker", choose(t, c, query), west)
	is(t, "which is not a partition's", choose(t, c, read("[1]")), east)
	fail(c, ranged, east, 10)
	is(t, "a feed range has its partition's", choose(t, c, read("[1]")), west)
}

func TestPartitionSharesBreaker(t *testing.T) {
	c := newCache(t, single, nil)
	for n := range 20 {
		located(c, key(n), fmt.Sprint(n%2))
	}
	for n := range 10 {
		is(t, "before", choose(t, c, read(key(0))), east)
		fail(c, read(key(2*n)), east, 1)
	}
	is(t, "its keys", choose(t, c, read(key(18))), west)
	is(t, "the other's keys", choose(t, c, read(key(19))), east)
}

// TestPartitionFailsBeforeFirstAnswer counts failures of a container that
// nobody has answered for yet.
func TestPartitionFailsBeforeFirstAnswer(t *testing.T) {
	c := newCache(t, single, nil)
	fail(c, read("[1]"), east, 9)
	c.Answered(read("[1]"), hostOf(west), nil)
	fail(c, read("[1]"), east, 1)
	is(t, "region", choose(t, c, read("[1]")), west)
}

// TestPartitionAdoptsFailures has keys fail in one region before an answer of
// another one tells that they live in the same partition.
func TestPartitionAdoptsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, multi, nil)
		for n := range 9 {
			fail(c, read(key(n)), east, 1)
			c.Answered(read(key(n)), hostOf(west), from("0"))
			is(t, "region", choose(t, c, read(key(0))), east)
		}
		fail(c, write(key(9)), east, 5)
		fail(c, read(key(9)), east, 1)
		c.Answered(read(key(9)), hostOf(west), from("0"))
		is(t, "reads after the tenth failure", choose(t, c, read(key(0))), west)
		is(t, "writes, which had opened alone", choose(t, c, write(key(0))), west)
		is(t, "entries: nothing is left of the keys", len(c.Unhealthy()), 2)

		fail(c, read(key(10)), west, 1)
		time.Sleep(6 * time.Minute)
		c.Answered(read(key(10)), hostOf(north), from("0"))
		is(t, "entries: what is long ago counts no more", len(c.Unhealthy()), 2)
	})
}

func TestPartitionMoves(t *testing.T) {
	gone := func(c *Cache) { c.PartitionGone(read("[1]")) }
	for name, test := range map[string]struct {
		do       func(c *Cache)
		one, two string
	}{
		"split":                     {func(c *Cache) { located(c, "[1]", "10") }, "10", "logical [2]"},
		"the same answer":           {func(c *Cache) { located(c, "[1]", "0") }, "0", "0"},
		"an answer that tells none": {func(c *Cache) { c.Answered(read("[1]"), hostOf(east), nil) }, "0", "0"},
		"410/1002":                  {gone, "logical [1]", "logical [2]"},
		"410/1002 of another one": {func(c *Cache) {
			op := read("[1]")
			op.Collection = "dbs/d/colls/unknown"
			c.PartitionGone(op)
		}, "0", "0"},
		"split and merge": {func(c *Cache) { located(c, "[1]", "10"); located(c, "[2]", "10"); located(c, "[2]", "20") }, "logical [1]", "20"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, single, nil)
			located(c, "[1]", "0")
			located(c, "[2]", "0")
			other := read("[1]")
			other.Collection = "dbs/d/colls/other"
			c.Answered(other, hostOf(east), from("3"))
			test.do(c)
			is(t, "key 1", partition(c, read("[1]")), test.one)
			is(t, "key 2", partition(c, read("[2]")), test.two)
			is(t, "another container", partition(c, other), "3")
		})
	}
}

// TestPartitionSplitLeavesTheOldBreaker has the halves of a split partition
// start without the failures of the whole.
func TestPartitionSplitLeavesTheOldBreaker(t *testing.T) {
	c := newCache(t, single, nil)
	located(c, "[1]", "0")
	located(c, "[2]", "0")
	fail(c, read("[1]"), east, 10)
	is(t, "before", choose(t, c, read("[2]")), west)
	c.Answered(read("[1]"), hostOf(west), from("10"))
	is(t, "one half", choose(t, c, read("[1]")), east)
	is(t, "the other", choose(t, c, read("[2]")), east)
}

// TestPartitionQueriesOverPrefix pages through a query by a prefix of a
// hierarchical key, whose answers come from several partitions: the partitions
// have not moved.
func TestPartitionQueriesOverPrefix(t *testing.T) {
	c := newCache(t, single, nil)
	located(c, `["a","b","c"]`, "3")
	for page := range 10 {
		c.Answered(item(wire.KindQuery, `["a"]`), hostOf(east), from(fmt.Sprint(3+page%2)))
	}
	is(t, "an item below the prefix", partition(c, read(`["a","b","c"]`)), "3")
	is(t, "the prefix", partition(c, item(wire.KindQuery, `["a"]`)), "4")
}

func TestPartitionContainerCreatedAgain(t *testing.T) {
	identity := func(rid, path string) http.Header {
		h := from("0")
		h[wire.HeaderCollectionRID], h[headerContentName] = []string{rid}, []string{path}
		return h
	}
	for name, test := range map[string]struct {
		second  http.Header
		another bool
	}{
		"the same":               {identity("rid1", container), false},
		"created again":          {identity("rid2", container), true},
		"no identity told":       {from("0"), false},
		"an empty one":           {identity("", container), false},
		"that of something else": {identity("rid2", "dbs/d"), false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, single, nil)
			for _, k := range []string{"[1]", "[2]"} {
				c.Answered(read(k), hostOf(east), identity("rid1", container))
			}
			fail(c, read("[1]"), east, 10)
			c.Answered(read("[1]"), hostOf(west), test.second)
			region, second := west, "0"
			if test.another {
				region, second = east, "logical [2]"
			}
			is(t, "the same partition id", partition(c, read("[1]")), "0")
			is(t, "its region", choose(t, c, read("[1]")), region)
			is(t, "the other key", partition(c, read("[2]")), second)
		})
	}
}

// TestPartitionManyContainers goes past the limit of containers: what was
// learned is forgotten and learned again, and nothing else happens.
func TestPartitionManyContainers(t *testing.T) {
	c := newCache(t, single, nil)
	op := read("[1]")
	for n := range maxCollections + 100 {
		op.Collection = fmt.Sprint("dbs/d/colls/", n)
		c.Answered(op, hostOf(east), from("7"))
		is(t, "at once", partition(c, op), "7")
	}
	if n := len(*c.partitions.collections.Load()); n > maxCollections {
		t.Errorf("%d containers are remembered: want at most %d", n, maxCollections)
	}
	op.Collection = "dbs/d/colls/0"
	is(t, "the first one", partition(c, op), "logical [1]")
}

// TestPartitionMapIsBounded teaches a million keys, and weighs what stays.
func TestPartitionMapIsBounded(t *testing.T) {
	const limit = partitionShards * keysPerShard
	keys := 1_000_000
	if raceEnabled {
		keys = 2 * limit
	}
	c := newCache(t, single, nil)
	before := heap()
	for n := range keys {
		located(c, key(n), fmt.Sprint(n%100))
	}
	after := heap()
	if n := c.partitions.len(); n > limit || n < limit*9/10 {
		t.Errorf("%d keys are remembered: want just up to %d", n, limit)
	}
	var kept int
	for n := keys - 1000; n < keys; n++ {
		if partition(c, read(key(n))) == fmt.Sprint(n%100) {
			kept++
		}
	}
	is(t, "of the latest 1,000 keys", kept, 1000)
	perKey := float64(after-before) / limit
	t.Logf("%.0f bytes per remembered key, %.1f MiB in all", perKey, float64(after-before)/(1<<20))
	if perKey > 250 {
		t.Errorf("a remembered key takes %.0f bytes: want at most 250", perKey)
	}
	runtime.KeepAlive(c)
}

// TestBreakersAreBounded fails many keys, and weighs what stays.
func TestBreakersAreBounded(t *testing.T) {
	c := newCache(t, single, nil)
	keys := 100_000
	if raceEnabled {
		keys = 20_000
	}
	before := heap()
	for n := range keys {
		fail(c, read(key(n)), east, 1)
	}
	after := heap()
	is(t, "entries", len(c.breakers.Load().entries.Keys()), 8192)
	is(t, "size", c.breakers.Load().size.Load(), 8192)
	perEntry := float64(after-before) / 8192
	t.Logf("%.0f bytes per remembered failure, %.1f MiB in all", perEntry, float64(after-before)/(1<<20))
	if perEntry > 1024 {
		t.Errorf("a remembered failure takes %.0f bytes: want at most 1,024", perEntry)
	}
	runtime.KeepAlive(c)
}

// heap is how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestPartitionConcurrentSafe splits and merges while others resolve: no one
// sees a partition that never was.
func TestPartitionConcurrentSafe(t *testing.T) {
	c := newCache(t, single, nil)
	ids := []string{"0", "10", "20"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 3000 {
			located(c, key(n%7), ids[n/100%3])
			if n%500 == 0 {
				c.PartitionGone(read(key(0)))
			}
		}
	}()
	together(16, func() {
		for {
			for n := range 7 {
				if p := c.partitions.resolve(read(key(n))); !p.Logical && !slices.Contains(ids, p.ID) {
					t.Errorf("key %d is in %q", n, p.ID)
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
}
