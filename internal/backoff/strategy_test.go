package backoff_test

import (
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/backoff"
)

// TestStrategies pins the first waits, in the middle of what chance may do.
func TestStrategies(t *testing.T) {
	tests := []struct {
		name     string
		strategy backoff.Strategy
		want     []time.Duration
	}{
		{"exponential", backoff.Exponential{Base: 100 * ms, Max: time.Second}, []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1000 * ms}},
		{"without a limit", backoff.Exponential{Base: time.Second, Jitter: backoff.JitterNone}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
		{"equal jitter", backoff.Exponential{Base: 100 * ms, Jitter: backoff.JitterEqual}, []time.Duration{75 * ms, 150 * ms, 300 * ms}},
		{"full jitter", backoff.Exponential{Base: 100 * ms, Jitter: backoff.JitterFull}, []time.Duration{50 * ms, 100 * ms, 200 * ms}},
		{"decorrelated jitter", backoff.Exponential{Base: 100 * ms, Max: 400 * ms, Jitter: backoff.JitterDecorrelated}, []time.Duration{200 * ms, 250 * ms, 250 * ms}},
		{"incremental", backoff.Incremental{First: 3 * time.Second, Step: 4 * time.Second, Max: 10 * time.Second}, []time.Duration{3 * time.Second, 7 * time.Second, 10 * time.Second}},
		{"fixed", backoff.Fixed(time.Second), []time.Duration{time.Second, time.Second}},
		{"immediate once", backoff.ImmediateOnce{Then: backoff.Fixed(time.Second)}, []time.Duration{0, time.Second, time.Second}},
		{"immediate once and nothing", backoff.ImmediateOnce{}, []time.Duration{0, 0}},
		{"no base", backoff.Exponential{Base: -1}, []time.Duration{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			previous := time.Duration(0)
			for retry, want := range tt.want {
				if got := tt.strategy.Delay(retry, previous, middle); got.Round(time.Microsecond) != want {
					t.Errorf("retry %d: got %v, want %v", retry, got, want)
				}
				previous = want
			}
		})
	}
}

// FuzzStrategies: no wait is negative, and none is beyond its limit.
func FuzzStrategies(f *testing.F) {
	f.Add(int64(time.Millisecond), int64(time.Second), int64(time.Minute), 3, 0.5)
	f.Add(int64(1)<<62, int64(0), int64(1)<<62, 1<<40, 0.999)
	f.Fuzz(func(t *testing.T, base, limit, previous int64, retry int, random float64) {
		if retry < 0 || previous < 0 || !(random >= 0 && random < 1) {
			return
		}
		strategies := []backoff.Strategy{
			backoff.Incremental{First: time.Duration(base), Step: time.Duration(previous), Max: time.Duration(limit)},
			backoff.Fixed(base),
		}
		for j := backoff.JitterQuarter; j <= backoff.JitterDecorrelated; j++ {
			strategies = append(strategies, backoff.Exponential{Base: time.Duration(base), Max: time.Duration(limit), Jitter: j})
		}
		for _, s := range strategies {
			d := backoff.ImmediateOnce{Then: s}.Delay(retry, time.Duration(previous), random)
			if _, fixed := s.(backoff.Fixed); d < 0 || !fixed && limit > 0 && d > time.Duration(limit) {
				t.Errorf("%T%+v waits %v before retry %d", s, s, d, retry)
			}
		}
	})
}
