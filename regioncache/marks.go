package regioncache

import (
	"maps"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
)

// markReason says why an endpoint is tried last, and what takes the mark away.
type markReason uint8

const (
	// markUnreachable: no connection, or with the breaker off an answer that
	// says the region is ill. Any other answer clears it.
	markUnreachable markReason = iota
	// markAccountLost: 403/1008. Any other answer clears it.
	markAccountLost
	// markWriteForbidden: 403/3 on a single-write account. It binds writes only,
	// and only a write that the region takes clears it.
	markWriteForbidden
)

func (r markReason) String() string {
	return [...]string{"unavailable", "account lost", "write forbidden"}[r]
}

type mark struct {
	reason markReason
	until  time.Time
}

// markSet maps hosts to marks. A published set is never changed.
type markSet map[string]mark

// marked reports whether an endpoint is to be tried last.
func (m markSet) marked(host string, write bool, now time.Time) bool {
	mk, ok := m[host]
	return ok && now.Before(mk.until) && (write || mk.reason != markWriteForbidden)
}

// cleared reports whether an answer to a read or a write takes a mark away.
func (mk mark) cleared(write bool) bool {
	return write || mk.reason != markWriteForbidden
}

// setMark publishes the marks with one more.
func (c *Cache) setMark(host string, reason markReason, now time.Time) {
	ttl := c.config.Load().UnavailableFor
	if ttl < 0 {
		return
	}
	c.mu.Lock()
	next := c.copyMarks(now)
	before, known := next[host]
	next[host] = mark{reason, now.Add(ttl)}
	c.marks.Store(&next)
	c.mu.Unlock()
	if !known || before.reason != reason {
		c.emit(event.KindMarked, host, reason.String())
	}
}

// clearMark publishes the marks without one that an answer disproves. It costs
// one atomic load while no endpoint is marked.
func (c *Cache) clearMark(host string, write bool) {
	current := c.marks.Load()
	if current == nil {
		return
	}
	if mk, ok := (*current)[host]; !ok || !mk.cleared(write) {
		return
	}
	c.mu.Lock()
	cleared := false
	if current = c.marks.Load(); current != nil {
		mk, marked := (*current)[host] // perhaps another one that came in the meantime
		cleared = marked && mk.cleared(write)
	}
	if cleared {
		next := c.copyMarks(time.Now())
		delete(next, host)
		c.publishMarks(next)
	}
	c.mu.Unlock()
	if cleared {
		c.emit(event.KindUnmarked, host, "it answered")
	}
}

// dropMarks forgets the marks of regions that the account no longer lists.
// The caller holds c.mu.
func (c *Cache) dropMarks(s *Snapshot, now time.Time) {
	if c.marks.Load() == nil {
		return
	}
	next := c.copyMarks(now)
	maps.DeleteFunc(next, func(host string, _ mark) bool { return !s.lists(host) })
	c.publishMarks(next)
}

// copyMarks copies the marks that still hold. The caller holds c.mu.
func (c *Cache) copyMarks(now time.Time) markSet {
	next := markSet{}
	if current := c.marks.Load(); current != nil {
		for host, mk := range *current {
			if now.Before(mk.until) {
				next[host] = mk
			}
		}
	}
	return next
}

func (c *Cache) publishMarks(next markSet) {
	if len(next) == 0 {
		c.marks.Store(nil)
		return
	}
	c.marks.Store(&next)
}
