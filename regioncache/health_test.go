package regioncache

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestUnhealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, multi, nil)
		start := time.Now()
		is(t, "entries of a healthy account", len(c.Unhealthy()), 0)
		located(c, "[1]", "7")
		fail(c, read("[1]"), west, 3)
		time.Sleep(time.Second)
		fail(c, read("[1]"), west, 1)
		fail(c, read("[1]"), east, 10)
		fail(c, write("[1]"), east, 7)
		other := read("[1]")
		other.Collection = "dbs/a/colls/a"
		fail(c, other, "Mars", 1)

		got := c.Unhealthy()
		for i := range got {
			if got[i].State != "open" {
				is(t, "next probe", got[i].NextProbe, time.Time{})
				continue
			}
			if wait := got[i].NextProbe.Sub(got[i].Since); wait < 5*time.Second || wait > 7500*time.Millisecond {
				t.Errorf("the next probe is after %v", wait)
			}
			got[i].NextProbe = time.Time{}
		}
		later := start.Add(time.Second)
		hash := got[0].Partition
		equal(t, "entries", got, []PartitionHealth{
			{"dbs/a/colls/a", hash, true, hostOf("Mars"), "reads", "counting", 1, later, time.Time{}},
			{container, "7", false, east, "reads", "open", 10, later, time.Time{}},
			{container, "7", false, east, "writes", "open", 5, later, time.Time{}},
			{container, "7", false, west, "reads", "counting", 4, start, time.Time{}},
		})
	})
}

func TestUnhealthyOverTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, single, nil)
		fail(c, read("[1]"), east, 10)
		fail(c, read("[1]"), west, 9)
		opened := time.Now()
		row := func(region string) *PartitionHealth {
			list := c.Unhealthy()
			if i := slices.IndexFunc(list, func(h PartitionHealth) bool { return h.Region == region }); i >= 0 {
				return &list[i]
			}
			return nil
		}
		is(t, "at first", row(east).State, "open")
		time.Sleep(row(east).NextProbe.Sub(opened) + 1)
		is(t, "when due", row(east).State, "probing")
		p := probe(c, read("[1]"), east)
		is(t, "while probed", row(east).State, "probing")
		time.Sleep(time.Second)
		p.Failed(time.Now())
		is(t, "after it failed", row(east).State, "open")
		is(t, "failures", row(east).Failures, 11)
		is(t, "since", row(east).Since, opened)
		if wait := time.Until(row(east).NextProbe); wait < 5*time.Second || wait > 7500*time.Millisecond {
			t.Errorf("the next probe is in %v", wait)
		}
		time.Sleep(8 * time.Second)
		probe(c, read("[1]"), east).Succeeded()
		is(t, "after one succeeded", row(east), nil)
		is(t, "the other is still counted", row(west).Failures, 9)
		time.Sleep(5 * time.Minute)
		is(t, "and later no more", row(west), nil)
	})
}

// TestListingsTellNoKeys lists partitions that only a key value names.
func TestListingsTellNoKeys(t *testing.T) {
	c := newCache(t, ppaf, nil)
	keys := []string{`["jane.doe@example.com"]`, `["+1 555 0100"]`, `["1"]`, `["2"]`}
	for _, k := range keys {
		fail(c, read(k), east, 1)
		c.WriteConfirmed(write(k), hostOf(west))
	}
	unhealthy, overrides := c.Unhealthy(), c.Overrides()
	is(t, "entries", len(unhealthy), len(keys))
	is(t, "overrides", len(overrides), len(keys))
	hashes := map[string]bool{}
	for i, h := range unhealthy {
		hashes[h.Partition] = true
		if !h.Logical || len(h.Partition) != 9 || strings.Trim(h.Partition[1:], "0123456789abcdef") != "" {
			t.Errorf("partition %q, logical %t: want a hash of 8 digits", h.Partition, h.Logical)
		}
		is(t, "the override's hash", overrides[i].Partition, h.Partition)
		is(t, "the override's region", overrides[i].Region, west)
	}
	is(t, "different hashes", len(hashes), len(keys))
}

func TestMarksSorted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, single, &Options{UnavailableFor: time.Minute})
		is(t, "marks at first", len(c.Marks()), 0)
		c.MarkWriteForbidden(hostOf(west))
		c.MarkAccountLost(hostOf(east))
		c.MarkUnavailable("acct.documents.azure.com:443")
		until := time.Now().Add(time.Minute)
		equal(t, "marks", c.Marks(), []EndpointMark{
			{hostOf(east), east, "account lost", until},
			{hostOf(west), west, "write forbidden", until},
			{"acct.documents.azure.com:443", "", "unavailable", until},
		})
	})
}

func TestOverridesSorted(t *testing.T) {
	c := newCache(t, ppaf, nil)
	for _, id := range []string{"3", "1", "2"} {
		op := write("")
		op.PartitionKeyRangeID = id
		c.WriteConfirmed(op, hostOf(map[string]string{"1": west, "2": north, "3": west}[id]))
	}
	equal(t, "overrides", c.Overrides(), []PartitionOverride{
		{container, "1", false, west}, {container, "2", false, north}, {container, "3", false, west},
	})
	learn(t, c, account{readable: []string{east, north}, writable: []string{east}, ppaf: true})
	is(t, "a region that is gone", c.Overrides()[0].Region, hostOf(west))
}

// TestListingsConcurrentSafe lists a full cache while everything moves.
func TestListingsConcurrentSafe(t *testing.T) {
	c := newCache(t, multi, &Options{Breaker: BreakerOptions{Capacity: 64}})
	rounds := 20_000
	if raceEnabled {
		rounds = 2000
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range rounds {
			op := read(key(n % 200))
			if fail(c, op, east, 1); n%3 == 0 {
				c.Answered(op, hostOf(east), nil)
			}
		}
	}()
	together(4, func() {
		for {
			list := c.Unhealthy()
			if len(list) > 64 || !slices.IsSortedFunc(list, func(a, b PartitionHealth) int { return strings.Compare(a.Partition, b.Partition) }) {
				t.Error(fmt.Sprint(len(list), " entries, or not sorted"))
			}
			for _, h := range list {
				if open := h.Failures >= 10; open != (h.State != "counting") || open == h.NextProbe.IsZero() || h.Since.IsZero() {
					t.Errorf("an entry that never was: %+v", h)
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
