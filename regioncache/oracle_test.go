package regioncache

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// A scenario is everything that the choice of an endpoint depends on. The
// oracle sees nothing else: names of regions instead of hosts, states instead
// of clocks and counters.
type scenario struct {
	account   string // single, ppaf, multi
	write     bool
	metadata  bool
	override  string              // region of the PPAF override, "" for none
	breakers  [3]breakerState     // by account order
	marks     [3]markState        // by account order
	excluded  map[string]struct{} // by client or context
	failed    map[string]struct{}
	preferred []string
}

type breakerState int

const (
	closed breakerState = iota
	open
	due   // open, and the next request probes
	taken // open, and another request probes
	breakerStates
)

type markState int

const (
	unmarked markState = iota
	markedForAll
	markedForWrites
	markStates
)

type expectation struct {
	region                 string
	again, probe, excluded bool
}

var accountOrder = []string{east, west, north}

// oracle is the table in the documentation of Choose, row by row, without any
// regard to cost.
func (s scenario) oracle() expectation {
	list := slices.DeleteFunc(s.list(), func(r string) bool { _, out := s.excluded[r]; return out }) // 1
	if len(list) == 0 {
		return expectation{region: s.hub(), excluded: true}
	}
	left := slices.DeleteFunc(slices.Clone(list), func(r string) bool { _, f := s.failed[r]; return f }) // 2
	again := len(left) == 0
	if again {
		left = list
	}
	slices.SortStableFunc(left, func(a, b string) int { // 6: stable
		if d := s.marked(a) - s.marked(b); d != 0 { // 3
			return d
		}
		return s.open(a) - s.open(b) // 4
	})
	best := left[0]
	return expectation{best, again, s.breaker(best) == due, false}
}

// list is the order of preference, the override first (5).
func (s scenario) list() []string {
	var list []string
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	switch {
	case !s.write, s.account == "multi" && !s.metadata:
		add(s.preferred...)
		add(accountOrder...)
	case s.account == "ppaf" && !s.metadata:
		if s.override != "" {
			add(s.override)
		}
		add(east)
		add(s.preferred...)
		add(accountOrder...)
	default:
		add(east)
	}
	return list
}

// hub serves when every region is excluded.
func (s scenario) hub() string {
	if s.account == "multi" && !(s.write && s.metadata) {
		return s.preferred[0]
	}
	return east
}

func (s scenario) marked(region string) int {
	m := s.marks[slices.Index(accountOrder, region)]
	if m == markedForAll || m == markedForWrites && s.write {
		return 1
	}
	return 0
}

// breaker is closed for whatever the breaker does not manage.
func (s scenario) breaker(region string) breakerState {
	if s.metadata || s.write && s.account != "multi" {
		return closed
	}
	return s.breakers[slices.Index(accountOrder, region)]
}

func (s scenario) open(region string) int {
	if b := s.breaker(region); b == open || b == taken {
		return 1
	}
	return 0
}

// TestChooseMatchesOracle walks the product of everything that a choice
// depends on, and compares Choose with the oracle.
func TestChooseMatchesOracle(t *testing.T) {
	for name, a := range map[string]account{"single": single, "ppaf": ppaf, "multi": multi} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := 0
				for _, out := range [][]string{nil, {west}} {
					for b := range cube(int(breakerStates)) {
						w := newWalk(t, name, a, out, b)
						w.breakersAndMarks()
						n += w.checked
					}
				}
				t.Logf("%d scenarios", n)
			})
		})
	}
}

// cube yields all triples of numbers below n.
func cube(n int) func(yield func([3]int) bool) {
	return func(yield func([3]int) bool) {
		for i := range n * n * n {
			if !yield([3]int{i % n, i / n % n, i / n / n}) {
				return
			}
		}
	}
}

// A walk compares one cache, whose breakers are in given states, with the
// oracle. No time passes during a walk.
type walk struct {
	t       *testing.T
	cache   *Cache
	base    scenario
	sets    [8][]string // all sets of regions
	checked int
}

func newWalk(t *testing.T, name string, a account, excluded []string, b [3]int) *walk {
	preferred := []string{north, west}
	c := newCache(t, a, &Options{PreferredRegions: preferred, ExcludedRegions: excluded})
	w := &walk{t: t, cache: c, base: scenario{account: name, preferred: preferred, excluded: setOf(excluded)}}
	for i, region := range accountOrder {
		for set := range w.sets {
			if set>>i&1 == 1 {
				w.sets[set] = append(w.sets[set], region)
			}
		}
	}
	located(c, key(1), "7")
	w.trip(b, due, taken)
	time.Sleep(8 * time.Second) // more than the longest wait for a probe
	for i, region := range accountOrder {
		w.base.breakers[i] = breakerState(b[i])
		if w.base.breakers[i] == taken {
			for _, op := range []*wire.Operation{read(key(1)), write(key(1))} {
				if p := probe(c, op, region); p == nil && (op.Reads() || a.multiWrite) {
					t.Fatalf("no probe of %s is due", region)
				}
			}
		}
	}
	w.trip(b, open)
	return w
}

// trip opens the breakers that shall be in one of the given states.
func (w *walk) trip(b [3]int, states ...breakerState) {
	for i, region := range accountOrder {
		if slices.Contains(states, breakerState(b[i])) {
			fail(w.cache, read(key(1)), region, 10)
			fail(w.cache, write(key(1)), region, 5)
		}
	}
}

func (w *walk) breakersAndMarks() {
	for m := range cube(int(markStates)) {
		s := w.base
		marks := markSet{}
		for i, region := range accountOrder {
			s.marks[i] = markState(m[i])
			if reason, ok := map[markState]markReason{markedForAll: markUnreachable, markedForWrites: markWriteForbidden}[s.marks[i]]; ok {
				marks[hostOf(region)] = mark{reason, time.Now().Add(time.Second)}
			}
		}
		w.cache.marks.Store(&marks)
		for _, op := range []*wire.Operation{read(key(1)), write(key(1)), metadata(wire.KindRead), metadata(wire.KindCreate)} {
			s.write, s.metadata = op.Writes(), op.Scope == wire.ScopeMetadata
			if !w.managed(s) && s.breakers != [3]breakerState{} && s.breakers != [3]breakerState{open, due, taken} {
				continue // breakers say nothing: these two stand for all
			}
			w.overrides(s, op)
		}
	}
}

func (w *walk) managed(s scenario) bool {
	return !s.metadata && (!s.write || s.account == "multi")
}

func (w *walk) overrides(s scenario, op *wire.Operation) {
	overrides := []string{""}
	if s.account == "ppaf" && s.write && !s.metadata {
		overrides = append(overrides, accountOrder...)
	}
	for _, s.override = range overrides {
		w.cache.overrides.Load().purge()
		if s.override != "" {
			w.cache.overrides.Load().set(w.cache.partitions.resolve(op), hostOf(s.override))
		}
		w.exclusions(s, op)
	}
}

func (w *walk) exclusions(s scenario, op *wire.Operation) {
	for _, out := range w.sets {
		ctx := WithExcludedRegions(context.Background(), out...)
		s.excluded = setOf(append(out, keysOf(w.base.excluded)...))
		for _, failed := range w.sets {
			s.failed = setOf(failed)
			w.check(ctx, s, op, failed)
		}
	}
}

func (w *walk) check(ctx context.Context, s scenario, op *wire.Operation, failed []string) {
	w.checked++
	choice := w.cache.Choose(ctx, op, hostsOf(failed...))
	got := expectation{nameOf(choice.Region), choice.Again, choice.Probe != nil, choice.Excluded}
	if choice.Probe != nil {
		choice.Probe.Released()
	}
	if want := s.oracle(); got != want {
		w.t.Fatalf("%s: got %+v, want %+v", s, got, want)
	}
}

func (s scenario) String() string {
	return fmt.Sprintf("%s account, write %t, metadata %t, override %q, breakers %v, marks %v, excluded %v, failed %v",
		s.account, s.write, s.metadata, s.override, s.breakers, s.marks, keysOf(s.excluded), keysOf(s.failed))
}

func setOf(names []string) map[string]struct{} {
	set := map[string]struct{}{}
	for _, name := range names {
		set[name] = struct{}{}
	}
	return set
}

func keysOf(set map[string]struct{}) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
