package backoff_test

import (
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/backoff"
)

const (
	ms       = time.Millisecond
	longest  = 24 * time.Hour // the longest that the settings take
	least    = 0.0
	middle   = 0.5
	greatest = 1 - 1e-16 // the largest number below 1, near enough
)

// TestExponentialDoubles pins the first waits of a throttled request.
func TestExponentialDoubles(t *testing.T) {
	for n, want := range []time.Duration{
		5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, 1280 * ms, 2560 * ms, 5000 * ms, 5000 * ms,
	} {
		if got := backoff.Doubled(5*ms, 5*time.Second, n, middle); got != want {
			t.Errorf("wait %d: got %v, want %v", n, got, want)
		}
		low, high := want-want/4, min(want+want/4, 5*time.Second)
		if got := backoff.Doubled(5*ms, 5*time.Second, n, least); got != low {
			t.Errorf("wait %d at the least: got %v, want %v", n, got, low)
		}
		if got := backoff.Doubled(5*ms, 5*time.Second, n, greatest); got > high || got < high-time.Microsecond {
			t.Errorf("wait %d at the most: got %v, want %v", n, got, high)
		}
	}
}

// TestSaltedDoubles pins the first waits after a 449.
func TestSaltedDoubles(t *testing.T) {
	for n, want := range []time.Duration{
		10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, 1000 * ms, 1000 * ms,
	} {
		if got := backoff.Salted(10*ms, time.Second, 5*ms, n, least); got != want {
			t.Errorf("wait %d: got %v, want %v", n, got, want)
		}
		high := min(want+5*ms, time.Second)
		if got := backoff.Salted(10*ms, time.Second, 5*ms, n, greatest); got > high || got < high-time.Microsecond {
			t.Errorf("wait %d at the most: got %v, want %v", n, got, high)
		}
	}
}

// TestNoBaseIsNoWait: a wait that is switched off stays off, however many
// retries there were.
func TestNoBaseIsNoWait(t *testing.T) {
	for n := range 62 {
		if got := backoff.Doubled(0, 5*time.Second, n, greatest); got != 0 {
			t.Fatalf("wait %d: got %v, want none", n, got)
		}
		if got := backoff.Salted(0, time.Second, 0, n, greatest); got != 0 {
			t.Fatalf("salted wait %d: got %v, want none", n, got)
		}
		if got := backoff.Doubled(5*ms, 0, n, greatest); got != 0 {
			t.Fatalf("wait %d with a limit of 0: got %v, want none", n, got)
		}
	}
}

// TestWaitsNeverOverflow: waits grow to the limit and stay there.
func TestWaitsNeverOverflow(t *testing.T) {
	previous := time.Duration(0)
	for n := range 1000 {
		got := backoff.Doubled(5*ms, longest, n, least)
		if got < previous {
			t.Fatalf("wait %d: got %v, after %v", n, got, previous)
		}
		previous = got
		for _, random := range []float64{middle, greatest} {
			if got := backoff.Doubled(5*ms, longest, n, random); got < previous {
				t.Fatalf("wait %d with %v: got %v, less than %v", n, random, got, previous)
			}
			if got := backoff.Salted(5*ms, longest, longest, n, random); got < 0 {
				t.Fatalf("salted wait %d with %v: got %v", n, random, got)
			}
		}
	}
}

func FuzzBackoff(f *testing.F) {
	f.Add(int64(5*ms), int64(5*time.Second), int64(5*ms), uint16(3), uint16(7))
	f.Add(int64(longest), int64(longest), int64(longest), uint16(63), uint16(65535))
	f.Add(int64(1), int64(longest), int64(0), uint16(62), uint16(65535))
	f.Add(int64(1), int64(1), int64(1), uint16(62), uint16(0))
	f.Fuzz(func(t *testing.T, base, limit, salt int64, n, r uint16) {
		if base < 1 || limit < 0 || salt < 0 || max(base, limit, salt) > int64(longest) {
			return // policies never ask for these
		}
		random := float64(r) / 65536
		wait := backoff.Doubled(time.Duration(base), time.Duration(limit), int(n), random)
		if wait < 0 || wait > time.Duration(limit) {
			t.Errorf("%v·2^%d, at most %v, with %v: %v", time.Duration(base), n, time.Duration(limit), random, wait)
		}
		if later := backoff.Doubled(time.Duration(base), time.Duration(limit), int(n)+1, random); later < wait {
			t.Errorf("%v·2^%d, at most %v, with %v: %v, then %v", time.Duration(base), n, time.Duration(limit), random, wait, later)
		}
		salted := backoff.Salted(time.Duration(base), time.Duration(limit), time.Duration(salt), int(n), random)
		if salted < 0 || salted > time.Duration(limit) {
			t.Errorf("%v·2^%d + %v, at most %v, with %v: %v", time.Duration(base), n, time.Duration(salt), time.Duration(limit), random, salted)
		}
	})
}
