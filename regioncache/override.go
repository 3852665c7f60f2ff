package regioncache

import (
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

// overrideSet remembers which region took the last write of a partition, on an
// account with per-partition automatic failover (PPAF), when it was not the
// hub. Only writes of such accounts consult it. It is safe for concurrent use,
// and costs one atomic load while it is empty.
type overrideSet struct {
	entries *lru.Cache[Partition, string] // to hosts
	size    atomic.Int64
}

func newOverrideSet(capacity int) *overrideSet {
	s := new(overrideSet)
	s.entries, _ = lru.NewWithEvict(capacity, func(Partition, string) { s.size.Add(-1) })
	return s
}

func (s *overrideSet) empty() bool { return s.size.Load() == 0 }

func (s *overrideSet) get(p Partition) (host string, ok bool) { return s.entries.Get(p) }

// set remembers a region, and reports whether it is another one than before. Of
// two writes at the same time, either may win.
func (s *overrideSet) set(p Partition, host string) bool {
	known, ok := s.entries.Get(p)
	if ok && known == host {
		return false
	}
	s.entries.Remove(p)
	s.size.Add(1)
	if _, found, _ := s.entries.PeekOrAdd(p, host); found {
		s.size.Add(-1)
	}
	return true
}

// remove forgets a region, and reports whether there was one.
func (s *overrideSet) remove(p Partition) bool { return s.entries.Remove(p) }

func (s *overrideSet) purge() { s.entries.Purge() }
