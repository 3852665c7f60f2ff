package simulation

import (
	"math/rand/v2"
	"slices"
	"time"
)

const (
	partitions = 100
	regions    = 3
	hub        = 0

	dense    = 50 * time.Millisecond  // between two operations on a partition: 2,000/s over 100
	mendGap  = 250 * time.Millisecond // between two that are run until the client has come back
	sickGap  = 3 * time.Second        // while a region is sick
	wellGap  = 5 * time.Minute        // and while all are well
	before   = 2 * time.Second        // of a change, every operation is run
	after    = 10 * time.Second       // of a change too
	promoted = 30 * time.Second       // until the service moves a sick partition's writes
	calm     = 90 * time.Second       // until a partition that is well must not be disturbed
)

// fault is how an outage shows itself.
type fault int

const (
	none     fault = iota
	failed         // 503
	broken         // 500
	slow           // 408
	gone           // 410
	choked         // 429/3092
	reset          // the connection breaks after the request was sent
	silent         // no answer ever
	refused        // no connection
	readOnly       // 403/3: the region does not take writes of the partition
)

var (
	partitionFaults = []fault{failed, failed, broken, slow, gone, choked, reset, silent}
	regionFaults    = []fault{failed, silent, refused, refused}
)

type outage struct {
	from, to time.Duration
	fault    fault
}

// truth is what really happens to the account. It is drawn before the start
// and never changes.
type truth struct {
	end        time.Duration
	outages    [partitions][regions][]outage // sorted; a region's own are in all of its partitions
	regional   [regions][]outage
	writers    [partitions][]writer // nil when every region takes writes
	changes    [partitions][]time.Duration
	multiWrite bool
}

// writer says which region takes a partition's writes from a time on.
type writer struct {
	from   time.Duration
	region int
}

func newTruth(seed uint64, end time.Duration, multiWrite, ppaf bool) *truth {
	t := &truth{end: end, multiWrite: multiWrite}
	random := rand.New(rand.NewPCG(seed, 1))
	for r := range regions {
		t.regional[r] = draw(random, end, 24*time.Hour, 15*time.Minute, regionFaults)
		for p := range partitions {
			own := draw(random, end, 48*time.Hour, 10*time.Minute, partitionFaults)
			t.outages[p][r] = merge(t.regional[r], own)
		}
	}
	for p := range partitions {
		if !multiWrite {
			t.writers[p] = []writer{{0, hub}}
		}
		if ppaf {
			t.writers[p] = t.movingWriter(p)
		}
		t.changes[p] = t.changesOf(p)
	}
	return t
}

// draw draws outages that begin every so often and take so long, on average,
// from the second minute on and in whole seconds.
func draw(random *rand.Rand, end, every, long time.Duration, faults []fault) []outage {
	var list []outage
	at := 2 * time.Minute
	for {
		at += time.Duration(random.ExpFloat64() * float64(every)).Truncate(time.Second)
		to := at + max(time.Duration(random.ExpFloat64()*float64(long)).Truncate(time.Second), 5*time.Second)
		if at >= end {
			return list
		}
		list = append(list, outage{at, to, faults[random.IntN(len(faults))]})
		at = to + 2*time.Minute
	}
}

// merge adds those of a partition's own outages that meet none of the region's.
func merge(regional, own []outage) []outage {
	all := slices.Clone(regional)
	for _, o := range own {
		if !slices.ContainsFunc(regional, func(r outage) bool { return o.from <= r.to && r.from <= o.to }) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b outage) int { return int(a.from - b.from) })
	return all
}

// movingWriter follows the service: it moves the writes of a partition when
// their region has been sick for long enough, and back to the hub when that
// has been well for as long.
func (t *truth) movingWriter(p int) []writer {
	moves := []writer{{0, hub}}
	var sick, well time.Duration
	for at := time.Duration(0); at < t.end; at += time.Second {
		current := moves[len(moves)-1].region
		if sick += time.Second; t.sick(p, current, at) == none {
			sick = 0
		}
		if well += time.Second; t.sick(p, hub, at) != none {
			well = 0
		}
		next := current
		if sick >= promoted {
			next = t.healthy(p, at, current)
		}
		if current != hub && well >= promoted {
			next = hub
		}
		if next != current {
			moves = append(moves, writer{at, next})
			sick = 0
		}
	}
	return moves
}

// healthy is the first region of a partition that is well, else the given one.
func (t *truth) healthy(p int, at time.Duration, otherwise int) int {
	for r := range regions {
		if t.sick(p, r, at) == none {
			return r
		}
	}
	return otherwise
}

// changesOf lists the times at which a partition's health or writer changes.
func (t *truth) changesOf(p int) []time.Duration {
	var at []time.Duration
	for r := range regions {
		for _, o := range t.outages[p][r] {
			at = append(at, o.from, o.to)
		}
	}
	for _, w := range t.writers[p] {
		if w.from > 0 {
			at = append(at, w.from)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// sick tells how a partition's requests fail in a region.
func (t *truth) sick(p, r int, at time.Duration) fault {
	for _, o := range t.outages[p][r] {
		if o.from <= at && at < o.to {
			return o.fault
		}
	}
	return none
}

// answers tells how a partition's reads or writes fail in a region.
func (t *truth) answers(p, r int, write bool, at time.Duration) fault {
	if f := t.sick(p, r, at); f != none || !write || t.multiWrite || t.writer(p, at) == r {
		return f
	}
	return readOnly
}

// writer is the region that takes a partition's writes.
func (t *truth) writer(p int, at time.Duration) int {
	list := t.writers[p]
	i, found := slices.BinarySearchFunc(list, at, func(w writer, at time.Duration) int { return int(w.from - at) })
	if found {
		return list[i].region
	}
	return list[i-1].region
}

// servable reports whether one region could serve a partition for all of a time.
func (t *truth) servable(p int, write bool, from, to time.Duration) bool {
	for r := range regions {
		writes := !write || t.multiWrite || t.writer(p, from) == r && t.writer(p, to) == r
		sick := slices.ContainsFunc(t.outages[p][r], func(o outage) bool { return o.from <= to && from < o.to })
		if writes && !sick {
			return true
		}
	}
	return false
}

// alternative reports whether a region other than the first is well for all of a time.
func (t *truth) alternative(p int, from, to time.Duration) bool {
	for r := range regions {
		sick := slices.ContainsFunc(t.outages[p][r], func(o outage) bool { return o.from <= to && from < o.to })
		if r != hub && !sick {
			return true
		}
	}
	return false
}

// changed reports whether a partition's health changes within a time.
func (t *truth) changed(p int, from, to time.Duration) bool {
	i, _ := slices.BinarySearch(t.changes[p], from+1)
	return i < len(t.changes[p]) && t.changes[p][i] <= to
}

// wellSince reports whether all regions of a partition have been well for a time.
func (t *truth) wellSince(p int, from, to time.Duration) bool {
	return !t.changed(p, from, to) && !t.anySick(p, to) && (t.multiWrite || t.writer(p, to) == hub)
}

func (t *truth) anySick(p int, at time.Duration) bool {
	for r := range regions {
		if t.sick(p, r, at) != none {
			return true
		}
	}
	return false
}

// hangs reports whether a request of the partition may wait for its time-out.
func (t *truth) hangs(p int, at time.Duration) bool {
	for r := range regions {
		if t.sick(p, r, at) == silent {
			return true
		}
	}
	return false
}

// gap is the time from one operation on a partition to the next one that is
// run; away is set while the client has not come back to all of its regions.
func (t *truth) gap(p int, away bool, at time.Duration) time.Duration {
	i, _ := slices.BinarySearch(t.changes[p], at-after)
	gap := wellGap
	switch {
	case away && t.sick(p, hub, at) == none:
		gap = mendGap
	case t.anySick(p, at):
		gap = sickGap
	}
	for ; i < len(t.changes[p]); i++ {
		switch until := t.changes[p][i] - before - at; {
		case until <= 0 && at < t.changes[p][i]+after:
			return dense
		case until > 0:
			return min(gap, max(until, dense))
		}
	}
	return gap
}
