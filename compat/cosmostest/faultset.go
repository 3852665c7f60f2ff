package cosmostest

import (
	"hash/fnv"
	"strconv"
	"sync/atomic"
	"time"
)

// faultSet is the faults in force, in order. It is immutable apart from their counters.
type faultSet []*armedFault

// armedFault is a fault in force.
type armedFault struct {
	Fault
	region     string       // key of Region
	seed       uint64       // of the draws for Probability
	since      time.Time    // when it was set
	off        atomic.Bool  // disabled
	seen, hits atomic.Int64 // requests that matched, and those of them that it answered
}

func (a *Account) arm(f Fault, id string) *armedFault {
	armed := &armedFault{Fault: f.clone(), since: a.store.now(), region: regionKey(f.Region)}
	armed.ID = id
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	armed.seed = a.top.Load().cfg.Seed ^ h.Sum64()
	armed.off.Store(f.Disabled)
	return armed
}

// freeID is the id of a fault without one.
func (s faultSet) freeID() string {
	for n := len(s) + 1; ; n++ {
		if id := "fault-" + strconv.Itoa(n); s.find(id) < 0 {
			return id
		}
	}
}

func (s faultSet) find(id string) int {
	for i, f := range s {
		if f.ID == id {
			return i
		}
	}
	return -1
}

// inForce reports whether the fault is enabled and not used up, and its time has come and has not passed.
func (f *armedFault) inForce(now time.Time) bool {
	age := now.Sub(f.since)
	return !f.off.Load() && !f.usedUp() && age >= f.After && (f.For <= 0 || age < f.After+f.For)
}

// covers compares everything but Match and what take looks at.
func (f *armedFault) covers(r *Request) bool {
	if !f.inForce(r.Time) || !f.selects(r) {
		return false
	}
	switch f.region {
	case "":
		return true
	case "*":
		return r.Region != globalName && r.Region != unknownName
	}
	return f.region == regionKey(r.Region)
}

// usedUp reports whether the fault answers nothing any more.
func (f *armedFault) usedUp() bool { return f.Times > 0 && f.hits.Load() >= int64(f.Times) }

// take uses the fault once, and reports whether it is its turn and it was not used up.
func (f *armedFault) take() bool {
	if !f.turn() {
		return false
	}
	for {
		hits := f.hits.Load()
		if f.Times > 0 && hits >= int64(f.Times) {
			return false
		}
		if f.hits.CompareAndSwap(hits, hits+1) {
			return true
		}
	}
}

// turn counts a matching request and reports whether Skip, Percent and Probability let the fault answer it.
func (f *armedFault) turn() bool {
	n := f.seen.Add(1) - int64(f.Skip)
	if n <= 0 {
		return false
	}
	if share := int64(f.Percent); share > 0 && share < 100 && n*share/100 == (n-1)*share/100 {
		return false
	}
	return f.Probability <= 0 || f.Probability >= 1 || draw(f.seed, uint64(n)) < f.Probability
}

// draw is the n-th number of a sequence of numbers in [0, 1) that look like chance (SplitMix64).
func draw(seed, n uint64) float64 {
	z := seed + n*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// pick uses the first fault from index from on that matches r. When that cannot be told before the body is read, next is
// the index to go on at once it is; else next is negative.
func (s faultSet) pick(r *Request, from int, haveBody bool) (f *armedFault, next int) {
	for i, f := range s[from:] {
		if !f.covers(r) {
			continue
		}
		if f.Match != nil {
			if !haveBody && !f.beforeBody() {
				return nil, from + i
			}
			if !f.Match(r) {
				continue
			}
		}
		if f.take() {
			return f, -1
		}
	}
	return nil, -1
}

// forConnection returns the fault that new connections to the named region meet, nil for none.
func (s faultSet) forConnection(name string, now time.Time) *armedFault {
	probe := &Request{Time: now, Region: name, Account: name == globalName}
	for _, f := range s {
		if f.narrow() || !f.covers(probe) {
			continue
		}
		if !f.Transport.notSent() {
			return nil
		}
		return f
	}
	return nil
}

// sick reports whether a fault applies to a write request in another region than the one that it came to: the request
// would fail there.
func (a *Account) sick(r *Request, region string) bool {
	probe := *r
	probe.Region = region
	for _, f := range *a.faults.Load() {
		if !f.silent() && f.covers(&probe) && (f.Match == nil || f.Match(&probe)) {
			return true
		}
	}
	return false
}
