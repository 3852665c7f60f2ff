package wait_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wait"
)

func TestForSleepsExactlyAsLongAsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, d := range []time.Duration{1, time.Millisecond, 90 * time.Second, 24 * time.Hour} {
			start := time.Now()
			if err := wait.For(t.Context(), d); err != nil {
				t.Errorf("%v: %v", d, err)
			}
			if slept := time.Since(start); slept != d {
				t.Errorf("slept %v, want %v", slept, d)
			}
		}
	})
}

func TestForDoesNotOutliveItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := wait.For(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		if slept := time.Since(start); slept != time.Second {
			t.Errorf("slept %v, want 1s", slept)
		}
		// The context is done now: no further wait begins.
		for _, d := range []time.Duration{-1, 0, 1, time.Hour} {
			start := time.Now()
			if err := wait.For(ctx, d); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 0 {
				t.Errorf("%v under a context that is done: %v after %v", d, err, time.Since(start))
			}
		}
	})
}

func TestForWaitsNotAtAllForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		for _, d := range []time.Duration{math.MinInt64, -time.Second, 0} {
			if err := wait.For(t.Context(), d); err != nil {
				t.Errorf("%v: %v", d, err)
			}
		}
		if slept := time.Since(start); slept != 0 {
			t.Errorf("slept %v", slept)
		}
	})
}

func TestForEndsWithACancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- wait.For(ctx, time.Hour) }()
		synctest.Wait()
		start := time.Now()
		cancel()
		if err := <-result; !errors.Is(err, context.Canceled) || time.Since(start) != 0 {
			t.Errorf("got %v after %v, want the cancellation at once", err, time.Since(start))
		}
	})
}

func TestFitsComparesWithTheDeadline(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(t.Context()), now.Add(time.Second))
	defer cancel()
	for d, want := range map[time.Duration]bool{
		0:                       true,
		time.Second - 1:         true,
		time.Second:             false, // the deadline would be there at the same moment
		time.Second + 1:         false,
		math.MaxInt64:           false,
		-time.Hour:              true,
		999 * time.Millisecond:  true,
		1001 * time.Millisecond: false,
	} {
		if got := wait.Fits(ctx, now, d); got != want {
			t.Errorf("%v: got %v", d, got)
		}
	}
	if !wait.Fits(t.Context(), now, math.MaxInt64) {
		t.Error("without a deadline, every wait fits")
	}
}
