package cosmostest

import (
	"iter"
	"maps"
	"slices"
	"time"
)

// noSite is the index of no region.
const noSite = -1

// link is how one region replicates to another.
type link struct {
	lag    time.Duration
	paused bool
}

// link returns the state of replication between two sites.
func (s *store) link(from, to int) link {
	if l, ok := s.links[[2]int{from, to}]; ok {
		return l
	}
	return link{lag: s.lag}
}

// adopt makes the store follow a new topology. The caller holds the lock, here and in what follows.
func (s *store) adopt(t *topology) {
	s.settle(s.now().UnixNano())
	s.lag = t.cfg.ReplicationLag
	for _, name := range t.cfg.Regions {
		s.join(name)
	}
	multi, hub := t.multi(), s.sites[regionKey(t.hub)]
	if s.multi && !multi {
		s.catchUp()
	}
	s.multi, s.strong, s.throttle = multi, t.cfg.Consistency == "Strong", t.cfg.EnforceThroughput
	s.moveHub(hub, t.cfg.PPAF && !multi)
	for site, name := range s.names {
		if s.present[site] && !t.readable[regionKey(name)] {
			s.leave(site)
		}
	}
	s.settle(s.now().UnixNano())
}

// containers are all containers, in no order.
func (s *store) containers() iter.Seq[*container] {
	return func(yield func(*container) bool) {
		for _, db := range s.dbs {
			for _, c := range db.colls {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// join gives a region a copy of what the hub has, unless it has one already.
func (s *store) join(name string) {
	site, ok := s.sites[regionKey(name)]
	if !ok {
		site = len(s.names)
		s.sites[regionKey(name)] = site
		s.names, s.present, s.down = append(s.names, name), append(s.present, false), append(s.down, false)
	}
	if s.present[site] {
		return
	}
	s.present[site] = true
	s.version++
	for c := range s.containers() {
		for len(c.replicas) <= site {
			c.replicas = append(c.replicas, nil)
		}
		c.replicas[site] = newReplica()
		hub := c.replicas[s.hub]
		for key, rows := range hub.keys {
			c.replicas[site].keys[key] = maps.Clone(rows)
		}
		for _, streams := range hub.inbound {
			for _, st := range streams {
				s.open(st.copyTo(site))
			}
		}
	}
}

// leave takes the data of a region away. What it has not sent yet is sent first; when it is down, what no other region
// has got is lost, and the others get the rest from each other.
func (s *store) leave(site int) {
	s.pour(func(st *stream) bool { return st.via == site && !s.down[site] && !s.down[st.to] })
	if s.down[site] {
		s.loseUnsent(site)
	}
	for _, st := range s.streams {
		if st.via == site {
			st.via = s.hub
		}
	}
	s.discard(func(st *stream) bool { return st.to == site })
	for c := range s.containers() {
		for _, p := range c.parts {
			if p.writer == site {
				p.writer, p.held = noSite, false
			}
		}
		c.replicas[site] = nil
	}
	s.present[site] = false
	s.version++
}

// loseUnsent drops what all other regions are waiting for from a dead one.
func (s *store) loseUnsent(site int) {
	others := -1
	for _, present := range s.present {
		if present {
			others++
		}
	}
	waiting := map[*item]int{}
	for _, st := range s.streams {
		for _, d := range st.waiting {
			if st.via == site {
				waiting[d.items[0]]++
			}
		}
	}
	for _, st := range s.streams {
		if st.via != site {
			continue
		}
		st.waiting = slices.DeleteFunc(st.waiting, func(d delivery) bool {
			lost := waiting[d.items[0]] == others
			for _, it := range d.items {
				if lost {
					st.c.lose(s, site, it, nil)
				}
			}
			return lost
		})
	}
	s.discard(func(st *stream) bool { return len(st.waiting) == 0 })
}

// discard drops the streams that which is true of. The caller calls tidy when it is done.
func (s *store) discard(which func(*stream) bool) {
	s.streams = slices.DeleteFunc(s.streams, func(st *stream) bool {
		gone := which(st)
		if gone {
			st.drop()
		}
		return gone
	})
}

// catchUp lets everything arrive that can, whatever the lag is and whether replication is paused.
func (s *store) catchUp() {
	s.pour(func(st *stream) bool { return !s.down[st.via] && !s.down[st.to] })
}

// freshen lets everything arrive that one region of a container lacks, as far as its senders are up.
func (s *store) freshen(c *container, site int) {
	s.pour(func(st *stream) bool { return st.c == c && st.to == site && !s.down[st.via] && !s.down[st.to] })
}

// setDown takes a region off the network, or back.
func (s *store) setDown(site int, down bool) {
	s.settle(s.now().UnixNano())
	s.down[site] = down
	if !down && s.present[site] {
		for c := range s.containers() {
			s.rejoin(c, site)
		}
	}
	s.settle(s.now().UnixNano())
}
