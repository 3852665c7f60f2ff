// Package wait sleeps without outliving a context.
package wait

import (
	"context"
	"time"
)

// For sleeps for d, or until ctx is done, and then returns ctx's error.
// A wait of zero or less returns at once, with the error of a context that is
// already done.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fits reports whether a wait of d, begun at now, ends before ctx's deadline.
// A wait that cannot end in time is not worth beginning.
func Fits(ctx context.Context, now time.Time, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || now.Add(d).Before(deadline)
}
