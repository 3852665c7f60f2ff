package simulation

import (
	"slices"
	"time"
)

// stats is what one run came to. Counts of operations are of those that are
// stood for, unless they are called raw.
type stats struct {
	requests, run int // raw
	operations    float64
	onSick        float64 // operations on a partition that is known to be sick somewhere
	failed        float64
	avoidable     int    // raw
	roles         [4]int // raw, of requests
	astray        float64
	disturbed     int // raw
	calm          int // raw: operations that must not be disturbed
	follow        follow
	longest       time.Duration
	examples      []string
}

// stage is how far the operations have followed.
type stage int

const (
	waiting stage = iota
	left          // the region that is sick
	settled       // where they belong
)

// follow measures how long the operations of a partition take to leave a
// region that falls ill, and to come back.
type follow struct {
	at    [partitions][2]int // index of the outage, or of the move, that is followed
	stage [partitions][2]stage
	// Reads, and writes on multi-write accounts: from the outage's beginning to
	// the first operation that goes straight elsewhere, and from its end to the
	// first that is served in the region again. Refused connections apart, since
	// they mark the whole endpoint.
	out, back [2][]time.Duration
	// Writes on PPAF accounts: from the service's move to the first write that
	// starts where the partition's writes are.
	moved []time.Duration
}

// done sees an operation end.
func (w *watch) done(op *operation, ok bool, weight float64, at time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if weight == 0 {
		return // warming up
	}
	s, t := &w.stats, w.truth
	s.run++
	s.operations += weight
	s.longest = max(s.longest, at-op.began)
	if w.sick(op.partition, kind(op.write)) {
		s.onSick += weight
	}
	if op.strayed {
		s.astray += weight
	}
	if !ok {
		s.failed += weight
		if t.servable(op.partition, op.write, op.began, at) {
			s.avoidable++
			w.example("failed avoidably", op, at)
		}
	}
	if !op.noisy && t.wellSince(op.partition, op.began-calm, at) {
		s.calm++
		if !ok || len(op.visited) != 1 || op.visited[0] != hub {
			s.disturbed++
			w.example("disturbed", op, at)
		}
	}
	if op.write && !t.multiWrite {
		w.followMove(op, ok)
	} else {
		w.followOutage(op, ok)
	}
}

// away reports whether the client has not come back to the first region of a partition.
func (w *watch) away(p int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	stages, first := w.stats.follow.stage[p], w.known[p][hub]
	return stages[0] == left || stages[1] == left || first[0].sick || first[1].sick
}

// sick reports whether a partition is known to be sick in a region.
func (w *watch) sick(p, kind int) bool {
	for r := range regions {
		if w.known[p][r][kind].sick {
			return true
		}
	}
	return false
}

// followOutage follows the operations that prefer the first region.
func (w *watch) followOutage(op *operation, ok bool) {
	f, p, k := &w.stats.follow, op.partition, kind(op.write)
	list := w.truth.outages[p][hub]
	i := f.at[p][k]
	if i+1 < len(list) && op.began >= list[i+1].from {
		i++
		f.at[p][k], f.stage[p][k] = i, waiting
	}
	if i >= len(list) || op.began < list[i].from || !w.truth.alternative(p, list[i].from-calm, list[i].to) {
		return // else there may be nowhere to go
	}
	o, first := list[i], op.visited[0]
	switch {
	case op.began < o.to && first != hub && f.stage[p][k] == waiting:
		f.stage[p][k] = left
		f.out[refuses(o)] = append(f.out[refuses(o)], op.began-o.from)
	case op.began >= o.to && first == hub && ok && f.stage[p][k] == left:
		f.stage[p][k] = settled
		f.back[refuses(o)] = append(f.back[refuses(o)], op.began-o.to)
	}
}

func refuses(o outage) int {
	if o.fault == refused {
		return 1
	}
	return 0
}

// followMove follows the writes of an account with one write region at a time.
func (w *watch) followMove(op *operation, ok bool) {
	f, p := &w.stats.follow, op.partition
	list := w.truth.writers[p]
	i := f.at[p][1]
	if i+1 < len(list) && op.began >= list[i+1].from {
		i++
		f.at[p][1], f.stage[p][1] = i, left
	}
	if f.stage[p][1] == left && ok && op.visited[0] == list[i].region {
		f.stage[p][1] = settled
		f.moved = append(f.moved, op.began-list[i].from)
	}
}

// quantile is the value that a share of the values do not exceed.
func quantile(values []time.Duration, share float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
