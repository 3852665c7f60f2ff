package attempt_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// seen is a request as a transport saw it.
type seen struct {
	body        []byte
	url, host   string
	header      http.Header
	length      int64
	again, anew []byte // from GetBody, twice
	hasBody     bool
}

// greedy is a transport that goes on reading a request after it has answered,
// as HTTP/2 does, and looks at its URL and headers all the while.
type greedy struct {
	answer func(*http.Request) (*http.Response, error)

	group sync.WaitGroup
	mu    sync.Mutex
	seen  []*seen
}

func (g *greedy) Do(req *http.Request) (*http.Response, error) {
	s := new(seen)
	g.mu.Lock()
	g.seen = append(g.seen, s)
	g.mu.Unlock()
	g.group.Go(func() { s.read(req) })
	return g.answer(req)
}

func (s *seen) read(req *http.Request) {
	if s.hasBody = req.Body != nil && req.Body != http.NoBody; s.hasBody {
		chunk := make([]byte, 1000)
		for {
			n, err := req.Body.Read(chunk)
			s.body = append(s.body, chunk[:n]...)
			_, _ = req.URL.String(), req.Header.Get("Authorization")
			if err != nil {
				break
			}
		}
		_ = req.Body.Close()
	}
	s.url, s.host, s.header, s.length = req.URL.String(), req.Host, req.Header.Clone(), req.ContentLength
	if req.GetBody == nil {
		return
	}
	first, _ := req.GetBody()
	second, _ := req.GetBody()
	half := make([]byte, len(s.body)/2)
	_, _ = io.ReadFull(first, half)
	s.anew, _ = io.ReadAll(second)
	rest, _ := io.ReadAll(first)
	s.again = append(half, rest...)
}

// unavailable answers at once, before anybody has read the request.
func unavailable(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

// regions sends the attempts of a request to one region after the other, and
// changes the headers in between as an impolite policy might.
type regions struct{ attempts int }

func (p *regions) Do(req *policy.Request) (resp *http.Response, err error) {
	s := attempt.Enter(req)
	defer s.Leave()
	var timeouts attempt.Timeouts
	timeouts.SetDefaults()
	for i := range p.attempts {
		s.Choose(attempt.Target{Region: "East US", Scheme: "https", Host: "region" + strconv.Itoa(i) + ".documents.azure.com"})
		resp, err = s.Send(req, &timeouts, nil)
	}
	return resp, err
}

// TestEveryAttemptHasTheWholeBody: each transport reads the same bytes, whoever
// else still reads them, and finds its own URL and headers untouched.
func TestEveryAttemptHasTheWholeBody(t *testing.T) {
	checked := 0
	for _, size := range []int{0, 1, 2, 1000, 64 << 10, 1900 << 10} {
		body := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		for name, answer := range map[string]func(*http.Request) (*http.Response, error){
			"answered": unavailable,
			"broken":   func(*http.Request) (*http.Response, error) { return nil, errors.New("broken") },
		} {
			g := &greedy{answer: answer}
			req := newRequest(t, t.Context(), "POST", "https://acct.documents.azure.com", body)
			req.Raw().Header.Set("Authorization", "signature")
			// azcore runs the policies twice, as an outer retry does.
			pl := runtime.NewPipeline("test", "v1", runtime.PipelineOptions{PerRetry: []policy.Policy{&regions{attempts: 3}}},
				&policy.ClientOptions{Transport: g, Retry: policy.RetryOptions{MaxRetries: 1, RetryDelay: 1}})
			_, _ = pl.Do(req)
			g.group.Wait()
			if len(g.seen) != 6 {
				t.Errorf("%s, %d bytes: %d attempts, want 6", name, size, len(g.seen))
			}
			for i, s := range g.seen {
				checked += s.check(t, i, body)
			}
		}
	}
	t.Logf("%d bodies checked", checked)
}

func (s *seen) check(t *testing.T, i int, body string) (bodies int) {
	t.Helper()
	host := "region" + strconv.Itoa(i%3) + ".documents.azure.com"
	if s.host != host || s.url != "https://"+host+itemPath {
		t.Errorf("attempt %d went to %s (host %s), want %s", i, s.url, s.host, host)
	}
	if !bytes.Equal(s.body, []byte(body)) || s.hasBody != (body != "") || s.length != int64(len(body)) {
		t.Errorf("attempt %d sent %d bytes (length %d), want %d", i, len(s.body), s.length, len(body))
	}
	if body != "" && (!bytes.Equal(s.again, []byte(body)) || !bytes.Equal(s.anew, []byte(body))) {
		t.Errorf("attempt %d would send %d and %d bytes again, want %d", i, len(s.again), len(s.anew), len(body))
	}
	want := http.Header{"Authorization": {"signature"}, "X-Ms-Documentdb-Partitionkey": {`["p"]`}}
	if body != "" {
		want["Content-Type"], want["Content-Length"] = []string{"application/json"}, []string{strconv.Itoa(len(body))}
	}
	delete(s.header, "User-Agent")
	if !maps.EqualFunc(s.header, want, func(a, b []string) bool { return len(a) == 1 && len(b) == 1 && a[0] == b[0] }) {
		t.Errorf("attempt %d has the headers %v, want %v", i, s.header, want)
	}
	return 3
}

// TestBodiesStartAtTheirStart: wherever the client's own reader stands.
func TestBodiesStartAtTheirStart(t *testing.T) {
	g := &greedy{answer: unavailable}
	reader := strings.NewReader(`{"id":"i"}`)
	req := newRequest(t, t.Context(), "POST", "https://acct.documents.azure.com", "")
	if err := req.SetBody(streaming.NopCloser(reader), "application/json"); err != nil {
		t.Fatal(err)
	}
	_, _ = reader.Seek(5, io.SeekStart)
	_, _ = newPipeline(g, &regions{attempts: 2}).Do(req)
	g.group.Wait()
	for i, s := range g.seen {
		if string(s.body) != `{"id":"i"}` {
			t.Errorf("attempt %d sent %q", i, s.body)
		}
	}
}

// brokenBody cannot be read to its end.
type brokenBody struct{ *strings.Reader }

var errBroken = errors.New("the disk is gone")

func (b brokenBody) Read(p []byte) (int, error) {
	if b.Len() <= 5 {
		return 0, errBroken
	}
	return b.Reader.Read(p[:min(len(p), 5)])
}
func (brokenBody) Close() error { return nil }

// TestBodiesThatCannotBeReadAreNotSent: half a document is worse than none.
func TestBodiesThatCannotBeReadAreNotSent(t *testing.T) {
	g := &greedy{answer: unavailable}
	req := newRequest(t, t.Context(), "POST", "https://acct.documents.azure.com", "")
	if err := req.SetBody(brokenBody{strings.NewReader(`{"id":"i"}`)}, "application/json"); err != nil {
		t.Fatal(err)
	}
	_, err := newPipeline(g, &regions{attempts: 2}).Do(req)
	if !errors.Is(err, errBroken) || len(g.seen) != 0 {
		t.Errorf("got %v, and %d requests", err, len(g.seen))
	}
}
