package cosmostest

// writerOf is the site that takes the writes of a partition in an account with one write region.
func (s *store) writerOf(p *partition) int {
	if p.writer != noSite {
		return p.writer
	}
	return s.hub
}

// moveHub makes a region the hub. On accounts with one write region the partitions go with it. With keep, partitions
// that have a write region of their own keep it for as long as the hub is the same.
func (s *store) moveHub(hub int, keep bool) {
	was := s.hub
	s.hub = hub
	if hub == was && keep {
		return
	}
	for c := range s.containers() {
		for _, p := range c.parts {
			from := was
			if p.writer != noSite {
				from = p.writer
			}
			p.writer, p.held = noSite, false
			if from != hub && !s.multi {
				s.moveWriter(c, p, from, hub)
			}
		}
	}
}

// moveWriter lets another region take the writes of a partition. It catches up first; when the old one is down, what
// that one has not sent is lost.
func (s *store) moveWriter(c *container, p *partition, from, to int) {
	ours := func(st *stream) bool { return st.c == c && st.part == p }
	if s.down[from] {
		s.abandon(c, p, from, to)
	} else {
		s.pour(func(st *stream) bool { return ours(st) && st.to == to && !s.down[st.via] })
	}
	for _, st := range s.streams {
		if ours(st) && st.via == from {
			st.via = to // which has all of it, and sends it on
		}
	}
	p.troubled = false
	s.tidy() // other links, other times
}

// abandon gives up the writes to a partition that its dead write region has not sent to its successor. The other
// regions start again from what the successor has; the dead one will when it is back.
func (s *store) abandon(c *container, p *partition, from, to int) {
	dead, any := c.replicas[from], false
	for _, st := range c.replicas[to].inbound[p] {
		if st.via != from {
			continue
		}
		any = true
		p.committed = c.seen(p, to)
		for _, d := range st.waiting {
			dead.lost = append(dead.lost, d.items...)
		}
	}
	if !any {
		return
	}
	dead.stale[p] = true
	s.discard(func(st *stream) bool { return st.c == c && st.part == p && (st.via == from || st.to != to) })
	for site, rep := range c.replicas {
		if rep != nil && site != from && site != to {
			c.copyPartition(p, to, site)
		}
	}
}

// rejoin brings a region up to date that was down while others took over its writes. What it had alone becomes
// conflicts.
func (s *store) rejoin(c *container, site int) {
	rep := c.replicas[site]
	for _, p := range c.parts {
		if rep.stale[p] {
			s.restore(c, p, s.source(c, p, site), site)
		}
	}
	for _, it := range rep.lost {
		c.lose(s, site, it, nil)
	}
	clear(rep.stale)
	rep.lost = nil
}

// source is the region that another one can get a partition from: the write region, or when that is down, the one that
// has come furthest.
func (s *store) source(c *container, p *partition, site int) int {
	best := s.writerOf(p)
	if !s.down[best] {
		return best
	}
	furthest := int64(-1)
	for i, rep := range c.replicas {
		if rep != nil && i != site && !s.down[i] && !rep.stale[p] && c.lsn(p, i) > furthest {
			best, furthest = i, c.lsn(p, i)
		}
	}
	return best
}

// restore makes a region the same as another one, as to a partition: what is there, and what is under way.
func (s *store) restore(c *container, p *partition, from, to int) {
	c.copyPartition(p, from, to)
	s.discard(func(st *stream) bool { return st.c == c && st.part == p && st.to == to })
	for _, st := range c.replicas[from].inbound[p] {
		s.open(st.copyTo(to))
	}
}

// inherit makes new partitions stale in place of the one that they came from.
func (r *replica) inherit(old *partition, parts ...*partition) {
	if !r.stale[old] {
		return
	}
	delete(r.stale, old)
	for _, p := range parts {
		r.stale[p] = true
	}
}
