//go:build unix

package bench

import (
	"syscall"
	"time"
)

// processorTime is the time that the program has spent on processors so far, in
// all its goroutines. A busy machine makes it less wrong than a clock.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
