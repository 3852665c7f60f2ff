package property

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// answerHeader numbers the answers, so that it can be told which of them reached the caller.
const answerHeader = "X-Property-Answer"

// recorder is the transport next to the account: it knows when each request ended and what it was answered.
type recorder struct {
	next policy.Transporter

	mu      sync.Mutex // never held across I/O
	entries []*exchange
	reads   []read // account reads that told a topology, since the world began
	shape   shape
	numbers int
}

// exchange is a request on its way.
type exchange struct {
	start, end time.Time
	account    bool
	script     string // that it belongs to
	number     string // of the answer
	hint       time.Duration
}

// read is an account read that told a topology.
type read struct {
	start, end time.Time
	shape      shape
}

// Do implements [policy.Transporter].
func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	if req.Context().Err() != nil {
		return r.next.Do(req) // not even logged
	}
	e := &exchange{start: time.Now(), hint: noHint, account: req.URL.Path == "/" || req.URL.Path == "", script: req.Header.Get(scriptHeader)}
	r.mu.Lock()
	r.entries = append(r.entries, e)
	shape := r.shape
	r.mu.Unlock()
	resp, err := r.next.Do(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	e.end = time.Now()
	if err != nil {
		return resp, err
	}
	r.numbers++
	e.number, e.hint = fmt.Sprint(r.numbers), hintOf(resp.Header, e.end)
	resp.Header.Set(answerHeader, e.number)
	if e.account && resp.StatusCode == http.StatusOK && resp.Header.Get("x-ms-gatewayversion") != "" {
		r.reads = append(r.reads, read{e.start, e.end, shape})
	}
	return resp, nil
}

// reset forgets the requests and returns how many account reads have told a topology.
func (r *recorder) reset() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = nil
	return len(r.reads)
}

func (r *recorder) setShape(s shape) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shape = s
}

// scriptHeader says which script a request belongs to, and scriptKey is the key of that in a context.
const scriptHeader = "X-Property-Script"

type scriptKey struct{}

// capture keeps the bodies of operations as azcosmos made them, before any policy of ours sees them.
type capture struct {
	mu     sync.Mutex
	bodies map[string][]byte // by script
}

// Do implements [policy.Policy].
func (c *capture) Do(req *policy.Request) (*http.Response, error) {
	script, _ := req.Raw().Context().Value(scriptKey{}).(string)
	if path := req.Raw().URL.Path; script == "" || path == "" || path == "/" {
		return req.Next()
	}
	req.Raw().Header.Set(scriptHeader, script)
	var data []byte
	if body := req.Body(); body != nil {
		var err error
		if data, err = io.ReadAll(body); err != nil {
			return nil, err
		}
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	c.bodies[script] = data
	c.mu.Unlock()
	return req.Next()
}

// outcome is what came of a script.
type outcome struct {
	world    *world
	index    int
	cold     bool // the client knew no topology when it began
	pristine bool // nothing has failed in this world before
	script   *script
	start    time.Time
	elapsed  time.Duration
	response *http.Response
	err      error
	panicked string
	body     []byte // as azcosmos made it

	attempts     []attempt // data plane and metadata, in order
	accountReads int
	reads        []read // that told a topology, since the world began
	readsBefore  int    // how many of them before the script
	worst        worst
}

// attempt is one request of the script's operation, as the account and the recorder saw it.
type attempt struct {
	cosmostest.Request
	end    time.Time
	number string
	hint   time.Duration
}

// collect joins what the account logged and what the recorder saw. Both have the requests of the operation in the
// same order, since an operation sends one at a time.
func (o *outcome) collect(p *player) error {
	r, script := p.recorder, fmt.Sprint(o.index)
	p.capture.mu.Lock()
	o.body = p.capture.bodies[script]
	p.capture.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	o.reads = slices.Clone(r.reads)
	sent := slices.DeleteFunc(slices.Clone(r.entries), func(e *exchange) bool { return e.account || e.script != script })
	for _, request := range p.account.Requests() {
		switch {
		case request.Account:
			o.accountReads++
			continue
		case request.Header.Get(scriptHeader) != script:
			continue
		case len(o.attempts) >= len(sent):
			return fmt.Errorf("the account logged more requests than were sent: %d", len(sent))
		}
		e := sent[len(o.attempts)]
		o.attempts = append(o.attempts, attempt{Request: request, end: e.end, number: e.number, hint: e.hint})
	}
	if len(o.attempts) != len(sent) {
		return fmt.Errorf("the account logged %d requests of %d", len(o.attempts), len(sent))
	}
	return nil
}

// answered reports whether the attempt got a whole answer.
func (a *attempt) answered() bool { return a.Status != 0 && a.Transport == cosmostest.NoTransportFault }

// sameBody reports whether the attempt carried the body, as far as it was read.
func (a *attempt) sameBody(body []byte) bool {
	cut := a.Transport == cosmostest.ResetMidBody || a.Canceled
	return a.Body == nil && !a.answered() || cut && bytes.HasPrefix(body, a.Body) || bytes.Equal(a.Body, body)
}

// service is the answer that the caller's error carries, nil when it carries none.
func (o *outcome) service() *azcore.ResponseError {
	return serviceError(o.err)
}
