package telemetry

import (
	"maps"
	"sync"
	"sync/atomic"
)

// bounded gives the first few distinct keys a value each, and all later ones
// the same: a label must not have as many values as a caller, or a server, can
// think of. Known keys cost one look-up and no lock. It is safe for concurrent use.
type bounded[K comparable, V any] struct {
	max   int // negative: none
	value func(K) V
	other V

	mu    sync.Mutex
	known atomic.Pointer[map[K]V]
}

func newBounded[K comparable, V any](most int, value func(K) V, other V) *bounded[K, V] {
	b := &bounded[K, V]{max: most, value: value, other: other}
	b.known.Store(&map[K]V{})
	return b
}

func (b *bounded[K, V]) of(key K) V {
	known := *b.known.Load()
	if v, ok := known[key]; ok {
		return v
	}
	if len(known) >= b.max {
		return b.other
	}
	return b.learn(key)
}

func (b *bounded[K, V]) learn(key K) V {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := *b.known.Load()
	if v, ok := known[key]; ok {
		return v
	}
	if len(known) >= b.max {
		return b.other
	}
	next := maps.Clone(known)
	v := b.value(key)
	next[key] = v
	b.known.Store(&next)
	return v
}
