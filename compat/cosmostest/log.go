package cosmostest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Request is one request as the account saw it.
type Request struct {
	// Time is when it arrived.
	Time time.Time
	// Region is the name of the region that it was sent to, "global", or "?" for a host that is no part of the account.
	Region string
	// Account tells the account read, GET /, from everything else.
	Account bool
	// Method, Path (escaped as in the URL), Host and Header are as sent.
	Method, Path, Host string
	Header             http.Header
	// Body is what was read of the body; nil where the answer came before it was read.
	Body []byte
	// Operation is what it does; empty for what makes no sense.
	Operation Operation
	// Database and Container are the ids of those that it is in; empty where it is in none.
	Database, Container string
	// Range is the id of the physical partition that it is for; empty where it is for none.
	Range string
	// Fault is the ID of the fault that it met; empty for none.
	Fault string
	// Status and SubStatus are those of the answer; both are 0 when there was none.
	Status, SubStatus int
	// Transport is the failure it got in place of an answer.
	Transport TransportFault
	// Canceled says that the client gave up before there was an answer or a failure.
	Canceled bool
	// Proto is the protocol it came with, such as "HTTP/2.0".
	Proto string
}

// String is the request on one line, without headers and body.
func (r Request) String() string {
	end := strconv.Itoa(r.Status)
	switch {
	case r.Canceled:
		end = "canceled " + r.Transport.String()
	case r.Status == 0:
		end = r.Transport.String()
	case r.SubStatus != 0:
		end += "/" + strconv.Itoa(r.SubStatus)
	}
	return fmt.Sprintf("%s: %s %s range %q: %s", r.Region, r.Method, r.Path, r.Range, strings.TrimSpace(end))
}

// Requests returns the log since the start or [Account.ResetLog], in order of arrival. Requests under way are in it
// without an answer.
func (a *Account) Requests() []Request { return a.log.snapshot() }

// ResetLog empties the log. Requests under way are not logged when they end.
func (a *Account) ResetLog() { a.log.reset() }

// requestLog keeps requests in order of arrival.
type requestLog struct {
	mu      sync.Mutex
	entries []*Request
}

// arrive appends r, or nothing when limit is negative.
func (l *requestLog) arrive(r *Request, limit int) {
	if limit < 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, r)
	if limit > 0 && len(l.entries) > limit {
		l.entries[0] = nil // append reallocates now and then and leaves the front behind
		l.entries = l.entries[1:]
	}
}

// update changes an entry: readers hold the same lock.
func (l *requestLog) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *requestLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}

func (l *requestLog) snapshot() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Request, 0, len(l.entries))
	for _, r := range l.entries {
		entry := *r
		entry.Header = r.Header.Clone()
		entry.Body = slices.Clone(r.Body)
		out = append(out, entry)
	}
	return out
}
