package cosmostest

import (
	"math"
	"slices"
	"time"
)

// delivery is one transaction on its way to another region.
type delivery struct {
	before vector // the writes that its partition had taken before it
	at     int64  // when it was committed, in nanoseconds
	items  []*item
}

// stream is the transactions of one partition that have not reached a region yet, in the order in which they were made.
// It exists while there are any. With one write region there is one stream for a partition, which the write regions
// hand on to each other; with several there is one for each of them.
type stream struct {
	c       *container
	part    *partition
	source  int // the site that took them; noSite where the order of all of them is known
	via     int // the site that sends them
	to      int
	waiting []delivery
}

// never is a time that does not come.
const never = math.MaxInt64

// due is when a transaction that was committed at a time arrives.
func (s *store) due(via, to int, at int64) int64 {
	l := s.link(via, to)
	switch {
	case s.down[via] || s.down[to]:
		return never
	case s.strong:
		return at
	case l.paused:
		return never
	}
	return at + int64(l.lag)
}

// commit gives the changes of one transaction their place in the log of a partition and sends them to all regions.
func (s *store) commit(c *container, p *partition, site int, items []*item, now time.Time) {
	for _, it := range items {
		r := c.replicas[site].keys[it.key][it.id]
		known := vector(nil)
		if r.item != nil {
			known = r.item.clock
		}
		for _, rival := range r.rivals {
			known = known.join(rival.clock)
		}
		it.clock = known.with(site, known.at(site)+1)
	}
	d := delivery{before: p.committed, at: now.UnixNano(), items: items}
	p.committed = p.committed.with(site, p.committed.at(site)+1)
	source := noSite
	if s.multi {
		source = site
	}
	c.receive(s, p, site, source, d)
	for to, rep := range c.replicas {
		if to != site && rep != nil {
			s.send(&stream{c: c, part: p, source: source, via: site, to: to, waiting: []delivery{d}})
		}
	}
	if len(s.streams) == 0 {
		s.forget()
	}
	c.sweep(s, now.Unix())
}

// send lets the transaction on a new stream arrive in its region, now or, behind the ones that are under way, later.
func (s *store) send(st *stream) {
	if s.queue(st) {
		return
	}
	d := st.waiting[0]
	due := s.due(st.via, st.to, d.at)
	if due <= d.at {
		st.c.receive(s, st.part, st.to, st.source, d)
		return
	}
	s.open(st)
	s.nextDue.Store(min(due, s.nextDue.Load()))
}

// queue puts what waits on a new stream behind what waits on the stream that there is for the same transactions.
func (s *store) queue(st *stream) bool {
	for _, other := range st.c.replicas[st.to].inbound[st.part] {
		if other.source == st.source && (st.source == noSite || other.via == st.via) {
			other.waiting = append(other.waiting, st.waiting...)
			return true
		}
	}
	return false
}

// open adds a stream that has something to deliver.
func (s *store) open(st *stream) {
	in := st.c.replicas[st.to].inbound
	in[st.part] = append(in[st.part], st)
	s.streams = append(s.streams, st)
	s.busy.Store(true)
}

// copyTo is the same on its way to another region.
func (st *stream) copyTo(site int) *stream {
	again := *st
	again.to, again.waiting = site, slices.Clone(st.waiting)
	return &again
}

// drop ends a stream. The caller takes it out of s.streams.
func (st *stream) drop() {
	in := st.c.replicas[st.to].inbound
	in[st.part] = slices.DeleteFunc(in[st.part], func(other *stream) bool { return other == st })
	if len(in[st.part]) == 0 {
		delete(in, st.part)
	}
}

// deliver lets the oldest transaction arrive.
func (st *stream) deliver(s *store) {
	d := st.waiting[0]
	st.waiting[0] = delivery{}
	if st.waiting = st.waiting[1:]; len(st.waiting) == 0 {
		st.drop()
	}
	st.c.receive(s, st.part, st.to, st.source, d)
}

// settle lets everything arrive that is due.
func (s *store) settle(now int64) {
	s.pour(func(st *stream) bool { return s.due(st.via, st.to, st.waiting[0].at) <= now })
}

// pour delivers from every stream for as long as ready is true of it.
func (s *store) pour(ready func(*stream) bool) {
	live := s.streams[:0]
	for _, st := range s.streams {
		for len(st.waiting) > 0 && ready(st) {
			st.deliver(s)
		}
		if len(st.waiting) > 0 {
			live = append(live, st)
		}
	}
	clear(s.streams[len(live):])
	s.streams = live
	s.tidy()
}

// tidy finds out when the next delivery is due, and what can be forgotten. Whoever changes streams or links ends with it.
func (s *store) tidy() {
	next := int64(never)
	for _, st := range s.streams {
		next = min(next, s.due(st.via, st.to, st.waiting[0].at))
	}
	s.nextDue.Store(next)
	s.busy.Store(len(s.streams) > 0)
	s.forget()
}

// receive makes a transaction visible in a region. Where the order of all transactions is known it comes in its turn.
func (c *container) receive(s *store, p *partition, site, source int, d delivery) {
	rep, lsn := c.replicas[site], c.lsn(p, site)
	for _, it := range d.items {
		switch {
		case source != noSite:
			c.reconcile(s, site, it, lsn)
		case it.deleted:
			rep.remove(it)
		default:
			rep.put(it, row{item: it, lsn: lsn})
		}
	}
}

// reconcile makes a version visible in a region that may know of others.
func (c *container) reconcile(s *store, site int, it *item, lsn int64) {
	rep := c.replicas[site]
	before := rep.keys[it.key][it.id]
	after, lost := before.add(it, c.wins)
	if after.item != before.item {
		after.lsn = lsn
	}
	for _, l := range lost {
		c.lose(s, site, l, after.item)
	}
	rep.put(it, after)
	if after.item.deleted {
		s.fresh = append(s.fresh, grave{c, after.item})
	}
}
