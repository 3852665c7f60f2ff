package cosmostest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// replica is one region's copy of a container.
type replica struct {
	keys    map[string]map[string]row // canonical partition key → id
	inbound map[*partition][]*stream  // the writes that are still on their way here

	// What another region's taking over has left behind in a region that is down.
	stale map[*partition]bool // partitions of which it is to get a new copy
	lost  []*item             // versions that it has not sent to anybody
}

// row is one item in one region.
type row struct {
	item   *item   // the version that requests see
	rivals []*item // versions that were written without knowledge of it, and it without knowledge of them
	lsn    int64   // the position in the region's log at which it got here
}

func newReplica() *replica {
	return &replica{keys: map[string]map[string]row{}, inbound: map[*partition][]*stream{}, stale: map[*partition]bool{}}
}

func (r *replica) put(it *item, to row) {
	if r.keys[it.key] == nil {
		r.keys[it.key] = map[string]row{}
	}
	r.keys[it.key][it.id] = to
}

func (r *replica) remove(it *item) {
	delete(r.keys[it.key], it.id)
	if len(r.keys[it.key]) == 0 {
		delete(r.keys, it.key)
	}
}

// get returns an item that is there, and all versions of it that the region knows.
func (c *container) get(site int, key, id string, now int64) (*item, row) {
	r := c.replicas[site].keys[key][id]
	if !c.there(r.item, now) {
		return nil, r
	}
	return r.item, r
}

// seen is how far a region has come in a partition: the writes that it has got, by the region that took them. It is
// valid while the store's lock is held.
func (c *container) seen(p *partition, site int) vector {
	v := p.committed
	for _, st := range c.replicas[site].inbound[p] {
		before := st.waiting[0].before
		for i := range v {
			if n := before.at(i); (st.source == noSite || st.source == i) && n < v[i] {
				v = v.with(i, n)
			}
		}
	}
	return v
}

// lsn is seen as a log sequence number.
func (c *container) lsn(p *partition, site int) int64 { return firstLSN + c.seen(p, site).total() }

// everywhere is the log sequence number that all regions have reached.
func (c *container) everywhere(p *partition) int64 {
	lowest := int64(never)
	for site, rep := range c.replicas {
		if rep != nil {
			lowest = min(lowest, c.lsn(p, site))
		}
	}
	return lowest
}

// scan returns the rows of a scope that are in the given physical partition and there, oldest first.
func (c *container) scan(site int, sc scope, p *partition, now int64) []row {
	var out []row
	collect := func(rows map[string]row) {
		for _, r := range rows {
			if c.there(r.item, now) {
				out = append(out, r)
			}
		}
	}
	rep := c.replicas[site]
	if sc.full {
		collect(rep.keys[canonical(sc.key)])
	} else {
		prefix := canonical(sc.key)
		for key, rows := range rep.keys {
			if strings.HasPrefix(key, prefix) && c.holds(p, rows) {
				collect(rows)
			}
		}
	}
	slices.SortFunc(out, func(a, b row) int { return cmp.Compare(a.item.seq, b.item.seq) })
	return out
}

// holds reports whether a partition has the items of one key.
func (c *container) holds(p *partition, rows map[string]row) bool {
	for _, r := range rows {
		return c.home(r.item) == p
	}
	return false
}

// items returns all items that a region has, oldest first.
func (c *container) items(site int, now int64) []*item {
	var out []*item
	for _, rows := range c.replicas[site].keys {
		for _, r := range rows {
			if c.there(r.item, now) {
				out = append(out, r.item)
			}
		}
	}
	slices.SortFunc(out, func(a, b *item) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

// copyPartition makes what a region has of a partition the same as what another region has.
func (c *container) copyPartition(p *partition, from, to int) {
	src, dst := c.replicas[from], c.replicas[to]
	for key, rows := range dst.keys {
		if c.holds(p, rows) {
			delete(dst.keys, key)
		}
	}
	for key, rows := range src.keys {
		if !c.holds(p, rows) {
			continue
		}
		dst.keys[key] = make(map[string]row, len(rows))
		maps.Copy(dst.keys[key], rows)
	}
}
