package regioncache

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// opened returns a cache whose breaker for reads of [1] in the first region has
// just opened.
func opened(t *testing.T) *Cache {
	c := newCache(t, single, nil)
	fail(c, read("[1]"), east, 10)
	return c
}

func TestProbeWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t)
		op := read("[1]")
		time.Sleep(5 * time.Second)
		is(t, "after 5 s", choose(t, c, op), west)
		time.Sleep(2500*time.Millisecond + 1)
		choice := c.Choose(context.Background(), op, nil)
		is(t, "after 7.5 s", nameOf(choice.Region), east)
		if choice.Probe == nil {
			t.Fatal("the attempt is no probe")
		}
		is(t, "the others stay away", choose(t, c, op), west)
		time.Sleep(time.Hour)
		is(t, "however long the probe takes", choose(t, c, op), west)
		choice.Probe.Succeeded()
		is(t, "after its success", choose(t, c, op), east)
		is(t, "entries", c.breakers.Load().size.Load(), 0)
		is(t, "open", c.breakers.Load().open.Load(), 0)
	})
}

// TestProbeSpread opens many breakers together and has them probe apart.
func TestProbeSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		c := newCache(t, single, nil)
		for i := range n {
			fail(c, read(key(i)), east, 10)
		}
		var early, late int
		for _, h := range c.Unhealthy() {
			switch wait := h.NextProbe.Sub(h.Since); {
			case wait < 5*time.Second || wait > 7500*time.Millisecond:
				t.Fatalf("a wait of %v: want 5 to 7.5 s", wait)
			case wait < 5500*time.Millisecond:
				early++
			case wait > 7*time.Second:
				late++
			}
		}
		if early < n/10 || late < n/10 {
			t.Errorf("%d of %d waits are shorter than 5.5 s, %d longer than 7 s: want about a fifth each", early, n, late)
		}
	})
}

func TestProbeFailedRestartsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t)
		op := read("[1]")
		wait := time.Until(c.Unhealthy()[0].NextProbe)
		for n := range 20 {
			time.Sleep(wait)
			if probe(c, op, east) != nil {
				t.Fatalf("probe %d is due %v after the failure: want later", n, wait)
			}
			time.Sleep(time.Nanosecond)
			p := probe(c, op, east)
			if p == nil {
				t.Fatalf("probe %d is not due %v after the failure", n, wait+1)
			}
			p.Failed(time.Now())
			is(t, "after its failure", choose(t, c, op), west)
		}
		is(t, "failures", c.Unhealthy()[0].Failures, 30)
	})
}

func TestProbeReleasedFreesThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t)
		time.Sleep(8 * time.Second)
		for range 100 {
			p := probe(c, read("[1]"), east)
			if p == nil {
				t.Fatal("the place is not free")
			}
			is(t, "while it is taken", probe(c, read("[1]"), east), nil)
			p.Released()
		}
		probe(c, read("[1]"), east).Succeeded()
		is(t, "region", choose(t, c, read("[1]")), east)
	})
}

// TestProbeOfAnOlderGeneration has probes end after the breaker was forgotten.
func TestProbeOfAnOlderGeneration(t *testing.T) {
	ends := map[string]func(*Probe){
		"success": (*Probe).Succeeded, "failure": func(p *Probe) { p.Failed(time.Now()) }, "release": (*Probe).Released,
	}
	forget := map[string]func(t *testing.T, c *Cache){
		"removed":    func(_ *testing.T, c *Cache) { c.breakers.Load().entries.Purge() },
		"configured": func(t *testing.T, c *Cache) { configure(t, c, &Options{Breaker: BreakerOptions{ReadFailures: 9}}) },
	}
	for how, end := range ends {
		for why, forget := range forget {
			t.Run(how+" after "+why, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := opened(t)
					time.Sleep(8 * time.Second)
					p := probe(c, read("[1]"), east)
					forget(t, c)
					fail(c, read("[1]"), east, 10)
					want := c.Unhealthy()
					end(p)
					equal(t, "the breaker that took its place", c.Unhealthy(), want)
					is(t, "region", choose(t, c, read("[1]")), west)
				})
			})
		}
	}
}

func configure(t *testing.T, c *Cache, o *Options) {
	t.Helper()
	if err := c.Configure(o); err != nil {
		t.Fatal(err)
	}
}

// TestProbeConcurrentSafe has 1,000 callers arrive together when a probe is
// due, again and again: one of them probes.
func TestProbeConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t)
		for round := range 20 {
			time.Sleep(8 * time.Second)
			var probes, away atomic.Int32
			var mine atomic.Pointer[Probe]
			together(1000, func() {
				switch choice := c.Choose(context.Background(), read("[1]"), nil); {
				case choice.Probe != nil:
					probes.Add(1)
					mine.Store(choice.Probe)
				case choice.Region.Name == west:
					away.Add(1)
				}
			})
			is(t, fmt.Sprintf("round %d: probes", round), probes.Load(), 1)
			is(t, fmt.Sprintf("round %d: the others", round), away.Load(), 999)
			mine.Load().Failed(time.Now())
		}
	})
}

// together runs n calls that start at the same time, and waits for them.
func together(n int, call func()) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { <-start; call() })
	}
	close(start)
	wg.Wait()
}
