package regioncache

import (
	"slices"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Snapshot is what the cache knows of the account's regions, in the order in
// which they are used. It is immutable and safe for concurrent use.
type Snapshot struct {
	// MultiWrite reports whether every writable region takes item writes.
	MultiWrite bool
	// PPAF reports whether the account fails over writes per partition.
	PPAF bool
	// Observed is when the account read began that this snapshot came from.
	Observed time.Time

	topology  topology
	preferred *Region  // first for item writes, exclusions aside
	excluded  []string // client-wide, as region keys

	// The lists, client-wide exclusions removed: see [Snapshot.list].
	reads      []*Region
	itemWrites []*Region
	metaWrites []*Region
}

// newSnapshot orders a topology by the client's preferences. It is pure.
func newSnapshot(t topology, preferred, excluded []string, observed time.Time) *Snapshot {
	s := &Snapshot{MultiWrite: t.multiWrite, PPAF: t.ppaf && !t.multiWrite, Observed: observed, topology: t}
	for _, name := range excluded {
		s.excluded = append(s.excluded, regionKey(name))
	}
	reads := prefer(t.readable, preferred)
	writes := t.writable
	s.preferred = t.writable[0]
	switch {
	case t.multiWrite:
		writes = prefer(t.writable, preferred)
		s.preferred = writes[0]
		s.metaWrites = s.without([]*Region{s.hub()})
	case s.PPAF:
		s.metaWrites = s.without(writes)
		writes = union(writes, reads)
	default:
		s.metaWrites = s.without(writes)
	}
	s.reads, s.itemWrites = s.without(reads), s.without(writes)
	return s
}

// prefer puts the preferred regions first, in the order of preference, and
// keeps the others in account order.
func prefer(regions []*Region, preferred []string) []*Region {
	var first []*Region
	for _, name := range preferred {
		key := regionKey(name)
		for _, r := range regions {
			if r.key == key {
				first = append(first, r)
			}
		}
	}
	return union(first, regions)
}

func union(lists ...[]*Region) []*Region {
	var all []*Region
	for _, list := range lists {
		for _, r := range list {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

func (s *Snapshot) without(regions []*Region) []*Region {
	var left []*Region
	for _, r := range regions {
		if !slices.Contains(s.excluded, r.key) {
			left = append(left, r)
		}
	}
	return left
}

// Regions lists the account's regions: the readable ones in account order,
// then those that are only writable.
func (s *Snapshot) Regions() []Region {
	var all []Region
	for _, r := range union(s.topology.readable, s.topology.writable) {
		all = append(all, *r)
	}
	return all
}

// Reads lists the regions that serve reads, in order of preference and without
// the excluded ones.
func (s *Snapshot) Reads() []Region { return values(s.reads) }

// Writes lists the regions that serve item writes, in the order of their use
// and without the excluded ones.
func (s *Snapshot) Writes() []Region { return values(s.itemWrites) }

func values(regions []*Region) []Region {
	list := make([]Region, len(regions))
	for i, r := range regions {
		list[i] = *r
	}
	return list
}

// list returns the regions that may serve an operation, in order:
//
//	reads                       readable regions, preferred ones first
//	item writes, multi-write    writable regions, preferred ones first
//	item writes, PPAF           writable regions, then the readable ones
//	item writes, single-write   writable regions in account order
//	metadata writes             the same; on multi-write accounts the hub alone
func (s *Snapshot) list(op *wire.Operation) []*Region {
	switch {
	case op.Reads():
		return s.reads
	case op.Scope == wire.ScopeItem:
		return s.itemWrites
	}
	return s.metaWrites
}

// hub is the region that takes metadata writes, and on single-write accounts
// all writes.
func (s *Snapshot) hub() *Region { return s.topology.writable[0] }

// fallback serves an operation when every region of its list is excluded: the
// hub, or on multi-write accounts the preferred write region (retry
// specification, "Endpoint Exhaustion Fallback").
func (s *Snapshot) fallback(op *wire.Operation) *Region {
	if op.Writes() && op.Scope == wire.ScopeMetadata {
		return s.hub()
	}
	return s.preferred
}

// byAddr finds the region that a host belongs to.
func (s *Snapshot) byAddr(addr string) *Region {
	for _, list := range [2][]*Region{s.topology.readable, s.topology.writable} {
		for _, r := range list {
			if r.addr == addr {
				return r
			}
		}
	}
	return nil
}

// lists reports whether the account still has the region behind a host.
func (s *Snapshot) lists(host string) bool {
	for _, list := range [2][]*Region{s.topology.readable, s.topology.writable} {
		for _, r := range list {
			if r.Host == host {
				return true
			}
		}
	}
	return false
}

// unknown returns the preferred names that the account has no region for.
func (t *topology) unknown(preferred []string) []string {
	var names []string
	for _, name := range preferred {
		key := regionKey(name)
		same := func(r *Region) bool { return r.key == key }
		if !slices.ContainsFunc(t.readable, same) && !slices.ContainsFunc(t.writable, same) {
			names = append(names, name)
		}
	}
	return names
}
