package regioncache

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

func TestSnapshotOrder(t *testing.T) {
	two := account{readable: accountOrder, writable: []string{west, east}, multiWrite: true}
	for name, test := range map[string]struct {
		account                              account
		preferred, excluded                  []string
		reads, writes, metaReads, metaWrites []string
	}{
		"single-write": {single, nil, nil, accountOrder, []string{east}, accountOrder, []string{east}},
		"single-write, preferred": {single, []string{north, west}, nil,
			[]string{north, west, east}, []string{east}, []string{north, west, east}, []string{east}},
		"single-write, hub excluded": {single, nil, []string{east}, []string{west, north}, []string{east}, []string{west, north}, []string{east}},
		"single-write with two write regions": {account{readable: accountOrder, writable: []string{west, east}}, []string{east}, nil,
			accountOrder, []string{west, east}, accountOrder, []string{west, east}},
		"multi-write":            {multi, nil, nil, accountOrder, accountOrder, accountOrder, []string{east}},
		"multi-write, preferred": {multi, []string{north}, nil, []string{north, east, west}, []string{north, east, west}, []string{north, east, west}, []string{east}},
		"multi-write, not everywhere": {two, []string{north}, nil,
			[]string{north, east, west}, []string{west, east}, []string{north, east, west}, []string{west}},
		"multi-write, hub excluded": {multi, []string{north}, []string{east}, []string{north, west}, []string{north, west}, []string{north, west}, []string{east}},
		"PPAF":                      {ppaf, []string{north}, nil, []string{north, east, west}, []string{east, north, west}, []string{north, east, west}, []string{east}},
		"PPAF, hub excluded":        {ppaf, nil, []string{east}, []string{west, north}, []string{west, north}, []string{west, north}, []string{east}},
		"all excluded":              {single, []string{north}, accountOrder, []string{east}, []string{east}, []string{east}, []string{east}},
		"all excluded, multi-write": {multi, []string{north}, accountOrder, []string{north}, []string{north}, []string{north}, []string{east}},
		"unknown names": {single, []string{"Mars", "West US 2"}, []string{"Moon"},
			accountOrder, []string{east}, accountOrder, []string{east}},
		"names in other spellings": {multi, []string{"NORTH_europe", "west-us", "North Europe"}, []string{" eastUS "},
			[]string{north, west}, []string{north, west}, []string{north, west}, []string{east}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, test.account, &Options{PreferredRegions: test.preferred, ExcludedRegions: test.excluded})
			ctx := context.Background()
			equal(t, "reads", route(c, ctx, read("[1]")), test.reads)
			equal(t, "writes", route(c, ctx, write("[1]")), test.writes)
			equal(t, "metadata reads", route(c, ctx, metadata(wire.KindRead)), test.metaReads)
			equal(t, "metadata writes", route(c, ctx, metadata(wire.KindCreate)), test.metaWrites)
		})
	}
}

func TestSnapshotLists(t *testing.T) {
	c := newCache(t, account{readable: []string{east, west}, writable: []string{west, north}, multiWrite: true},
		&Options{PreferredRegions: []string{west}, ExcludedRegions: []string{north}})
	s := c.Snapshot()
	equal(t, "reads", names(s.Reads()), []string{west, east})
	equal(t, "writes", names(s.Writes()), []string{west})
	equal(t, "regions", names(s.Regions()), []string{east, west, north})
	for i, want := range []struct{ readable, writable bool }{{true, false}, {true, true}, {false, true}} {
		is(t, "readable", s.Regions()[i].Readable, want.readable)
		is(t, "writable", s.Regions()[i].Writable, want.writable)
	}
	s.Reads()[0].Name = "changed"
	equal(t, "reads after a caller changed its copy", names(c.Snapshot().Reads()), []string{west, east})
}

func names(regions []Region) []string {
	var list []string
	for _, r := range regions {
		list = append(list, r.Name)
	}
	return list
}

func TestRegionKey(t *testing.T) {
	for _, name := range []string{"East US", "eastus", "EASTUS", "east-us", "East_US", " East\tUS "} {
		is(t, name, regionKey(name), "eastus")
	}
	for _, name := range []string{"East US 2", "East", "US East", "EastUS2", "East Asia"} {
		if regionKey(name) == "eastus" {
			t.Errorf("%q is taken for East US", name)
		}
	}
}

// TestRoutingProperties draws accounts, preferences, exclusions, marks, open
// breakers and overrides by chance.
func TestRoutingProperties(t *testing.T) {
	seeds := uint64(3000)
	if raceEnabled {
		seeds = 300
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 0))
		c := anyCache(t, random)
		if checkRouting(t, c); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func anyCache(t *testing.T, random *rand.Rand) *Cache {
	all := []string{"A", "B", "C", "D", "E"}
	some := func() []string {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return slices.Clone(all[:random.IntN(len(all)+1)])
	}
	acct := account{readable: some(), writable: some(), multiWrite: random.IntN(2) == 0, ppaf: random.IntN(2) == 0}
	if len(acct.readable)+len(acct.writable) == 0 {
		acct.readable = []string{"A"}
	}
	c := newCache(t, acct, &Options{PreferredRegions: some(), ExcludedRegions: some()})
	for _, region := range some() {
		fail(c, read("[1]"), region, 10)
		fail(c, write("[1]"), region, 5)
	}
	for _, m := range markings {
		for _, region := range some() {
			if random.IntN(3) == 0 {
				m.set(c, hostOf(region))
			}
		}
	}
	c.WriteConfirmed(write("[1]"), hostOf(all[0]))
	return c
}

// checkRouting checks what holds for every topology: an operation visits each
// region that it may use, once and in the order of the marks, before it starts
// again, and no other one.
func checkRouting(t *testing.T, c *Cache) {
	t.Helper()
	for _, op := range []*wire.Operation{read("[1]"), write("[1]"), metadata(wire.KindRead), metadata(wire.KindCreate)} {
		for _, out := range [][]string{nil, {"A"}, {"B", "C"}, {"A", "B", "C", "D", "E"}} {
			ctx := WithExcludedRegions(context.Background(), out...)
			checkRoute(t, c, ctx, op)
		}
	}
}

func checkRoute(t *testing.T, c *Cache, ctx context.Context, op *wire.Operation) {
	t.Helper()
	s := c.Snapshot()
	allowed := slices.DeleteFunc(slices.Clone(s.list(op)), func(r *Region) bool { return slices.Contains(excludedBy(ctx), r.key) })
	is(t, "endpoints", c.Endpoints(ctx, op), max(len(allowed), 1))
	if len(allowed) == 0 {
		is(t, "when all are excluded", c.Choose(ctx, op, nil).Region, s.fallback(op))
		return
	}
	visited := visits(c, ctx, op)
	wasMarked := false
	for _, r := range visited {
		if !slices.Contains(allowed, r) || slices.Contains(s.excluded, r.key) {
			t.Errorf("%s is not allowed", r.Name)
		}
		is := c.marks.Load() != nil && c.marks.Load().marked(r.Host, op.Writes(), time.Now())
		if wasMarked && !is {
			t.Errorf("%s comes after a marked region", r.Name)
		}
		wasMarked = is
	}
	if len(distinct(visited)) != len(distinct(allowed)) {
		t.Errorf("%d regions visited, %d allowed", len(visited), len(allowed))
	}
}

// visits is route by regions.
func visits(c *Cache, ctx context.Context, op *wire.Operation) []*Region {
	var visited []*Region
	var failed []string
	for {
		choice := c.Choose(ctx, op, failed)
		if choice.Again {
			return visited
		}
		visited, failed = append(visited, choice.Region), append(failed, choice.Region.Host)
	}
}

// distinct lists the hosts of regions: two names can have one.
func distinct(regions []*Region) map[string]bool {
	hosts := map[string]bool{}
	for _, r := range regions {
		hosts[r.Host] = true
	}
	return hosts
}
