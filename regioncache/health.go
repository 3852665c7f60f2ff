package regioncache

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/sony/gobreaker/v2"
)

// PartitionHealth tells of a partition that fails in a region.
type PartitionHealth struct {
	// Collection is the path of the container, "dbs/d/colls/c".
	Collection string
	// Partition is the partition key range id, "" for operations over the whole
	// container. While the id is unknown it is a short hash of the partition
	// key value, and Logical is true; the same value has another hash in
	// another process.
	Partition string
	Logical   bool
	// Region as the account document spells it, or the host of an endpoint that
	// the account no longer lists.
	Region string
	// Operation is "reads" or "writes"; each fails by itself.
	Operation string
	// State is "counting" while failures add up and nothing follows yet; "open"
	// while requests go to other regions; "probing" when the next request, or
	// one that is under way, finds out whether the region works again.
	State string
	// Failures in a row, failed probes included.
	Failures int
	// Since is when the first of the failures was counted, or when the breaker opened.
	Since time.Time
	// NextProbe is the earliest time of the next probe, zero while counting.
	NextProbe time.Time
}

// Unhealthy lists the partitions that fail in a region, sorted by all that
// names them. Each entry is consistent in itself, and the list holds what was
// true at some time during the call. It costs about a microsecond per entry and
// stops no request.
func (c *Cache) Unhealthy() []PartitionHealth {
	cfg, set, now := c.config.Load(), c.breakers.Load(), time.Now()
	names := c.regionNames()
	keys := set.entries.Keys()
	list := make([]PartitionHealth, 0, len(keys))
	for _, key := range keys {
		b, ok := set.entries.Peek(key)
		if !ok {
			continue
		}
		h, ok := b.health(cfg.Breaker.CounterReset, now)
		if !ok {
			continue
		}
		h.Collection, h.Partition, h.Logical = c.shown(key.partition)
		h.Region = cmp.Or(names[key.host], key.host)
		h.Operation = "reads"
		if key.write {
			h.Operation = "writes"
		}
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b PartitionHealth) int {
		return cmp.Or(cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.Partition, b.Partition),
			cmp.Compare(a.Region, b.Region), cmp.Compare(a.Operation, b.Operation))
	})
	return list
}

// health tells the part of a [PartitionHealth] that the breaker knows; ok is
// false when its failures are so long ago that they no longer count.
func (b *breaker) health(reset time.Duration, now time.Time) (h PartitionHealth, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tripped.Load() {
		h = PartitionHealth{State: "open", Failures: b.failures, Since: b.opened, NextProbe: b.last.Add(b.timeout)}
		if b.gate.State() == gobreaker.StateHalfOpen {
			h.State = "probing"
		}
		return h, true
	}
	if b.failures == 0 || reset > 0 && now.Sub(b.last) > reset {
		return PartitionHealth{}, false
	}
	return PartitionHealth{State: "counting", Failures: b.failures, Since: b.first}, true
}

// EndpointMark tells of an endpoint that is tried last.
type EndpointMark struct {
	// Endpoint is the host and port.
	Endpoint string
	// Region as the account document spells it, "" for an endpoint of no region.
	Region string
	// Reason is "unavailable", "account lost" (403/1008), or "write forbidden"
	// (403/3), which concerns writes alone.
	Reason string
	// Until is when it stands with the others again, unless an answer says so before.
	Until time.Time
}

// Marks lists the endpoints that are tried last, sorted by endpoint.
func (c *Cache) Marks() []EndpointMark {
	current := c.marks.Load()
	if current == nil {
		return nil
	}
	now, names := time.Now(), c.regionNames()
	var list []EndpointMark
	for host, mk := range *current {
		if now.Before(mk.until) {
			list = append(list, EndpointMark{host, names[host], mk.reason.String(), mk.until})
		}
	}
	slices.SortFunc(list, func(a, b EndpointMark) int { return cmp.Compare(a.Endpoint, b.Endpoint) })
	return list
}

// PartitionOverride tells of a partition whose writes start in another region
// than the account's write region, on an account with per-partition automatic
// failover (PPAF).
type PartitionOverride struct {
	// Collection, Partition and Logical are as in [PartitionHealth].
	Collection string
	Partition  string
	Logical    bool
	// Region that took the partition's last write; as in [PartitionHealth].
	Region string
}

// Overrides lists the partitions whose writes start elsewhere, sorted.
func (c *Cache) Overrides() []PartitionOverride {
	set, names := c.overrides.Load(), c.regionNames()
	var list []PartitionOverride
	for _, p := range set.entries.Keys() {
		host, ok := set.entries.Peek(p)
		if !ok {
			continue
		}
		o := PartitionOverride{Region: cmp.Or(names[host], host)}
		o.Collection, o.Partition, o.Logical = c.shown(p)
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b PartitionOverride) int {
		return cmp.Or(cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.Partition, b.Partition))
	})
	return list
}

// regionNames maps the hosts of the account's regions to their names.
func (c *Cache) regionNames() map[string]string {
	names := map[string]string{}
	if s := c.snapshot.Load(); s != nil {
		for _, r := range union(s.topology.readable, s.topology.writable) {
			names[r.Host] = r.Name
		}
	}
	return names
}

// shown is what a listing tells of a partition. Partition key values are the
// caller's data and often personal: only a hash leaves the cache, and its seed
// does not, so that nobody finds the value by trying.
func (c *Cache) shown(p Partition) (collection, id string, logical bool) {
	if p.Logical {
		return p.Collection, fmt.Sprintf("#%08x", uint32(p.value>>32)), true
	}
	return p.Collection, p.ID, false
}
