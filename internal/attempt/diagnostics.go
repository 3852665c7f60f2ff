package attempt

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Diagnostics collects what operations did, those that succeeded too. The zero
// value is ready for use; it is safe for concurrent use.
type Diagnostics struct {
	mu         sync.Mutex
	operations int
	attempts   []Attempt
	elapsed    time.Duration
}

// add records a finished operation. Account reads are the client's own and do
// not belong to any call.
func (d *Diagnostics) add(s *State) {
	if s.Op.Scope == wire.ScopeAccount {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.operations++
	d.attempts = append(d.attempts, s.attempts...)
	d.elapsed += time.Since(s.Start)
}

// Operations is how many operations were recorded: a pager makes one per page.
func (d *Diagnostics) Operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.operations
}

// Attempts lists the requests of all operations, oldest first.
func (d *Diagnostics) Attempts() []Attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.attempts)
}

// Elapsed is the time that the operations took, waits included.
func (d *Diagnostics) Elapsed() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.elapsed
}

// Charge is the request units that all attempts cost.
func (d *Diagnostics) Charge() float64 {
	total := 0.0
	for _, a := range d.Attempts() {
		total += a.Charge
	}
	return total
}

// Waited is the time that the policies slept between attempts.
func (d *Diagnostics) Waited() time.Duration {
	var total time.Duration
	for _, a := range d.Attempts() {
		total += a.Wait
	}
	return total
}

// Regions lists the regions that were asked, in the order of the first visit.
func (d *Diagnostics) Regions() []string {
	var regions []string
	for _, a := range d.Attempts() {
		if !slices.Contains(regions, a.where()) {
			regions = append(regions, a.where())
		}
	}
	return regions
}

// String is a time line, a line per attempt.
func (d *Diagnostics) String() string {
	attempts := d.Attempts()
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s in %s, %.2f RU", plural(len(attempts), "attempt"), plural(d.Operations(), "operation"), round(d.Elapsed()), d.Charge())
	timeLine(&b, attempts)
	return b.String()
}
