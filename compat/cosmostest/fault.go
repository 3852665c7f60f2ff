package cosmostest

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// Fault is one way in which the account misbehaves, and when. A fault answers in place of the account: nothing is
// stored or read, unless Applied is set. A fault with neither Status nor Transport only delays.
type Fault struct {
	// Region is where: a region name (told apart without regard to case, spaces, hyphens and underscores), "*" for any
	// region but not the global endpoint, "global" for that one, and empty for everywhere.
	Region string
	// Account: true for account reads (GET /) only, false for data-plane and metadata requests only.
	Account bool
	// Range, when set, limits the fault to requests for the physical partition with this id.
	Range string
	// Match, when set, must also agree. It is called without locks held and must neither change nor keep the request. It
	// sees the request before its body is read when the fault comes before that (Early, ResetMidBody and the failures
	// that are not sent), else with the body.
	Match func(*Request) bool
	// Times is how many requests the fault answers before it is used up. 0 means always.
	Times int
	// Skip is how many matching requests it lets pass first. The default is none.
	Skip int
	// Percent, from 1 to 99, is the share of matching requests that the fault answers, spread evenly and without
	// chance: 25 is every fourth one. 0 means all of them.
	Percent int
	// After and For are when the fault strikes, counted from SetFaults: from After on, and for so long. 0 means at once,
	// and without an end.
	After, For time.Duration

	// Status and SubStatus are those of the answer. x-ms-substatus is sent when SubStatus is not 0 or HasSub is set.
	Status, SubStatus int
	HasSub            bool
	// Header is added to the answer.
	Header http.Header
	// Body is the body of the answer; nil means a Cosmos JSON error body.
	Body *string

	// Transport is a failure in place of an answer.
	Transport TransportFault
	// Delay comes before the answer or the failure. It ends early when the client gives up.
	Delay time.Duration
	// Early: a listener answers before it has read the request body. In process the body is always read first.
	Early bool
	// Applied: the request is carried out, and then the fault takes the place of its answer, as when a write succeeds
	// and the answer is lost. It has no effect on faults that strike before the request is read.
	Applied bool
}

// SetFaults replaces all faults; their counters start anew. The first fault that matches a request and is not used up
// answers it. The faults are copied. Requests under way keep the fault they met. On listeners, faults that strike before
// a request is sent strike new connections, so idle ones to the regions that have them are cut.
func (a *Account) SetFaults(f ...Fault) {
	set, now := make(faultSet, len(f)), time.Now()
	for i := range f {
		set[i] = &armedFault{Fault: f[i], since: now}
		set[i].Header = f[i].Header.Clone()
	}
	a.faults.Store(&set)
	for _, g := range a.allGates() {
		if set.forConnection(g.name) != nil {
			a.forgetIdle()
			g.dropIdle()
		}
	}
}

// FaultHits returns how many requests each fault of the last [Account.SetFaults] has answered, in their order.
func (a *Account) FaultHits() []int {
	set := *a.faults.Load()
	hits := make([]int, len(set))
	for i, f := range set {
		hits[i] = int(f.hits.Load())
	}
	return hits
}

// faultSet is immutable apart from the counters.
type faultSet []*armedFault

type armedFault struct {
	Fault
	since      time.Time    // SetFaults
	seen, hits atomic.Int64 // requests that matched, and those of them that it answered
}

// covers compares everything but Match and the counters.
func (f *armedFault) covers(r *Request) bool {
	if f.Account != r.Account || f.Range != "" && f.Range != r.Range {
		return false
	}
	if age := r.Time.Sub(f.since); age < f.After || f.For > 0 && age >= f.After+f.For {
		return false
	}
	switch f.Region {
	case "":
		return true
	case "*":
		return r.Region != globalName && r.Region != unknownName
	}
	return regionKey(f.Region) == regionKey(r.Region)
}

// beforeBody reports whether the fault strikes before the request body is read.
func (f *armedFault) beforeBody() bool {
	return f.Early || f.Transport.notSent() || f.Transport == ResetMidBody
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

// turn counts a matching request and reports whether Skip and Percent let the fault answer it.
func (f *armedFault) turn() bool {
	n := f.seen.Add(1) - int64(f.Skip)
	if n <= 0 {
		return false
	}
	share := int64(f.Percent)
	return share <= 0 || share >= 100 || n*share/100 > (n-1)*share/100
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

// silent reports whether the fault leaves the answer to the account.
func (f *armedFault) silent() bool { return f.Status == 0 && f.Transport == NoTransportFault }

// answer is the fault as an HTTP answer.
func (f *armedFault) answer() *answer {
	ans := newAnswer(f.Status)
	if f.Status == 0 {
		ans.status = http.StatusOK // Truncated without a status
	}
	ans.cut = f.Transport == Truncated
	if f.SubStatus != 0 || f.HasSub {
		ans.setSubStatus(f.SubStatus)
	}
	switch {
	case f.Body != nil:
		ans.body = []byte(*f.Body)
	case ans.cut:
		ans.body = []byte(`{"id":"the rest of this document never arr`)
	case ans.status != http.StatusNotModified && ans.status != http.StatusNoContent:
		ans.body = errorBody(ans.status, "injected fault")
	}
	for k, v := range f.Header {
		ans.header[http.CanonicalHeaderKey(k)] = slices.Clone(v)
	}
	return ans
}
