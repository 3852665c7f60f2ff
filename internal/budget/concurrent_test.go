package budget

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestBudgetConcurrentSafe: many at once get what one would get, and no more.
func TestBudgetConcurrentSafe(t *testing.T) {
	b := mustNew(t, Options{Ratio: 0.5, MinPerSecond: 10, MaxPerMinutePerRegion: 400})
	var allowed, refused atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				b.Request(start)
			}
		})
	}
	all.Wait()
	for range 8 {
		all.Go(func() {
			for range 100 {
				_ = b.Allows(start)
				if b.Retry(start, "East US") {
					allowed.Add(1)
				} else {
					refused.Add(1)
				}
				_, _ = b.Left()
			}
		})
	}
	all.Wait()
	if allowed.Load() != 400 || refused.Load() != 400 {
		t.Errorf("allowed %d and refused %d of 800, want 400 each", allowed.Load(), refused.Load())
	}
	if _, n := b.Left(); n != 400 {
		t.Errorf("it says that it refused %d", n)
	}
}

// TestClockThatJumps: a clock that is set back or forth makes the budget forget,
// and never more generous than a new one.
func TestClockThatJumps(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, -30 * time.Second, -time.Second, time.Second, 30 * time.Second, time.Hour} {
		b := mustNew(t, Options{Ratio: -1, MinPerSecond: 1, MaxPerMinute: 8})
		if got := spend(b, start, "", 100); got != 8 {
			t.Fatalf("allowed %d, want 8", got)
		}
		if got := spend(b, start.Add(jump), "", 100); got > 8 {
			t.Errorf("after a jump of %v: allowed %d", jump, got)
		}
		if got := spend(b, start.Add(jump+2*time.Minute), "", 100); got != 8 {
			t.Errorf("2 min after a jump of %v: allowed %d, want 8", jump, got)
		}
	}
}
