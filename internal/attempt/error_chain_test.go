package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// spy looks at an error on its way out of the pipeline.
func spy(look func(error)) policy.Policy {
	return policyFunc(func(req *policy.Request) (*http.Response, error) {
		resp, err := req.Next()
		look(err)
		return resp, err
	})
}

// chain is what errors.As and errors.Is find in an error.
type chain struct{ response, op, dns, context bool }

func chainOf(err error) chain {
	_, response := errors.AsType[*azcore.ResponseError](err)
	_, op := errors.AsType[*net.OpError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	return chain{response, op, dns, errors.Is(err, context.DeadlineExceeded)}
}

// chains are scripts, and what their errors unwrap to inside the pipeline and
// for the caller.
var chains = []struct {
	name            string
	steps           []step
	inside, outside chain
}{
	{"answer", []step{{region: "East US", status: 503}}, chain{response: true}, chain{response: true}},
	{"no connection", []step{{region: "East US", err: refused}}, chain{}, chain{op: true}},
	{"unknown name", []step{{region: "East US", err: unknownHost}}, chain{}, chain{op: true, dns: true}},
	{"answer, then no connection", []step{{region: "East US", status: 503}, {region: "West US", err: refused}}, chain{}, chain{op: true}},
	{"no connection, then answer", []step{{region: "East US", err: refused}, {region: "West US", status: 503}}, chain{response: true}, chain{response: true}},
	{"deadline", []step{{region: "East US", took: time.Hour}}, chain{response: true}, chain{response: true, context: true}},
	{"time-out of the attempt", []step{{region: "East US", took: time.Hour}}, chain{}, chain{}},
}

// TestOnlyTheCallerSeesTheTransportsError: the layers outside the policies act
// on what they find in an error, so inside the pipeline they find only what the
// service said.
func TestOnlyTheCallerSeesTheTransportsError(t *testing.T) {
	for _, c := range chains {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.name == "deadline" {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, time.Second)
					defer cancel()
				}
				s := &script{steps: c.steps, giveUp: "enough"}
				var inside chain
				var marked bool
				look := spy(func(err error) {
					inside = chainOf(err)
					_, marked = errors.AsType[interface {
						error
						NonRetriable()
					}](err)
				})
				_, err := newCall(transport(s.send), 0, look, policyFunc(s.policy)).Do(requestFor(t, ctx, "GET", ""))
				e := gaveUp(t, err)
				if inside != c.inside || !marked {
					t.Errorf("inside: got %+v, marked %v, want %+v", inside, marked, c.inside)
				}
				if got := chainOf(fmt.Errorf("wrapped: %w", e)); got != c.outside {
					t.Errorf("outside: got %+v, want %+v", got, c.outside)
				}
			})
		})
	}
}

// TestErrorsCarryTheLastAnswer: status, code, headers and body, and what the
// policies know beside it.
func TestErrorsCarryTheLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const body = `{"code":"ServiceUnavailable","message":"come back"}`
		s := &script{giveUp: "enough", retryAfter: 7 * time.Second, steps: []step{
			{region: "East US", took: time.Second, err: refused},
			{region: "West US", wait: 2 * time.Second, took: 3 * time.Second, status: 503, body: body,
				header: map[string]string{"x-ms-substatus": "21001", "Retry-After": "7", "x-ms-activity-id": "a"}},
		}}
		_, err := s.run(t, requestFor(t, t.Context(), "GET", ""))
		e := gaveUp(t, err)
		if !e.Transient() || e.RetryAfter() != 7*time.Second || e.Elapsed() != 6*time.Second || e.Reason() != "enough" {
			t.Errorf("transient %v, retry after %v, elapsed %v, reason %q", e.Transient(), e.RetryAfter(), e.Elapsed(), e.Reason())
		}
		attempts := e.Attempts()
		if len(attempts) != 2 || attempts[0].Sent || !attempts[1].Sent || attempts[1].SubStatus != 21001 || attempts[1].Wait != 2*time.Second ||
			attempts[1].Region != "West US" || attempts[1].ActivityID != "a" || attempts[1].Duration != 3*time.Second {
			t.Errorf("attempts: %+v", attempts)
		}
		attempts[0].Region = "changed by the caller"
		if e.Attempts()[0].Region != "East US" {
			t.Error("a caller can change the error")
		}
		answer, _ := errors.AsType[*azcore.ResponseError](err)
		got, readErr := io.ReadAll(answer.RawResponse.Body)
		if answer.StatusCode != 503 || answer.ErrorCode == "" || string(got) != body || readErr != nil ||
			answer.RawResponse.Header.Get("Retry-After") != "7" {
			t.Errorf("answer: %d %q %q %v", answer.StatusCode, answer.ErrorCode, got, readErr)
		}
	})
}

// TestErrorsTellNoSecrets: neither text has a body, a header or an item's id.
func TestErrorsTellNoSecrets(t *testing.T) {
	secrets := []string{"swordfish", "jane@example.com", "type=master", "come back"}
	s := &script{giveUp: "enough", steps: []step{
		{region: "East US", err: refused},
		{region: "East US", status: 503, body: `{"message":"come back, swordfish"}`, header: map[string]string{"x-ms-session-token": "swordfish"}},
	}}
	req := newRequest(t, t.Context(), "PUT", "https://acct.documents.azure.com", `{"password":"swordfish"}`)
	req.Raw().Header.Set("Authorization", "type=master&ver=1.0&sig=swordfish")
	_, err := s.run(t, req)
	for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%q", err)} {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %s", secret, text)
			}
		}
	}
}

// TestAttemptsAreReadable pins the short form of a single attempt.
func TestAttemptsAreReadable(t *testing.T) {
	for want, a := range map[string]attempt.Attempt{
		"East US: 503":                                   {Region: "East US", Host: "h", Status: 503},
		"East US: 404/1002":                              {Region: "East US", Status: 404, SubStatus: 1002},
		"acct.documents.azure.com: 200":                  {Host: "acct.documents.azure.com", Status: 200},
		"West US: dial tcp: connect: connection refused": {Region: "West US", Err: refused},
	} {
		if got := a.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
