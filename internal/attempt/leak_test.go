package attempt_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// heap is how much is in use when everything that can go has gone.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// answers are what an operation can leave behind: timers, contexts, bodies.
var answers = map[string]struct {
	operations int
	stream     bool
	transport  transport
}{
	"answer": {30_000, false, func(req *http.Request) (*http.Response, error) {
		ctx, cancel := context.WithCancel(req.Context()) // as net/http does
		defer cancel()
		return ok(req.WithContext(ctx), "{}"), nil
	}},
	"answer without a wait": {10_000, false, func(req *http.Request) (*http.Response, error) { return ok(req, "{}"), nil }},
	"failure": {10_000, false, func(req *http.Request) (*http.Response, error) {
		<-closed(req.Context())
		return nil, errors.New("broken")
	}},
	"child that nobody ends": {10_000, false, func(req *http.Request) (*http.Response, error) {
		context.AfterFunc(req.Context(), func() {})
		return ok(req, "{}"), nil
	}},
	"stream": {10_000, true, func(req *http.Request) (*http.Response, error) {
		<-closed(req.Context())
		return ok(req, strings.Repeat("x", 100)), nil
	}},
}

// closed waits for nothing, but looks at the context as one who would.
func closed(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	close(done)
	select {
	case <-ctx.Done():
	default:
	}
	return done
}

func ok(req *http.Request, body string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}
}

// TestOperationsLeaveNothingBehind: a server works under one context all its
// life. Thirty thousand operations of two attempts each leave no timer and no
// context behind, which would take some 12 MB.
func TestOperationsLeaveNothingBehind(t *testing.T) {
	for name, a := range answers {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			operations, room := a.operations, int64(1<<20)
			if raceEnabled {
				operations, room = min(operations, 3000), room/2
			}
			p := &sender{attempts: 2, forget: true}
			pl := newCall(a.transport, 0, p)
			operate := func(n int) {
				for range n {
					req := newRequest(t, ctx, "GET", "https://acct", "")
					if a.stream {
						azruntime.SkipBodyDownload(req)
					}
					resp, err := pl.Do(req)
					if err == nil {
						_ = resp.Body.Close()
					}
				}
			}
			operate(operations / 100)
			before, goroutines := heap(), runtime.NumGoroutine()
			operate(operations)
			if grown := heap() - before; grown > room {
				t.Errorf("the heap has grown by %d KB", grown>>10)
			}
			if more := runtime.NumGoroutine() - goroutines; more > 10 {
				t.Errorf("%d goroutines more", more)
			}
		})
	}
}
