package attempt_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// slowBody is an answer of so many bytes, one a second.
type slowBody struct {
	ctx    context.Context
	left   int
	closed bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
		b.left--
		p[0] = 'x'
		return 1, nil
	case <-b.ctx.Done():
		return 0, context.Cause(b.ctx)
	}
}

func (b *slowBody) Close() error {
	b.closed = true
	return nil
}

// stream answers with a slow body, and keeps it.
func stream(size int, body **slowBody) transport {
	return func(req *http.Request) (*http.Response, error) {
		*body = &slowBody{ctx: req.Context(), left: size}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: *body, Request: req}, nil
	}
}

// TestStreamsAreNotCut: an answer that the caller reads by itself may take as
// long as it takes, however short the attempt's time-out is. The context ends
// when the body is closed.
func TestStreamsAreNotCut(t *testing.T) {
	for _, tryTimeout := range []time.Duration{0, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var body *slowBody
			req := newRequest(t, t.Context(), "GET", "https://acct", "")
			runtime.SkipBodyDownload(req)
			resp, err := newCall(stream(600, &body), tryTimeout, &sender{}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			got, err := io.ReadAll(resp.Body)
			if len(got) != 600 || err != nil || time.Since(start) != 600*time.Second {
				t.Errorf("read %d bytes in %v: %v", len(got), time.Since(start), err)
			}
			if body.ctx.Err() != nil {
				t.Errorf("the context ended before the body was closed: %v", body.ctx.Err())
			}
			if err := resp.Body.Close(); err != nil || !body.closed || body.ctx.Err() == nil {
				t.Errorf("close: %v, closed %v, context %v", err, body.closed, body.ctx.Err())
			}
		})
	}
}

// TestStreamsEndWithTheirCaller: a deadline or a cancellation of the caller's
// ends the stream at once.
func TestStreamsEndWithTheirCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var body *slowBody
		req := newRequest(t, ctx, "GET", "https://acct", "")
		runtime.SkipBodyDownload(req)
		resp, err := newCall(stream(600, &body), 0, &sender{}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		start := time.Now()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 30*time.Second {
			t.Errorf("%v after %v, want the caller's deadline", err, time.Since(start))
		}
	})
}

// TestDownloadsAreOnTheClock: an answer that azcore reads belongs to the attempt.
func TestDownloadsAreOnTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var body *slowBody
		p := &sender{}
		start := time.Now()
		_, err := newCall(stream(600, &body), 0, p).Do(newRequest(t, t.Context(), "GET", "https://acct", ""))
		if a := p.last(t); err == nil || time.Since(start) != 6*time.Second || a.Outcome().Class != attempt.TimedOut || !a.Sent {
			t.Errorf("%v after %v: %+v", err, time.Since(start), a.Outcome())
		}
		if body.ctx.Err() == nil {
			t.Error("the context of an attempt that ended is alive")
		}
	})
}
