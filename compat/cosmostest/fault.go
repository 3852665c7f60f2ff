package cosmostest

import (
	"net/http"
	"slices"
	"time"
)

// Fault is one way in which the account misbehaves, and when. A fault answers in place of the account: nothing is
// stored or read, unless Applied is set. A fault with neither Status nor Transport leaves the answer to the account and
// only makes it slow. Negative numbers mean what 0 means, but [Account.AddFault] refuses them.
type Fault struct {
	// ID names the fault for [Account.FaultRule] and in the log. The default is "fault-" and a number. One that another
	// fault has already is an error, or gets such a default from [Account.SetFaults].
	ID string
	// Disabled: the fault is not in force until [FaultRule.Enable].
	Disabled bool

	// Region is where: a region name (told apart without regard to case, spaces, hyphens and underscores), "*" for any
	// region but not the global endpoint, "global" for that one, and empty for everywhere.
	Region string
	// Account: true for account reads (GET /) only, false for data-plane and metadata requests only.
	Account bool
	// Operations, when set, limits the fault to some operations or groups of them, and takes the place of Account.
	Operations []Operation
	// Database and Container, when set, limit the fault to requests in the database and in the containers with this id.
	Database, Container string
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
	// Probability, between 0 and 1, is the chance of each matching request that Percent lets through to be answered. The
	// draw depends on [Config.Seed], the ID and how many there were before. 0 means all of them, as 1 does.
	Probability float64
	// After and For are when the fault strikes, counted from SetFaults or AddFault: from After on, and for so long. 0 means
	// at once, and without an end.
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
	// Delay comes before the request is carried out, or, with Applied, between that and the first byte of the answer or
	// the failure. It ends early when the client gives up.
	Delay time.Duration
	// Bandwidth is how many bytes of the answer's body arrive in a second. 0 means all at once.
	Bandwidth int
	// Early: a listener answers before it has read the request body. In process the body is always read first.
	Early bool
	// Applied: the request is carried out, and then the fault takes the place of its answer, as when a write succeeds
	// and the answer is lost. It has no effect on faults that strike before the request is read.
	Applied bool
}

// clone returns a copy that does not share what the caller may change.
func (f Fault) clone() Fault {
	f.Header = f.Header.Clone()
	f.Operations = slices.Clone(f.Operations)
	return f
}

// silent reports whether the fault leaves the answer to the account.
func (f *Fault) silent() bool { return f.Status == 0 && f.Transport == NoTransportFault }

// narrow reports whether the fault is for some of the requests on a connection only.
func (f *Fault) narrow() bool {
	return f.Range != "" || f.Match != nil || len(f.Operations) > 0 || f.Database != "" || f.Container != ""
}

// beforeBody reports whether the fault strikes before the request body is read.
func (f *Fault) beforeBody() bool {
	return f.Early || f.Transport.notSent() || f.Transport == ResetMidBody
}

// selects compares everything but Match, the region, the time and the counters.
func (f *Fault) selects(r *Request) bool {
	if len(f.Operations) == 0 && f.Account != r.Account || f.Range != "" && f.Range != r.Range ||
		f.Database != "" && f.Database != r.Database || f.Container != "" && f.Container != r.Container {
		return false
	}
	return len(f.Operations) == 0 || slices.ContainsFunc(f.Operations, r.Operation.in)
}

// answer is the fault as an HTTP answer.
func (f *Fault) answer() *answer {
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
