package telemetry

import (
	"math"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// watch is one thing whose state is reported.
type watch struct {
	set    *policies.Set
	cache  *regioncache.Cache
	budget *policies.Budget
	own    bool // begun by the observer itself, for a client that has it
}

// watches lists what is watched.
type watches struct {
	mu      sync.Mutex
	all     []*watch
	ever    bool
	retired int64 // events that sets missed that are watched no more
}

// Watch reports the state behind a client's policies with every collection: its
// circuit breakers, marks and PPAF overrides, its retry budget, the events that
// its observers missed, and the client itself as an active instance. What two
// sets share counts once. stop ends it; the set is kept in memory until then.
// A nil set is not watched. A client that has the observer among its own is
// watched from the start; call Watch for it to get a stop.
func (t *Observer) Watch(set *policies.Set) (stop func()) {
	if set == nil {
		return func() {}
	}
	return t.watch(&watch{set: set})
}

// WatchCache is [Observer.Watch] for a cache that clients without the observer
// share.
func (t *Observer) WatchCache(cache *regioncache.Cache) (stop func()) {
	if cache == nil {
		return func() {}
	}
	return t.watch(&watch{cache: cache})
}

// WatchBudget does the same for a retry budget.
func (t *Observer) WatchBudget(budget *policies.Budget) (stop func()) {
	if budget == nil {
		return func() {}
	}
	return t.watch(&watch{budget: budget})
}

func (t *Observer) watch(w *watch) (stop func()) {
	s := &t.watches
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.set != nil && !w.own {
		s.all = slices.DeleteFunc(s.all, func(other *watch) bool { return other.own && other.set == w.set })
	}
	s.all = append(s.all, w)
	s.ever = s.ever || w.set != nil
	return sync.OnceFunc(func() { s.stop(w) })
}

// stop keeps what a set has counted: a sum must not fall.
func (s *watches) stop(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(other *watch) bool { return other == w })
	if w.set != nil && !slices.ContainsFunc(s.all, func(other *watch) bool { return other.set == w.set }) {
		s.retired += w.set.Dropped()
	}
}

// state is what there is to report, each thing once.
type state struct {
	ever    bool
	missed  int64
	sets    map[*policies.Set]bool
	caches  map[*regioncache.Cache]bool
	budgets map[*policies.Budget]bool
}

func (s *watches) state() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := state{
		ever: s.ever, missed: s.retired,
		sets: map[*policies.Set]bool{}, caches: map[*regioncache.Cache]bool{}, budgets: map[*policies.Budget]bool{},
	}
	for _, w := range s.all {
		cache, budget := w.cache, w.budget
		if w.set != nil {
			cache, budget = w.set.Cache(), w.set.Budget()
			if !now.sets[w.set] {
				now.sets[w.set], now.missed = true, now.missed+w.set.Dropped()
			}
		}
		if cache != nil {
			now.caches[cache] = true
		}
		if budget != nil {
			now.budgets[budget] = true
		}
	}
	return now
}

// report tells the state of all that is watched.
func (t *Observer) report(on *observables, to metric.Observer) {
	now := t.watches.state()
	base := metric.WithAttributeSet(attribute.NewSet(t.labels.base...))
	if now.ever {
		to.ObserveInt64(on.instances, int64(len(now.sets)), base)
		to.ObserveInt64(on.eventsMissed, now.missed, base)
	}
	if len(now.budgets) > 0 {
		left := math.Inf(1)
		for b := range now.budgets {
			l, _ := b.Left()
			left = min(left, l)
		}
		to.ObserveFloat64(on.budgetLeft, left, base)
	}
	breakers, marked, overrides := t.health(now.caches)
	for instrument, counts := range map[metric.Int64Observable]map[regionState]int64{
		on.breakers: breakers, on.marked: marked, on.overrides: overrides,
	} {
		for of, n := range counts {
			to.ObserveInt64(instrument, n, metric.WithAttributeSet(of.attributes(t.labels.base)))
		}
	}
}

// regionState is what the partitions or endpoints of a region are counted by.
type regionState struct{ region, state string }

func (s regionState) attributes(base []attribute.KeyValue) attribute.Set {
	kv := append(slices.Clip(base), keyRegion.String(s.region))
	if s.state != "" {
		kv = append(kv, keyState.String(s.state))
	}
	return attribute.NewSet(kv...)
}

// health counts what the caches hold against each region. Every region of the
// account is in it, with zeros when it is well, so that no series ends when the
// trouble does.
func (t *Observer) health(caches map[*regioncache.Cache]bool) (breakers, marked, overrides map[regionState]int64) {
	breakers, marked, overrides = map[regionState]int64{}, map[regionState]int64{}, map[regionState]int64{}
	for cache := range caches {
		if s := cache.Snapshot(); s != nil {
			for _, r := range s.Regions() {
				name := t.labels.region(r.Name)
				breakers[regionState{name, "open"}] += 0
				breakers[regionState{name, "probing"}] += 0
				marked[regionState{name, ""}] += 0
				if s.PPAF {
					overrides[regionState{name, ""}] += 0
				}
			}
		}
		for _, h := range cache.Unhealthy() {
			if h.State != "counting" {
				breakers[regionState{t.labels.region(h.Region), h.State}]++
			}
		}
		for _, m := range cache.Marks() {
			region := m.Region
			if region == "" {
				region = m.Endpoint
			}
			marked[regionState{t.labels.region(region), ""}]++
		}
		for _, o := range cache.Overrides() {
			overrides[regionState{t.labels.region(o.Region), ""}]++
		}
	}
	return breakers, marked, overrides
}

// Installed implements [policies.InstalledObserver]: a client that is made with
// the observer is watched.
func (t *Observer) Installed(set *policies.Set) { t.watch(&watch{set: set, own: true}) }
