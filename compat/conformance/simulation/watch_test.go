package simulation

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// role is what a request to a partition that is known to be sick is for.
type role int

const (
	ordinary   role = iota // nothing is known
	probe                  // the only one, and it is time
	lastResort             // its operation has nowhere else to go
	astray                 // none of these
)

const (
	readFailures  = 10
	writeFailures = 5
	quiet         = 5 * time.Minute
	unavailable   = 5 * time.Second
)

// watch sees every request and knows by itself which partitions have shown
// themselves sick in a region. It is the oracle's copy of the breakers, made
// from the specification alone.
type watch struct {
	truth *truth
	mu    sync.Mutex // never held across a wait
	known [partitions][regions][2]known
	stats stats
}

// known is what the requests so far have told of a partition's reads or writes
// in a region.
type known struct {
	failures int
	last     time.Duration // failure
	sick     bool
	since    time.Duration // it is sick, or the last probe failed
	probing  bool
	// doubt lasts for a while after a last resort was served: perhaps it was
	// the probe, and the breaker is closed, and perhaps not.
	doubt time.Duration
}

func kind(write bool) int {
	if write {
		return 1
	}
	return 0
}

// managed reports whether a breaker watches over an operation.
func (w *watch) managed(op *operation) bool { return !op.write || w.truth.multiWrite }

// request sees a request begin.
func (w *watch) request(op *operation, r int, f fault, at time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	again := len(op.visited) > 0 && op.visited[len(op.visited)-1] == r
	op.visited = append(op.visited, r)
	w.stats.requests++
	if !w.managed(op) {
		op.role = ordinary
		return
	}
	k := &w.known[op.partition][r][kind(op.write)]
	switch {
	case again && op.role == probe && k.probing:
		return // the same probe, on a new connection
	case !k.sick || at <= k.since:
		op.role = ordinary
	case w.nothingElse(op, at):
		op.role = lastResort
	case !k.probing && at >= k.since+unavailable:
		op.role, k.probing = probe, true
	default:
		op.role = astray
	}
	w.stats.roles[op.role]++
	if op.role == astray {
		op.strayed = true
		w.example("astray", op, at)
	}
}

// example keeps the first operations that did what they should not.
func (w *watch) example(what string, op *operation, at time.Duration) {
	if len(w.stats.examples) < 10 {
		w.stats.examples = append(w.stats.examples, fmt.Sprintf("%s: partition %d, write %t, from %v to %v, visited %v, well %t",
			what, op.partition, op.write, op.began, at, op.visited, !w.truth.anySick(op.partition, at)))
	}
}

// nothingElse reports whether each region is known to be sick or has failed in
// the operation.
func (w *watch) nothingElse(op *operation, at time.Duration) bool {
	for r := range regions {
		k := &w.known[op.partition][r][kind(op.write)]
		if !k.sick && at >= k.doubt && !slices.Contains(op.visited, r) {
			return false
		}
	}
	return true
}

// ended sees a request end.
func (w *watch) ended(op *operation, r int, f fault, at time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.managed(op) || (f == reset || f == refused) && w.firstVisit(op, r) {
		return // the latter is tried once more at once, and counts then
	}
	k := &w.known[op.partition][r][kind(op.write)]
	wasProbe := op.role == probe && k.probing
	switch healthy := f == none || f == throttled || f == behind; {
	case healthy && op.role == lastResort && at >= k.since+unavailable:
		*k = known{doubt: at + 3*unavailable}
	case healthy && (wasProbe || !k.sick):
		*k = known{doubt: k.doubt}
	case healthy:
	case wasProbe:
		k.probing, k.since, k.last = false, at, at
	case k.sick:
	default:
		if at-k.last > quiet {
			k.failures = 0
		}
		k.failures, k.last = k.failures+1, at
		if k.failures >= threshold(op.write) {
			k.sick, k.since = true, at
		}
	}
}

func threshold(write bool) int {
	if write {
		return writeFailures
	}
	return readFailures
}

// firstVisit reports whether the operation's latest request is its first one in
// a row to the region.
func (w *watch) firstVisit(op *operation, r int) bool {
	n := len(op.visited)
	return n < 2 || op.visited[n-2] != r
}
