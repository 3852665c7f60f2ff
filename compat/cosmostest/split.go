package cosmostest

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
)

// Partition is what a container's physical partition is at one moment.
type Partition struct {
	// ID is its partition key range id.
	ID string
	// Min (inclusive) and Max (exclusive) are its share of the hash space, as effective partition keys. Both are empty for
	// a partition that [Account.Place] made.
	Min, Max string
	// Parents are the ids of the partitions that it came from, oldest first.
	Parents []string
	// WriteRegion is the region that takes its writes; on accounts with several, the hub.
	WriteRegion string
	// LSN is the log sequence number of its last write by the names of the regions: how far each of them has come.
	LSN map[string]int64
}

// Partitions returns the physical partitions of a container, in the order of their shares of the hash space.
func (a *Account) Partitions(database, containerID string) ([]Partition, error) {
	s := a.store
	s.arrive()
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, f := s.container(database, containerID)
	if f != nil {
		return nil, fmt.Errorf("cosmostest: partitions: %w", f)
	}
	var out []Partition
	for _, p := range c.parts {
		info := Partition{ID: p.id, Parents: slices.Clone(p.parents), WriteRegion: s.names[s.writerOf(p)], LSN: map[string]int64{}}
		if p.hashed() {
			info.Min, info.Max = p.min, p.max
		}
		for site, rep := range c.replicas {
			if rep != nil {
				info.LSN[s.names[site]] = c.lsn(p, site)
			}
		}
		out = append(out, info)
	}
	return out, nil
}

// Split cuts a physical partition in the middle of its share of the hash space, at once and in all regions, and returns
// the ids of the two that take its place. Items move by their effective partition keys, writes that are under way to
// other regions with them. Requests that address the old partition by its id get a 410/1002 from then on; session tokens
// and continuations that clients have of it stay valid.
func (a *Account) Split(database, containerID, rangeID string) (children []string, err error) {
	s := a.store
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(s.now().UnixNano())
	c, p, err := s.partition(database, containerID, rangeID)
	if err != nil {
		return nil, fmt.Errorf("cosmostest: split: %w", err)
	}
	middle, ok := c.middle(p)
	if !ok {
		return nil, fmt.Errorf("cosmostest: split: partition %q has no share of the hash space that can be cut", rangeID)
	}
	if c.shares >= maxPartitions {
		return nil, fmt.Errorf("cosmostest: split: %s has %d partitions; allowed: at most %d", c.path, c.shares, maxPartitions)
	}
	left, right := p.child(c.newID(), p.min, middle), p.child(c.newID(), middle, p.max)
	s.replaceParts(c, []*partition{p}, left, right)
	return []string{left.id, right.id}, nil
}

// Merge makes one physical partition of two or more whose shares of the hash space are next to each other, at once and in
// all regions, and returns its id. Regions that replicate late catch up first, unless they are stopped. For requests,
// session tokens and continuations of the old partitions the same holds as after [Account.Split].
func (a *Account) Merge(database, containerID string, rangeIDs ...string) (merged string, err error) {
	s := a.store
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(s.now().UnixNano())
	var c *container
	var old []*partition
	for _, id := range rangeIDs {
		var p *partition
		if c, p, err = s.partition(database, containerID, id); err != nil {
			return "", fmt.Errorf("cosmostest: merge: %w", err)
		}
		old = append(old, p)
	}
	slices.SortFunc(old, func(a, b *partition) int { return cmp.Compare(a.min, b.min) })
	if len(old) < 2 || !adjacent(old) {
		return "", fmt.Errorf("cosmostest: merge: partitions %q; allowed: two or more with shares of the hash space that are "+
			"next to each other", rangeIDs)
	}
	if err := s.alignWriters(c, old); err != nil {
		return "", err
	}
	return s.merge(c, old).id, nil
}

// alignWriters gives some partitions the same write region.
func (s *store) alignWriters(c *container, parts []*partition) error {
	to, same := noSite, true
	for _, p := range parts {
		writer := s.writerOf(p)
		same = same && writer == s.writerOf(parts[0])
		if to == noSite && !s.down[writer] {
			to = writer
		}
	}
	if same {
		return nil
	}
	if to == noSite {
		return fmt.Errorf("cosmostest: merge: the partitions have different write regions, which are all stopped")
	}
	for _, p := range parts {
		if from := s.writerOf(p); from != to {
			s.moveWriter(c, p, from, to)
			p.writer = to
		}
	}
	return nil
}

// merge makes one partition of several, which have one write region.
func (s *store) merge(c *container, old []*partition) *partition {
	s.pour(func(st *stream) bool { return slices.Contains(old, st.part) && !s.down[st.via] && !s.down[st.to] })
	merged := old[0].child(c.newID(), old[0].min, old[len(old)-1].max)
	for _, p := range old[1:] {
		for _, id := range append(slices.Clone(p.parents), p.id) {
			if !slices.Contains(merged.parents, id) {
				merged.parents = append(merged.parents, id)
			}
		}
		merged.committed = merged.committed.join(p.committed)
	}
	s.replaceParts(c, old, merged)
	return merged
}

func adjacent(parts []*partition) bool {
	for i, p := range parts {
		if !p.hashed() || i > 0 && parts[i-1].max != p.min {
			return false
		}
	}
	return true
}

// child is a new partition that takes the place of p, or of a part of it.
func (p *partition) child(id, low, high string) *partition {
	return &partition{
		id: id, min: low, max: high, parents: append(slices.Clone(p.parents), p.id),
		committed: slices.Clone(p.committed), writer: p.writer, held: p.held,
	}
}

// middle is the position in the middle of a partition; false when there is none.
func (c *container) middle(p *partition) (string, bool) {
	if !p.hashed() {
		return "", false
	}
	low, high := position(p.min), position(p.max)
	if p.max == "FF" {
		high = new(big.Int).Lsh(big.NewInt(1), 126)
		if c.def.version == 1 {
			high = new(big.Int).Lsh(big.NewInt(1), 32)
		}
	}
	half := new(big.Int).Rsh(new(big.Int).Add(low, high), 1)
	text := fmt.Sprintf("%032X", half)
	return text, half.Cmp(low) > 0 && text > p.min && text < p.max
}

// position is the number that the first 32 digits of a position in the hash space are.
func position(epk string) *big.Int {
	n := new(big.Int)
	n.SetString("0"+epk[:min(32, len(epk))], 16)
	return n
}

// replaceParts puts new partitions in the place of old ones, with what is under way to them. The caller holds the lock.
func (s *store) replaceParts(c *container, old []*partition, parts ...*partition) {
	c.parts = slices.DeleteFunc(c.parts, func(p *partition) bool { return slices.Contains(old, p) })
	c.addPartitions(parts...)
	c.version++
	for key, at := range c.placed {
		if !slices.Contains(old, at.part) {
			continue
		}
		i := slices.IndexFunc(parts, func(p *partition) bool { return p.min <= at.epk && at.epk < p.max })
		c.placed[key] = placement{parts[max(i, 0)], at.epk}
	}
	for _, rep := range c.replicas {
		for _, p := range old {
			if rep != nil {
				rep.inherit(p, parts...)
			}
		}
	}
	var moved []*stream
	for _, st := range s.streams {
		if slices.Contains(old, st.part) {
			moved = append(moved, st)
		}
	}
	s.discard(func(st *stream) bool { return slices.Contains(moved, st) })
	for _, st := range moved {
		s.divide(st)
	}
	for _, st := range s.streams {
		if slices.Contains(parts, st.part) {
			st.straighten()
		}
	}
	s.tidy()
}

// divide sends what is under way on a stream on to the partitions that took the place of its own.
func (s *store) divide(old *stream) {
	for _, d := range old.waiting {
		p := old.c.home(d.items[0]) // a transaction has one partition key
		st := &stream{c: old.c, part: p, source: old.source, via: old.via, to: old.to, waiting: []delivery{d}}
		if !s.queue(st) {
			s.open(st)
		}
	}
}

// straighten puts what waits in order. Partitions that were merged have counted their writes each for itself: what the
// region lacks is told by the lowest counts, until all that they stand for has arrived.
func (st *stream) straighten() {
	slices.SortStableFunc(st.waiting, func(a, b delivery) int { return cmp.Compare(a.items[0].write, b.items[0].write) })
	for i := len(st.waiting) - 2; i >= 0; i-- {
		st.waiting[i].before = st.waiting[i].before.meet(st.waiting[i+1].before)
	}
}
