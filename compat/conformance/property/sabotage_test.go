package property

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// transportFunc is a transport in front of another.
type transportFunc = func(next policy.Transporter, req *http.Request) (*http.Response, error)

// onSecond breaks every request but an operation's first one in a row to the same path.
func onSecond(change func(*http.Request)) func() sabotage {
	return func() sabotage {
		last := ""
		return sabotage{transport: func(next policy.Transporter, req *http.Request) (*http.Response, error) {
			id := req.Header.Get("x-ms-date") + req.URL.Path
			if id == last {
				change(req)
			}
			last = id
			return next.Do(req)
		}}
	}
}

// always breaks every request.
func always(do transportFunc) func() sabotage {
	return func() sabotage { return sabotage{transport: do} }
}

func twice(next policy.Transporter, req *http.Request) (*http.Response, error) {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		again.Body, _ = req.GetBody() // of bytes in memory: cannot fail
	}
	if resp, err := next.Do(again); err == nil {
		resp.Body.Close()
	}
	return next.Do(req)
}

func toHost(host string) transportFunc {
	return func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		req.URL.Host, req.Host = host, host
		return next.Do(req)
	}
}

// sabotages break the stack, each so that the property of its name must notice.
var sabotages = []struct {
	name    string
	problem string // how what must be noticed begins
	make    func() sabotage
}{
	{"every request is sent twice", "budgets: ", always(twice)},
	{"hints are lost", "budgets: 429 with a hint", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		resp, err := next.Do(req)
		if err == nil && resp.StatusCode == http.StatusTooManyRequests {
			for _, name := range []string{"X-Ms-Retry-After-Ms", "Retry-After-Ms", "Retry-After"} {
				resp.Header.Del(name)
			}
		}
		return resp, err
	})},
	{"503 is told as 400", "effort: ", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		resp, err := next.Do(req)
		if err == nil && resp.StatusCode == http.StatusServiceUnavailable {
			resp.StatusCode = http.StatusBadRequest
		}
		return resp, err
	})},
	{"requests go to another account", "regions: attempt 1 went to other.documents.azure.com:443, which is no host", always(toHost("other.documents.azure.com:443"))},
	{"requests go to one region, excluded or not", "regions: ", always(toHost("acct-eastus.documents.azure.com:443"))},
	{"data goes to the global endpoint", "regions: attempt 1 went to global", always(toHost("acct.documents.azure.com:443"))},
	{"retries stay where they failed", "order: ", always(toHost("acct-westus.documents.azure.com:443"))},
	{"preferences are ignored", "preference: ", always(toHost("acct-westus.documents.azure.com:443"))},
	{"the session token is dropped", "content: attempt 2: the session token is []", onSecond(func(req *http.Request) { req.Header.Del("x-ms-session-token") })},
	{"the session token is changed", "content: attempt 2: the session token is", onSecond(func(req *http.Request) {
		if req.Header.Get("x-ms-session-token") != "" {
			req.Header.Set("x-ms-session-token", "0:-1#0")
		}
	})},
	{"the body is cut", "content: attempt 2: the body is", onSecond(func(req *http.Request) {
		if req.Body != nil && req.ContentLength > 0 {
			req.Body = io.NopCloser(io.LimitReader(req.Body, req.ContentLength/2))
		}
	})},
	{"the body is empty", "content: attempt 2: the body is", onSecond(func(req *http.Request) { req.Body = http.NoBody })},
	{"the gateway retries 449 itself", "content: attempt 1: x-ms-noretry-449", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		req.Header.Del("x-ms-noretry-449")
		return next.Do(req)
	})},
	{"multi-write writes are not said to be", "content: attempt 1: x-ms-cosmos-allow", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		req.Header.Del("x-ms-cosmos-allow-tentative-writes")
		return next.Do(req)
	})},
	{"the host header is another region's", "content: attempt 1: the host header", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		req.Host = "acct-marscentral.documents.azure.com:443"
		return next.Do(req)
	})},
	{"stored procedures are sent twice", "repetition: ", always(twice)},
	{"the error is another one", "result: ", func() sabotage {
		return sabotage{outer: func(req *policy.Request) (*http.Response, error) {
			resp, err := req.Next()
			if err != nil {
				err = errors.New("it did not work")
			}
			return resp, err
		}}
	}},
	{"the answer is another one", "result: ", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		resp, err := next.Do(req)
		if err == nil && resp.StatusCode == http.StatusConflict {
			resp.Header.Del(answerHeader)
		}
		return resp, err
	})},
	{"the sub-status is lost", "result: the last answer was", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		resp, err := next.Do(req)
		if err == nil {
			resp.Header.Del("x-ms-substatus")
		}
		return resp, err
	})},
	{"a policy panics", "result: panic: on purpose", func() sabotage {
		return sabotage{inner: func(req *policy.Request) (*http.Response, error) { panic("on purpose") }}
	}},
	{"somebody sleeps into the deadline", "result: it slept", func() sabotage {
		return sabotage{inner: func(req *policy.Request) (*http.Response, error) {
			resp, err := req.Next()
			select {
			case <-time.After(time.Minute):
				return resp, err
			case <-req.Raw().Context().Done():
				return nil, req.Raw().Context().Err()
			}
		}}
	}},
	{"somebody sleeps past the deadline", "time: ", func() sabotage {
		return sabotage{inner: func(req *policy.Request) (*http.Response, error) {
			time.Sleep(3 * time.Second)
			return req.Next()
		}}
	}},
	{"an error quotes the key", "text: the error quotes", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		resp, err := next.Do(req)
		if err != nil {
			err = errors.Join(err, errors.New("signed with "+cosmostest.DefaultKey))
		}
		return resp, err
	})},
	{"an error forgets attempts", "text: the error lists", always(twice)},
	{"the account is read all the time", "reads: ", always(func(next policy.Transporter, req *http.Request) (*http.Response, error) {
		for range 20 {
			read := req.Clone(req.Context())
			read.Method, read.URL.Path, read.URL.RawPath, read.Body = http.MethodGet, "/", "", nil
			if resp, err := next.Do(read); err == nil {
				resp.Body.Close()
			}
		}
		return next.Do(req)
	})},
	{"a goroutine is left behind", "leftovers: deadlock", func() sabotage {
		return sabotage{inner: func(req *policy.Request) (*http.Response, error) {
			go func() { <-make(chan struct{}) }()
			return req.Next()
		}}
	}},
}

// TestPropertiesCanFail makes sure that every property notices what it is there for.
func TestPropertiesCanFail(t *testing.T) {
	const worlds = 400
	for _, s := range sabotages {
		t.Run(s.name, func(t *testing.T) {
			for seed := range uint64(worlds) {
				w := newWorld(seed)
				w.together = false
				v := judge(t, w, s.make())
				for _, problem := range v.problems {
					if strings.HasPrefix(problem, s.problem) {
						t.Logf("world %d: %.200s", seed, problem)
						return
					}
				}
			}
			t.Errorf("%d worlds, and nothing was noticed", worlds)
		})
	}
}
