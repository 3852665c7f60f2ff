package policies_test

import (
	"fmt"
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
)

// waits prints what a strategy waits before the first five retries, when chance
// is in the middle.
func waits(name string, b policies.Backoff) {
	fmt.Printf("%-12s", name)
	previous := time.Duration(0)
	for retry := range 5 {
		previous = b.Delay(retry, previous, 0.5)
		fmt.Printf(" %7s", previous.Round(time.Millisecond))
	}
	fmt.Println()
}

// For background work: the waits grow, and chance keeps the clients apart.
func ExampleExponentialBackoff() {
	b := policies.ExponentialBackoff{Base: 100 * time.Millisecond, Max: time.Second}
	for _, jitter := range []struct {
		name string
		of   policies.Jitter
	}{
		{"quarter", policies.JitterQuarter}, {"none", policies.JitterNone}, {"equal", policies.JitterEqual},
		{"full", policies.JitterFull}, {"decorrelated", policies.JitterDecorrelated},
	} {
		b.Jitter = jitter.of
		waits(jitter.name, b)
	}
	b.Jitter = policies.JitterFull
	fmt.Println("full, with luck:", b.Delay(4, 0, 0), "and without:", b.Delay(4, 0, 0.999999).Round(time.Millisecond))
	// Output:
	// quarter        100ms   200ms   400ms   800ms      1s
	// none           100ms   200ms   400ms   800ms      1s
	// equal           75ms   150ms   300ms   600ms   750ms
	// full            50ms   100ms   200ms   400ms   500ms
	// decorrelated   200ms   350ms   550ms   550ms   550ms
	// full, with luck: 0s and without: 1s
}

// The waits grow by the same step.
func ExampleIncrementalBackoff() {
	waits("incremental", policies.IncrementalBackoff{First: 3 * time.Second, Step: 4 * time.Second, Max: 12 * time.Second})
	// Output:
	// incremental       3s      7s     11s     12s     12s
}

// For a service that no other client uses.
func ExampleFixedBackoff() {
	waits("fixed", policies.FixedBackoff(50*time.Millisecond))
	// Output:
	// fixed           50ms    50ms    50ms    50ms    50ms
}

// For interactive operations: a blip costs no wait, and what lasts is waited
// for. Options.Backoff and Options.FailoverBackoff take it.
func ExampleImmediateOnce() {
	waits("once", policies.ImmediateOnce{Then: policies.ExponentialBackoff{Base: 100 * time.Millisecond, Max: time.Second}})
	// Output:
	// once              0s   100ms   200ms   400ms   800ms
}
