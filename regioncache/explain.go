package regioncache

import (
	"context"
	"slices"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Explanation says where an operation would go, and why.
type Explanation struct {
	// Partition that the key lives in, as far as it is known; see
	// [PartitionHealth] for Partition and Logical.
	Partition string
	Logical   bool
	// Override is the region that took the partition's last write, for writes on
	// an account with PPAF.
	Override string
	// Candidates are the regions in the order in which the operation would try
	// them, excluded ones last.
	Candidates []Candidate
}

// Candidate is one region's place in an [Explanation].
type Candidate struct {
	Region, Endpoint string
	// Excluded regions are not used, unless all are.
	Excluded bool
	// Marked, when not empty, says why the endpoint is tried last.
	Marked string
	// Breaker is "closed", "open", or "due" when one request may probe the
	// region; "" for operations that no breaker manages.
	Breaker string
}

// Explain tells where an operation on an item would go now, without sending
// anything and without an effect. collection is the path of the container
// ("dbs/d/colls/c"); partitionKey is the value as its header carries it, a JSON
// array such as ["a"], or "" for an operation over the whole container.
// It returns nil while the account's regions are unknown.
func (c *Cache) Explain(ctx context.Context, collection, partitionKey string, write bool) *Explanation {
	s := c.snapshot.Load()
	if s == nil {
		return nil
	}
	op := wire.Operation{Scope: wire.ScopeItem, Collection: collection, PartitionKey: partitionKey}
	if write {
		op.Kind = wire.KindReplace
	}
	v := view{
		cache: c, snapshot: s, config: c.config.Load(), op: &op,
		excluded: excludedBy(ctx), marks: c.marks.Load(),
	}
	v.consultBreakers()
	e := new(Explanation)
	_, e.Partition, e.Logical = c.shown(v.resolve())
	list := s.list(&op)
	if s.PPAF && write {
		if first := v.override(list); first != nil {
			e.Override = first.Name
			list = union([]*Region{first}, list)
		}
	}
	e.Candidates = v.candidates(list)
	return e
}

// candidates sorts the regions of a list as choose would use them.
func (v *view) candidates(list []*Region) []Candidate {
	ranked := slices.Clone(list)
	slices.SortStableFunc(ranked, func(a, b *Region) int { return v.order(a) - v.order(b) })
	var all []Candidate
	for _, r := range union(ranked, v.snapshot.topology.readable, v.snapshot.topology.writable) {
		listed := slices.Contains(list, r)
		if !listed && !slices.Contains(v.snapshot.excluded, r.key) {
			continue // not a region for this operation
		}
		all = append(all, v.candidate(r, listed))
	}
	return all
}

// order is a region's rank, behind all others when it is excluded.
func (v *view) order(r *Region) int {
	if v.excludes(r) {
		return rankWorst + 1
	}
	rank, _ := v.rank(r, true)
	return rank
}

func (v *view) candidate(r *Region, listed bool) Candidate {
	c := Candidate{Region: r.Name, Endpoint: r.Endpoint(), Excluded: !listed || v.excludes(r)}
	if v.marks != nil && v.marks.marked(r.Host, v.op.Writes(), v.clock()) {
		c.Marked = (*v.marks)[r.Host].reason.String()
	}
	if managed(v.config, v.snapshot, v.op) {
		c.Breaker = [...]string{"closed", "open", "due"}[v.standing(r)]
	}
	return c
}
