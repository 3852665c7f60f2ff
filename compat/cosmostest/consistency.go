package cosmostest

import (
	"net/http"
	"slices"
	"strings"
)

// consistencyLevels are the levels from the strongest to the weakest.
var consistencyLevels = []string{"Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"}

// level is an index of consistencyLevels.
type level int

const (
	levelStrong level = iota
	levelBounded
	levelSession
)

// levelOf finds a consistency level by its name.
func levelOf(name string) (level, bool) {
	i := slices.IndexFunc(consistencyLevels, func(l string) bool { return strings.EqualFold(l, name) })
	return level(i), i >= 0
}

// readLevel sets the consistency level of the request: the account's, or a weaker one that the request asks for.
func (w *work) readLevel() *failure {
	w.level, _ = levelOf(w.top.cfg.Consistency) // validated
	name := w.rec.Header.Get("X-Ms-Consistency-Level")
	if name == "" {
		return nil
	}
	l, ok := levelOf(name)
	if !ok || l < w.level {
		return fail(http.StatusBadRequest, 0, "ConsistencyLevel %s specified in the request is invalid when service is "+
			"configured with consistency level %s. Ensure the request consistency level is not stronger than the service "+
			"consistency level.", name, w.top.cfg.Consistency)
	}
	w.level = l
	return nil
}

// freshen makes sure that a read with a strong level sees everything that is committed. The caller does not hold the
// store's lock.
func (w *work) freshen() {
	if w.level > levelBounded || w.op.write() || !w.store.busy.Load() {
		return
	}
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if c, f := w.container(); f == nil {
		w.store.freshen(c, w.site)
	}
}
