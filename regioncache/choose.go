package regioncache

import (
	"context"
	"slices"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Choice is the endpoint of one attempt.
type Choice struct {
	// Region to send to, nil while the account's regions are unknown: then the
	// request goes where the client sends it.
	Region *Region
	// Again reports that every region of the list has failed in this operation
	// and the list starts from the top.
	Again bool
	// Excluded reports that Region is excluded like every other region that may
	// serve the operation.
	Excluded bool
	// Probe is set when the attempt is the one that finds out whether an open
	// breaker may close.
	Probe *Probe
}

// Choose picks the endpoint of an operation's next attempt. failed lists the
// hosts that failed in this operation since the list last started from the
// top; ctx carries the operation's exclusions.
//
// One list and one order decide, so that every mechanism has its place:
//
//  1. exclusions       remove regions from the list, whatever else is said;
//     when none is left, the write region serves
//  2. failed           regions that failed in this operation wait until all have
//  3. endpoint marks   put a region behind those that are not marked
//  4. open breakers    put a region behind those whose breaker is closed, of
//     equal mark; one whose wait is over may be probed, by one request
//  5. PPAF override    stands first in the list of writes, else the hub does
//  6. preference       the order of the list decides between equals
//
// A healthy operation costs one atomic load each for topology, marks and
// breakers, and allocates nothing.
func (c *Cache) Choose(ctx context.Context, op *wire.Operation, failed []string) Choice {
	s := c.snapshot.Load()
	if s == nil || op.Scope == wire.ScopeAccount {
		return Choice{}
	}
	cfg := c.config.Load()
	if cfg.PinEndpoint {
		return Choice{Region: c.pinned}
	}
	v := view{
		cache: c, snapshot: s, config: cfg, op: op, failed: failed,
		excluded: excludedBy(ctx), marks: c.marks.Load(),
	}
	v.consultBreakers()
	return v.choose()
}

// view is everything that one choice looks at.
type view struct {
	cache    *Cache
	snapshot *Snapshot
	config   *Options
	op       *wire.Operation
	failed   []string
	excluded []string
	marks    *markSet
	now      time.Time // see clock

	breakers     bool // this operation heeds breakers, and there are some
	hasPartition bool
	partition    Partition
}

func (v *view) consultBreakers() {
	v.breakers = v.cache.breakers.Load().open.Load() > 0 && managed(v.config, v.snapshot, v.op)
}

// managed reports whether the breaker routes an operation: item reads
// everywhere and item writes on multi-write accounts, with more than one region
// to choose from (retry specification, "Per-Partition Circuit Breaker").
func managed(o *Options, s *Snapshot, op *wire.Operation) bool {
	return !o.Breaker.Disabled && op.Scope == wire.ScopeItem && len(s.topology.readable) > 1 &&
		(op.Reads() || s.MultiWrite)
}

func (v *view) choose() Choice {
	list := v.snapshot.list(v.op)
	if v.snapshot.PPAF && v.op.Writes() && v.op.Scope == wire.ScopeItem {
		if first := v.override(list); first != nil {
			list = union([]*Region{first}, list)
		}
	}
	for again := false; ; again = true {
		r, due := v.pick(list, again, true)
		if r == nil && again {
			return Choice{Region: v.snapshot.fallback(v.op), Excluded: true}
		}
		if r == nil {
			continue
		}
		if !due {
			return Choice{Region: r, Again: again}
		}
		if p := v.probe(r); p != nil {
			return Choice{Region: r, Again: again, Probe: p}
		}
		// Another request has just taken the probe: do without one.
		r, _ = v.pick(list, again, false)
		return Choice{Region: r, Again: again}
	}
}

// pick returns the first region of the lowest rank, nil when all are excluded
// or, unless again is set, have failed. due reports that using it takes the
// place of a probe, which only happens when probing is set.
func (v *view) pick(list []*Region, again, probing bool) (best *Region, due bool) {
	lowest := rankWorst + 1
	for _, r := range list {
		if v.excludes(r) || !again && slices.Contains(v.failed, r.Host) {
			continue
		}
		rank, d := v.rank(r, probing)
		if rank < lowest {
			best, due, lowest = r, d, rank
		}
		if rank == rankHealthy {
			break
		}
	}
	return best, due
}

// The ranks of a region, best first.
const (
	rankHealthy = 0
	rankOpen    = 1 // its breaker is open for this partition
	rankMarked  = 2 // its endpoint is marked
	rankWorst   = rankOpen + rankMarked
)

func (v *view) rank(r *Region, probing bool) (rank int, due bool) {
	if v.marks != nil && v.marks.marked(r.Host, v.op.Writes(), v.clock()) {
		rank = rankMarked
	}
	if !v.breakers {
		return rank, false
	}
	switch v.standing(r) {
	case standingOpen:
		return rank + rankOpen, false
	case standingDue:
		if !probing {
			return rank + rankOpen, false
		}
		return rank, true
	}
	return rank, false
}

// standing tells how the operation's partition stands in a region.
func (v *view) standing(r *Region) standing {
	if b := v.cache.breakers.Load().tripped(v.key(r)); b != nil {
		return b.standing(v.clock())
	}
	return standingClosed
}

// clock is the time of the choice. Most choices never ask.
func (v *view) clock() time.Time {
	if v.now.IsZero() {
		v.now = time.Now()
	}
	return v.now
}

func (v *view) excludes(r *Region) bool {
	return len(v.excluded) > 0 && slices.Contains(v.excluded, r.key)
}

func (v *view) probe(r *Region) *Probe {
	p := v.cache.breakers.Load().probe(v.key(r))
	if p != nil {
		p.cache = v.cache
		v.cache.emitPartition(event.KindBreakerProbing, p.key, "its wait is over")
	}
	return p
}

func (v *view) key(r *Region) breakerKey {
	return breakerKey{partition: v.resolve(), host: r.Host, write: v.op.Writes()}
}

func (v *view) resolve() Partition {
	if !v.hasPartition {
		v.partition, v.hasPartition = v.cache.partitions.resolve(v.op), true
	}
	return v.partition
}

// override returns the region that took the partition's last write, as long as
// the operation may use it.
func (v *view) override(list []*Region) *Region {
	overrides := v.cache.overrides.Load()
	if overrides.empty() {
		return nil
	}
	host, ok := overrides.get(v.resolve())
	if !ok {
		return nil
	}
	for _, r := range list {
		if r.Host == host {
			return r
		}
	}
	return nil
}

// Hub returns the region that serves session retries on single-write accounts:
// the write region, or nil when it is excluded or unknown.
func (c *Cache) Hub(ctx context.Context) *Region {
	s := c.snapshot.Load()
	if s == nil || c.config.Load().PinEndpoint {
		return nil
	}
	hub := s.hub()
	if slices.Contains(s.excluded, hub.key) || slices.Contains(excludedBy(ctx), hub.key) {
		return nil
	}
	return hub
}

// Belongs returns the region that a host of the client's choice belongs to, nil
// when it is no region of the account or an excluded one.
func (c *Cache) Belongs(ctx context.Context, scheme, host string) *Region {
	s := c.snapshot.Load()
	if s == nil || c.config.Load().PinEndpoint {
		return nil
	}
	r := s.byAddr(hostPort(scheme, host))
	if r == nil || slices.Contains(s.excluded, r.key) || slices.Contains(excludedBy(ctx), r.key) {
		return nil
	}
	return r
}

// Endpoints is how many regions may serve an operation.
func (c *Cache) Endpoints(ctx context.Context, op *wire.Operation) int {
	s := c.snapshot.Load()
	if s == nil || c.config.Load().PinEndpoint {
		return 1
	}
	excluded := excludedBy(ctx)
	n := 0
	for _, r := range s.list(op) {
		if !slices.Contains(excluded, r.key) {
			n++
		}
	}
	return max(n, 1)
}
