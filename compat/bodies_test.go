package compat_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/log"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// sizes are the bodies of creates, and how often each is sent over each wire to
// a region that answers early, and to one that resets. The service takes at most
// 2 MB; 1.9 MiB is where a shared reader was cut short.
var sizes = []struct{ bytes, answered, reset int }{{1, 10, 5}, {64 << 10, 20, 10}, {1900 << 10, 100, 15}}

// document is a body of a size, no two alike.
func document(size, n int) string {
	return (fmt.Sprint(n%10) + strings.Repeat(fmt.Sprintf("%09d,", n), size/10+1))[:size]
}

// TestCreatesKeepTheirBodies: a region answers before it has read the request,
// or resets in the middle of it, and the next one gets every byte.
func TestCreatesKeepTheirBodies(t *testing.T) {
	empty, taken := "", `{"id":"taken"}`
	for wire := range wires {
		for name, fault := range map[string]cosmostest.Fault{
			"early 503": {Region: east, Status: http.StatusServiceUnavailable, Body: &empty, Early: true},
			"reset":     {Region: east, Transport: cosmostest.ResetMidBody},
		} {
			t.Run(wire+" "+name, func(t *testing.T) {
				acct := listening(t, wire)
				network := acct.Client()
				defer network.CloseIdleConnections()
				c := client{transport: network}.container(t, acct)
				warmUp(t, acct, c)
				acct.SetFaults(fault, cosmostest.Fault{Region: west, Status: http.StatusCreated, Body: &taken})
				bodies := 0
				for _, size := range sizes {
					times := size.answered
					if fault.Transport == cosmostest.ResetMidBody {
						times = size.reset
					}
					for n := range times {
						body := document(size.bytes, n)
						noError(t, create(t.Context(), c, body))
						bodies += checkBodies(t, acct, body)
					}
				}
				t.Logf("%d bodies checked", bodies)
			})
		}
	}
}

// checkBodies compares what the regions have read with what was sent, and
// empties the log. A region that read a part has read a beginning.
func checkBodies(t *testing.T, acct *cosmostest.Account, body string) (whole int) {
	t.Helper()
	for _, r := range acct.Requests() {
		switch {
		case r.Region == west && string(r.Body) == body:
			whole++
		case r.Region == west || !strings.HasPrefix(body, string(r.Body)):
			t.Fatalf("%s read %d bytes that are not those of %d", r.Region, len(r.Body), len(body))
		}
		if r.Header.Get("Content-Length") != "" && r.Header.Get("Content-Length") != fmt.Sprint(len(body)) {
			t.Fatalf("%s was told %s bytes of %d", r.Region, r.Header.Get("Content-Length"), len(body))
		}
	}
	if whole != 1 {
		t.Fatalf("%d whole bodies arrived, want 1: %q", whole, visits(acct))
	}
	acct.ResetLog()
	return whole
}

// hoarder is a transport that reads requests in the background, slower than it
// answers them, and compares their bodies, URLs and headers when all is over.
type hoarder struct {
	next   policy.Transporter
	group  sync.WaitGroup
	mu     sync.Mutex
	bodies [][]byte
}

func (h *hoarder) Do(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		return h.next.Do(req)
	}
	url, signature, late := req.URL.String(), req.Header.Get("Authorization"), make(chan struct{})
	whole, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	copied := req.Clone(req.Context())
	copied.Body = whole
	h.group.Go(func() {
		<-late
		body, _ := io.ReadAll(req.Body)
		if req.URL.String() != url || req.Header.Get("Authorization") != signature {
			body = []byte("the request was changed after it had been answered")
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.bodies = append(h.bodies, body)
	})
	defer close(late)
	return h.next.Do(copied)
}

// bodyFaults make the policies send a body again, each in its own way.
var bodyFaults = map[string]cosmostest.Fault{
	"503":        {Region: "*", Status: 503, Times: 3},
	"429":        {Region: "*", Status: 429, Times: 9, Header: http.Header{"X-Ms-Retry-After-Ms": {"0"}}},
	"404/1002":   {Region: "*", Status: 404, SubStatus: 1002, Times: 3},
	"reset":      {Region: "*", Transport: cosmostest.Reset, Times: 7},
	"no failure": {Region: "*", Times: 1},
}

// TestWritesKeepTheirBodies: batches, patches, queries and the rest, through
// every retry that the policies make, over a transport that reads late.
func TestWritesKeepTheirBodies(t *testing.T) {
	total := 0
	for name, do := range operations {
		if name == "read" {
			continue
		}
		for fault, f := range bodyFaults {
			acct := newAccount(t, multiWrite)
			h := &hoarder{next: acct.Transport()}
			if err := do(t.Context(), client{transport: h}.container(t, acct)); err != nil {
				t.Errorf("%s without a fault: %v", name, err)
			}
			acct = newAccount(t, multiWrite)
			h2 := &hoarder{next: acct.Transport()}
			c := client{transport: h2}.container(t, acct)
			warmUp(t, acct, c)
			acct.SetFaults(f)
			if err := do(t.Context(), c); err != nil {
				t.Errorf("%s, %s: %v", name, fault, err)
			}
			h.group.Wait()
			h2.group.Wait()
			if want := max(f.Times, 1); fault != "no failure" && len(h2.bodies) != want+1 {
				t.Errorf("%s, %s: %d bodies, want %d", name, fault, len(h2.bodies), want+1)
			}
			for i, body := range h2.bodies {
				total++
				if !bytes.Equal(body, h.bodies[0]) {
					t.Errorf("%s, %s: attempt %d sent %q, want %q", name, fault, i, body, h.bodies[0])
				}
			}
		}
	}
	t.Logf("%d bodies checked", total)
}

// TestLoggedBodiesAreSentWhole: azcore's log policy reads each body before the
// transport does.
func TestLoggedBodiesAreSentWhole(t *testing.T) {
	var logged atomic.Int64
	log.SetListener(func(event log.Event, text string) {
		if event == log.EventRequest && strings.Contains(text, `"n":1}`) {
			logged.Add(1)
		}
	})
	defer log.SetListener(nil)
	acct := newAccount(t, multiWrite)
	c := client{logging: policy.LogOptions{IncludeBody: true}}.container(t, acct)
	warmUp(t, acct, c)
	acct.SetFaults(cosmostest.Fault{Region: "*", Status: 503, Times: 2})
	_, err := c.UpsertItem(t.Context(), key, []byte(`{"id":"i","pk":"p","n":1}`), nil)
	noError(t, err)
	for i, r := range acct.Requests() {
		if string(r.Body) != `{"id":"i","pk":"p","n":1}` {
			t.Errorf("attempt %d sent %q", i, r.Body)
		}
	}
	if logged.Load() != 3 {
		t.Errorf("%d requests were logged with their bodies, want 3", logged.Load())
	}
	wantVisits(t, acct, east, west, north)
}

// TestRequestsWithoutABodyStayWithoutOne: reads and deletes.
func TestRequestsWithoutABodyStayWithoutOne(t *testing.T) {
	acct := newAccount(t, multiWrite)
	sent := 0
	c := client{transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		sent++
		if req.Body != nil || req.ContentLength != 0 || req.GetBody != nil || req.Header.Get("Content-Length") != "" {
			t.Errorf("%s %s has a body", req.Method, req.URL.Path)
		}
		return acct.Transport().Do(req)
	})}.container(t, acct)
	warmUp(t, acct, c)
	acct.SetFaults(cosmostest.Fault{Region: "*", Status: 503, Times: 2})
	noError(t, read(t.Context(), c))
	acct.SetFaults(cosmostest.Fault{Region: "*", Status: 503, Times: 2})
	_, err := c.DeleteItem(t.Context(), key, "i", &azcosmos.ItemOptions{})
	noError(t, err)
	if sent != 8 {
		t.Errorf("%d requests, want the account read, 1 read and 2 times 3", sent)
	}
}
