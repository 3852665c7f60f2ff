package event

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

type direct struct{ Func }

func (direct) ObservesSynchronously() {}

func TestNoObserversIsNoHub(t *testing.T) {
	if h := NewHub([]Observer{nil}); h != nil {
		t.Errorf("got %+v, want nil", h)
	}
	(*Hub)(nil).Emit(t.Context(), Event{}) // must not panic
}

func TestEventsArriveInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []int
		h := NewHub([]Observer{Func(func(_ context.Context, e Event) { got = append(got, e.Attempt) })})
		for i := range 500 {
			h.Emit(t.Context(), Event{Attempt: i})
		}
		synctest.Wait()
		for i, n := range got {
			if i != n {
				t.Fatalf("event %d is number %d", n, i)
			}
		}
		if len(got) != 500 || h.Dropped() != 0 {
			t.Errorf("got %d events and %d dropped, want 500 and none", len(got), h.Dropped())
		}
	})
}

// A hanging observer costs the request nothing, and misses what it cannot hold.
func TestSlowObserverDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen atomic.Int64
		h := NewHub([]Observer{Func(func(context.Context, Event) { time.Sleep(time.Second); seen.Add(1) })})
		start := time.Now()
		h.Emit(t.Context(), Event{})
		synctest.Wait() // the observer has taken the first one and sleeps
		for range queueLength + 99 {
			h.Emit(t.Context(), Event{})
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("emitting took %v", took)
		}
		if h.Dropped() != 99 {
			t.Errorf("dropped %d, want 99", h.Dropped())
		}
		time.Sleep(time.Hour)
		if seen.Load() != queueLength+1 {
			t.Errorf("saw %d, want %d", seen.Load(), queueLength+1)
		}
	})
}

func TestPanicIsRecoveredAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := 0
		h := NewHub([]Observer{
			Func(func(context.Context, Event) { panic("observer") }),
			direct{func(context.Context, Event) { panic("observer") }},
			direct{func(context.Context, Event) { seen++ }},
		})
		h.Emit(t.Context(), Event{})
		synctest.Wait()
		if h.Dropped() != 2 || seen != 1 {
			t.Errorf("dropped %d and saw %d, want 2 and 1", h.Dropped(), seen)
		}
	})
}

func TestQueuedObserverOutlivesTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		h := NewHub([]Observer{Func(func(ctx context.Context, _ Event) { time.Sleep(time.Second); err = ctx.Err() })})
		h.Emit(ctx, Event{})
		cancel()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if err != nil {
			t.Errorf("the observer's context is done: %v", err)
		}
	})
}

// choosy wants what its function wants.
type choosy struct {
	Func
	wants func(Event) bool
}

func (c choosy) Wants(e Event) bool { return c.wants(e) }

func TestSelectiveObserverGetsWhatItWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got, broken []Kind
		h := NewHub([]Observer{
			choosy{func(_ context.Context, e Event) { got = append(got, e.Kind) }, func(e Event) bool { return e.Kind != KindCompleted }},
			choosy{func(_ context.Context, e Event) { broken = append(broken, e.Kind) }, func(Event) bool { panic("wants") }},
		})
		for _, kind := range []Kind{KindCompleted, KindRetry, KindCompleted} {
			h.Emit(t.Context(), Event{Kind: kind})
		}
		synctest.Wait()
		if len(got) != 1 || got[0] != KindRetry {
			t.Errorf("got %v, want the retry", got)
		}
		if len(broken) != 0 || h.Dropped() != 3 {
			t.Errorf("one that panics got %v, and %d are counted as dropped: want nothing and 3", broken, h.Dropped())
		}
	})
}
