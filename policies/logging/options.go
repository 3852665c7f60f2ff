package logging

import (
	"fmt"
	"time"
)

// Options configures an [Observer]. Nil and the zero value mean the defaults.
// The observer copies it.
type Options struct {
	// Burst is how many events of one kind, cause and region are logged one by
	// one in a period. Default: 5. Negative: none, only their number is.
	Burst int
	// Period is how long events of one kind, cause and region are summed up. It
	// is up to 1 h. Default: 10 s. Negative: every event is logged.
	Period time.Duration
	// Attempts is how many requests an operation may make, and Slow how long it
	// may take, without being logged when it ends. Defaults: 4 and 3 s. Negative:
	// however many, and however long.
	Attempts int
	Slow     time.Duration
}

func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Period > time.Hour {
		return c, fmt.Errorf("logging: Period is %v: want up to 1h0m0s (0 for the default, negative to log every event)", c.Period)
	}
	if c.Burst == 0 {
		c.Burst = 5
	}
	if c.Period == 0 {
		c.Period = 10 * time.Second
	}
	if c.Attempts == 0 {
		c.Attempts = 4
	}
	if c.Slow == 0 {
		c.Slow = 3 * time.Second
	}
	return c, nil
}

// wants reports whether the end of an operation is worth an entry.
func (o *Options) wants(attempts int, elapsed time.Duration) bool {
	return o.Attempts > 0 && attempts > o.Attempts || o.Slow > 0 && elapsed > o.Slow
}
