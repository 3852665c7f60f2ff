//go:build !unix

package bench

import "time"

var began = time.Now()

// processorTime is the time on the clock, where nothing better is at hand.
func processorTime() time.Duration { return time.Since(began) }
