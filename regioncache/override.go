package regioncache

import lru "github.com/hashicorp/golang-lru/v2"

// overrideSet remembers which region took the last write of a partition, on an
// account with per-partition automatic failover (PPAF), when it was not the
// hub. Only writes of such accounts consult it. It is safe for concurrent use.
type overrideSet struct {
	entries *lru.Cache[Partition, string] // to hosts
}

func newOverrideSet(capacity int) *overrideSet {
	entries, _ := lru.New[Partition, string](capacity)
	return &overrideSet{entries}
}

func (s *overrideSet) get(p Partition) (host string, ok bool) { return s.entries.Get(p) }

func (s *overrideSet) set(p Partition, host string) {
	if known, ok := s.entries.Get(p); !ok || known != host {
		s.entries.Add(p, host)
	}
}

func (s *overrideSet) remove(p Partition) { s.entries.Remove(p) }

func (s *overrideSet) purge() { s.entries.Purge() }
