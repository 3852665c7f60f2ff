package simulation

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	hours = flag.Float64("hours", defaultHours, "how long to simulate")
	seed  = flag.Uint64("seed", 7, "which day to simulate")
)

// variant is one run of the simulation.
type variant struct {
	name             string
	multiWrite, ppaf bool
	breaker          bool
	keys             int // per partition
	stats            stats
}

// manyKeys is more than the client can remember the partitions of.
const manyKeys = 10_000

func variants() []*variant {
	var list []*variant
	for _, v := range []variant{{name: "single-write"}, {name: "multi-write", multiWrite: true}, {name: "PPAF", ppaf: true}} {
		v.keys = 50
		for _, v.breaker = range []bool{true, false} {
			list = append(list, new(v))
		}
	}
	return append(list, &variant{name: "multi-write, 1 M keys", multiWrite: true, breaker: true, keys: manyKeys})
}

// TestSimulation prints the table of the package documentation's day, and
// checks what the breaker promises.
func TestSimulation(t *testing.T) {
	if testing.Short() {
		*hours = min(*hours, 1)
	}
	list := variants()
	t.Run("variants", func(t *testing.T) {
		for _, v := range list {
			t.Run(fmt.Sprintf("%s, breaker %t", v.name, v.breaker), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { v.run(t) })
				v.check(t)
			})
		}
	})
	t.Log("\n" + table(list))
}

func (v *variant) run(t *testing.T) {
	truth := newTruth(*seed, time.Duration(*hours*float64(time.Hour)), v.multiWrite, v.ppaf)
	w := &watch{truth: truth}
	s := &service{truth: truth, start: time.Now(), watch: w}
	c := newClient(t, s, accountDocument(v.multiWrite, v.ppaf), v.breaker, v.keys)
	var wg sync.WaitGroup
	for p := range partitions {
		wg.Go(func() { c.run(p, *seed, &wg) })
	}
	wg.Wait()
	v.stats = w.stats
}

// check holds a run to its targets.
func (v *variant) check(t *testing.T) {
	s := &v.stats
	if s.avoidable > 0 {
		t.Errorf("%d operations failed that a region could have served", s.avoidable)
	}
	if v.breaker {
		v.checkBreaker(t)
	}
	if len(s.examples) > 0 && t.Failed() {
		t.Log(strings.Join(s.examples, "\n"))
	}
}

func (v *variant) checkBreaker(t *testing.T) {
	s := &v.stats
	if s.disturbed > 0 {
		t.Errorf("%d operations of healthy partitions were disturbed", s.disturbed)
	}
	if v.keys == manyKeys {
		return // a breaker cannot protect a partition whose keys nobody knows
	}
	if s.roles[astray] > 0 {
		t.Errorf("%d requests went to a sick region after its breaker opened", s.roles[astray])
	}
	for what, limit := range map[string]struct {
		times []time.Duration
		most  time.Duration
	}{
		// A time-out, and then ten failures or five failed writes.
		"leave a sick region": {s.follow.out[0], 12 * time.Second},
		// A probe that began just before the end times out, and the next one waits.
		"come back": {s.follow.back[0], 20 * time.Second},
		// The mark, and then a probe.
		"come back to an endpoint": {s.follow.back[1], 75 * time.Second},
		"follow a move":            {s.follow.moved, 12 * time.Second},
	} {
		if took := quantile(limit.times, 1); took > limit.most {
			t.Errorf("it took %v to %s: want at most %v", took, what, limit.most)
		}
	}
}
