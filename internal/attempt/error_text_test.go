package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

var (
	refused = &url.Error{Op: "Get", URL: "https://acct-eastus.documents.azure.com/dbs/d/colls/c/docs/jane@example.com",
		Err: opError("dial", errno("connect", 111))}
	unknownHost = opError("dial", &net.DNSError{Err: "no such host", Name: "acct-eastus.documents.azure.com", IsNotFound: true})
)

// texts are scripts and what the caller reads of them, in one line and in many.
var texts = []struct {
	name          string
	method, path  string
	script        script
	deadline      time.Duration
	optedOut      bool
	line, details string
}{
	{name: "an outage", method: "GET", script: script{giveUp: "the service failed, and the retries are used up", steps: []step{
		{region: "East US", took: 12 * time.Millisecond, status: 503},
		{region: "West US", took: 31 * time.Millisecond, status: 503, why: "the service failed"},
		{region: "North Europe", took: 6 * time.Second, status: 408, why: "the service failed"},
		{region: "East US", wait: 100 * time.Millisecond, took: 1500 * time.Microsecond, status: 503, why: "the service timed out",
			header: map[string]string{"x-ms-activity-id": "4c1b2f3e-0000-4000-8000-00000000002a"}},
	}},
		line: "cosmos read in dbs/d/colls/c: 503 after 4 attempts over 6.145s (East US ×2, West US, North Europe): " +
			"the service failed, and the retries are used up; retry later; activity 4c1b2f3e-0000-4000-8000-00000000002a",
		details: `
    1. +0s        East US: 503 in 12ms
    2. +12ms      West US: 503 in 31ms, because the service failed
    3. +43ms      North Europe: 408 in 6s, because the service failed
    4. +6.143s    East US: 503 in 1.5ms, waited 100ms, because the service timed out, activity 4c1b2f3e-0000-4000-8000-00000000002a`},
	{name: "no connection", method: "GET", script: script{giveUp: "the endpoint could not be reached, and the retries are used up", steps: []step{
		{region: "East US", took: time.Millisecond, err: refused},
		{region: "East US", took: time.Millisecond, err: unknownHost, why: "the endpoint could not be reached"},
	}},
		line: "cosmos read in dbs/d/colls/c: dial tcp: lookup acct-eastus.documents.azure.com: no such host after 2 attempts over 2ms (East US ×2): " +
			"the endpoint could not be reached, and the retries are used up; retry later",
		details: `
    1. +0s        East US: dial tcp: connect: connection refused in 1ms
    2. +1ms       East US: dial tcp: lookup acct-eastus.documents.azure.com: no such host in 1ms, because the endpoint could not be reached`},
	{name: "throttling", method: "PUT", script: script{giveUp: "throttled, and the retries are used up", retryAfter: 1500 * time.Millisecond, steps: []step{
		{region: "East US", status: 429, sub: 3200, header: map[string]string{"x-ms-substatus": "3200"}},
	}},
		line: "cosmos replace in dbs/d/colls/c: 429/3200 after 1 attempt over 0s (East US): throttled, and the retries are used up; retry in 1.5s"},
	{name: "a metadata write that will never work", method: "DELETE", path: "/dbs/d", script: script{
		giveUp: "the region no longer takes writes", permanent: true, steps: []step{
			{region: "East US", status: 403, header: map[string]string{"x-ms-substatus": "3"}}}},
		line: "cosmos metadata delete: 403/3 after 1 attempt over 0s (East US): the region no longer takes writes; a retry will not help"},
	{name: "a stored procedure that nobody knows the fate of", method: "POST", path: "/dbs/d/colls/c/sprocs/s", script: script{
		giveUp: "the service failed, and the operation must not run twice", steps: []step{{region: "East US", status: 500}}},
		line: "cosmos execute in dbs/d/colls/c: 500 after 1 attempt over 0s (East US): the service failed, and the operation must not run twice; " +
			"it may have been executed, so look before you repeat it"},
	{name: "a patch that its caller opted out", method: "PATCH", optedOut: true, script: script{
		giveUp: "no answer arrived, and the operation must not run twice", steps: []step{{region: "East US", err: errors.New("first line\nsecond line")}}},
		line: "cosmos patch in dbs/d/colls/c: first line; second line after 1 attempt over 0s (East US): " +
			"no answer arrived, and the operation must not run twice; it may have been executed, so look before you repeat it"},
	{name: "a stored procedure that was surely not executed", method: "POST", path: "/dbs/d/colls/c/sprocs/s", script: script{
		giveUp: "the endpoint could not be reached, and the retries are used up", steps: []step{{region: "East US", err: refused}}},
		line: "cosmos execute in dbs/d/colls/c: dial tcp: connect: connection refused after 1 attempt over 0s (East US): " +
			"the endpoint could not be reached, and the retries are used up; retry later"},
	{name: "the deadline", method: "GET", deadline: 2500 * time.Millisecond, script: script{steps: []step{
		{region: "East US", took: time.Second, status: 503},
		{region: "West US", took: time.Hour, status: 200, why: "the service failed"}}},
		line: "cosmos read in dbs/d/colls/c: 408/20008 after 2 attempts over 2.5s (East US, West US): the operation's deadline is over; retry later",
		details: `
    1. +0s        East US: 503 in 1s
    2. +1s        West US: context deadline exceeded in 1.5s, because the service failed`},
	{name: "a deadline that was over", method: "GET", deadline: -time.Second, script: script{steps: []step{{region: "East US", status: 200}}},
		line: "cosmos read in dbs/d/colls/c: 408/20008 before the first attempt: the operation's deadline is over; retry later"},
}

func TestErrorsReadWell(t *testing.T) {
	for _, c := range texts {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.deadline != 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				if c.optedOut {
					ctx = attempt.WithCall(ctx, func(c *attempt.Call) { c.WriteRetry = new(false) })
				}
				_, err := c.script.run(t, requestFor(t, ctx, c.method, c.path))
				e := gaveUp(t, err)
				for _, verb := range []string{"%v", "%s", "%d"} {
					if got := fmt.Sprintf(verb, e); got != c.line {
						t.Errorf("%s:\n got %s\nwant %s", verb, got, c.line)
					}
				}
				if got := fmt.Sprintf("%q", e); got != fmt.Sprintf("%q", c.line) {
					t.Errorf("%%q: got %s", got)
				}
				if got := fmt.Sprintf("%+v", e); c.details != "" && got != c.line+c.details {
					t.Errorf("%%+v:\n got %s\nwant %s", got, c.line+c.details)
				}
				if strings.Contains(e.Error(), "\n") {
					t.Error("more than one line")
				}
			})
		})
	}
}

func requestFor(t *testing.T, ctx context.Context, method, path string) *policy.Request {
	t.Helper()
	if path == "" {
		path = itemPath
	}
	req, err := runtime.NewRequest(ctx, method, "https://acct.documents.azure.com"+path)
	if err != nil {
		t.Fatal(err)
	}
	return req
}
