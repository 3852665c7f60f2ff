package cosmostest

// grave is where a deletion is remembered for as long as a version that it did not know of may still arrive.
type grave struct {
	c    *container
	item *item
}

// graveyard is the deletions that regions remember, on accounts with several write regions. Those that came first wait in
// old until, first, they have reached all regions, and then, everything has arrived that was written before that.
type graveyard struct {
	fresh, old []grave
	spread     bool   // the old ones have reached all regions
	mark       uint64 // what was written until then must arrive
}

// forget drops deletions that no version can contradict any more.
func (s *store) forget() {
	if len(s.streams) == 0 {
		bury(s.fresh)
		bury(s.old)
		s.fresh, s.old = s.fresh[:0], s.old[:0]
		return
	}
	if len(s.old) == 0 {
		s.old, s.fresh = s.fresh, s.old
		s.spread, s.mark = false, s.seq
		return
	}
	for _, st := range s.streams {
		if st.waiting[0].items[0].write <= s.mark {
			return
		}
	}
	if s.spread {
		bury(s.old)
		s.old = s.old[:0]
	}
	s.spread, s.mark = true, s.seq
}

// bury forgets deletions that are still what regions have of their items, in all regions at once: the next version of
// such an item counts its writes from the start.
func bury(graves []grave) {
	for _, g := range graves {
		for _, rep := range g.c.replicas {
			if rep != nil && rep.keys[g.item.key][g.item.id].item == g.item {
				rep.remove(g.item)
			}
		}
	}
	clear(graves)
}

// sweepInterval is how often a container forgets expired items, in seconds.
const sweepInterval = 60

// sweep forgets expired items, when no older version of them can arrive.
func (c *container) sweep(s *store, now int64) {
	if c.ttl == 0 || now < c.swept+sweepInterval || s.multi && len(s.streams) > 0 {
		return
	}
	c.swept = now
	for _, rep := range c.replicas {
		if rep == nil {
			continue
		}
		for _, rows := range rep.keys {
			for _, r := range rows {
				if !c.there(r.item, now) {
					rep.remove(r.item)
				}
			}
		}
	}
}
