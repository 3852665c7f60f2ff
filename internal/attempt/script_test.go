package attempt_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wait"
)

// step is one attempt of a script: where it goes, how long before it the policy
// sleeps and why, and how long after it what comes back.
type step struct {
	region string
	wait   time.Duration
	why    string
	took   time.Duration

	status, sub int
	header      map[string]string
	body        string
	err         error
}

// script is a policy and the network below it, which do as they are told.
type script struct {
	steps      []step
	giveUp     string // the reason, "" to hand the last result up
	permanent  bool
	retryAfter time.Duration

	current *step
}

func hostOf(region string) string {
	return "acct-" + strings.ReplaceAll(strings.ToLower(region), " ", "") + ".documents.azure.com"
}

// Do implements [policy.Policy].
func (c *script) policy(req *policy.Request) (resp *http.Response, err error) {
	s := attempt.Enter(req)
	defer s.Leave()
	for i := range c.steps {
		c.current = &c.steps[i]
		runtime.Drain(resp)
		if c.current.wait > 0 {
			_ = wait.For(s.Context(), c.current.wait)
			s.Slept(c.current.wait)
		}
		if err := s.Interrupted(); err != nil {
			return nil, err
		}
		s.Choose(attempt.Target{Region: c.current.region, Scheme: "https", Host: hostOf(c.current.region)})
		if c.current.why != "" {
			s.Retry(event.KindFailover, c.current.why, c.current.wait)
		}
		var timeouts attempt.Timeouts
		timeouts.SetDefaults()
		resp, err = s.Send(req, &timeouts, nil)
	}
	if err := s.Interrupted(); err != nil && s.Last().Class != attempt.Answered {
		return nil, err
	}
	if c.giveUp != "" {
		return nil, s.GiveUp(resp, err, c.giveUp, !c.permanent, c.retryAfter)
	}
	return resp, err
}

// send is the network.
func (c *script) send(req *http.Request) (*http.Response, error) {
	timer := time.NewTimer(c.current.took)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	if c.current.err != nil {
		return nil, c.current.err
	}
	h := http.Header{"Content-Type": {"application/json"}}
	for k, v := range c.current.header {
		h.Set(k, v)
	}
	return &http.Response{
		Status: http.StatusText(c.current.status), StatusCode: c.current.status, Header: h,
		Body: io.NopCloser(strings.NewReader(c.current.body)), Request: req,
	}, nil
}

// run sends one request through the script, as a caller does.
func (c *script) run(t *testing.T, req *policy.Request) (*http.Response, error) {
	t.Helper()
	return newCall(transport(c.send), 0, policyFunc(c.policy)).Do(req)
}

type policyFunc func(*policy.Request) (*http.Response, error)

func (f policyFunc) Do(req *policy.Request) (*http.Response, error) { return f(req) }

// gaveUp fails the test unless the error is the policies' own.
func gaveUp(t *testing.T, err error) *attempt.Error {
	t.Helper()
	e, ok := errors.AsType[*attempt.Error](err)
	if !ok {
		t.Fatalf("got %T %v, want the policies' error", err, err)
	}
	return e
}
