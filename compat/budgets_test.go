package compat_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// outerLayer is what stands outside the policies: azcore's retry, for the client
// or for the one call.
type outerLayer struct {
	name    string
	retry   policy.RetryOptions
	perCall *policy.RetryOptions
	eager   bool // retries on answers that no policy owns, as its owner wants it
}

// outerLayers are azcore's retry as it comes, off, and eager, each with a
// time-out for a try and without, set for the client or for the call.
func outerLayers() []outerLayer {
	var all []outerLayer
	for name, retries := range map[string]int32{"defaults": 0, "no retries": -1, "10 retries": 10} {
		for timeout, d := range map[string]time.Duration{"": 0, " and a TryTimeout": 2 * time.Second} {
			o := policy.RetryOptions{MaxRetries: retries, TryTimeout: d}
			all = append(all,
				outerLayer{name: name + timeout, retry: o},
				outerLayer{name: name + timeout + " for the call", perCall: &o})
		}
	}
	everything := policy.RetryOptions{MaxRetries: 5, ShouldRetry: func(resp *http.Response, err error) bool {
		return err != nil || resp.StatusCode >= http.StatusBadRequest
	}}
	statuses := policy.RetryOptions{MaxRetries: 5, StatusCodes: []int{403, 404, 408, 410, 429, 449, 500, 502, 503, 504}}
	return append(all, outerLayer{name: "every status", retry: statuses, eager: true}, outerLayer{name: "everything", retry: everything, eager: true})
}

// budget is a failure that lasts, and how many requests one operation makes of it.
type budget struct {
	name     string
	account  func(*cosmostest.Config)
	fault    cosmostest.Fault
	do       string
	want     int
	passed   bool          // up, because it is nobody's to retry
	status   int           // that the caller gets, 0 for none
	duration time.Duration // at least, in virtual time
}

// always is a failure of every region.
func always(f cosmostest.Fault) cosmostest.Fault {
	f.Region = "*"
	return f
}

func answered(status, subStatus int) cosmostest.Fault {
	return always(cosmostest.Fault{Status: status, SubStatus: subStatus})
}

func broken(how cosmostest.TransportFault) cosmostest.Fault {
	return always(cosmostest.Fault{Transport: how})
}

// budgets are all the budgets of the policies, on an account of three regions.
var budgets = []budget{
	{name: "generic, 500", fault: answered(500, 0), do: "read", want: 4, status: 500},
	{name: "generic, 502", fault: answered(502, 0), do: "read", want: 4, status: 502},
	{name: "generic, 503", fault: answered(503, 0), do: "read", want: 4, status: 503},
	{name: "generic, 504", fault: answered(504, 0), do: "read", want: 4, status: 504},
	{name: "generic, 408", fault: answered(408, 0), do: "read", want: 4, status: 408},
	{name: "generic, 410", fault: answered(410, 0), do: "read", want: 4, status: 410},
	{name: "generic, 429/3092", fault: answered(429, 3092), do: "read", want: 4, status: 429},
	{name: "generic, write in the one region", fault: answered(503, 0), do: "create", want: 4, status: 503},
	{name: "generic, write of many regions", account: multiWrite, fault: answered(503, 0), do: "create", want: 4, status: 503},
	{name: "generic, query", fault: answered(503, 0), do: "query", want: 4, status: 503},
	{name: "generic, batch", fault: answered(500, 0), do: "batch", want: 4, status: 500},
	{name: "generic, patch", fault: answered(408, 0), do: "patch", want: 4, status: 408},
	{name: "generic, 403/3 in the one region", fault: answered(403, 3), do: "create", want: 4, status: 403},
	{name: "none, 403/3 of a read", fault: answered(403, 3), do: "read", want: 1, status: 403},
	{name: "none, 403", fault: answered(403, 0), do: "read", want: 1, passed: true, status: 403},
	{name: "none, 400", fault: answered(400, 0), do: "read", want: 1, passed: true, status: 400},
	{name: "none, 404", fault: answered(404, 0), do: "read", want: 1, passed: true, status: 404},
	{name: "none, 409", fault: answered(409, 0), do: "create", want: 1, passed: true, status: 409},
	{name: "none, 412", fault: answered(412, 0), do: "replace", want: 1, passed: true, status: 412},
	{name: "backend, 403/3 in many regions", account: multiWrite, fault: answered(403, 3), do: "create", want: 121, status: 403, duration: 2 * time.Minute},
	{name: "backend, 403/1008", fault: answered(403, 1008), do: "read", want: 121, status: 403, duration: 2 * time.Minute},
	{name: "backend, 403/1008 of a write", fault: answered(403, 1008), do: "create", want: 121, status: 403, duration: 2 * time.Minute},
	{name: "session, one write region", fault: answered(404, 1002), do: "read", want: 3, status: 404},
	{name: "session, many write regions", account: multiWrite, fault: answered(404, 1002), do: "read", want: 4, status: 404},
	{name: "session, write to many regions", account: multiWrite, fault: answered(404, 1002), do: "create", want: 4, status: 404},
	{name: "429", fault: answered(429, 3200), do: "read", want: 10, status: 429, duration: 1500 * time.Millisecond},
	{name: "429 that says when", fault: always(cosmostest.Fault{Status: 429, Header: http.Header{"X-Ms-Retry-After-Ms": {"3000"}}}),
		do: "create", want: 10, status: 429, duration: 27 * time.Second},
	{name: "429 that says too late", fault: always(cosmostest.Fault{Status: 429, Header: http.Header{"Retry-After": {"31"}}}), do: "read", want: 1, status: 429},
	{name: "449", fault: answered(449, 0), do: "create", want: 36, status: 449, duration: 29 * time.Second},
	{name: "local, refused", fault: broken(cosmostest.Refused), do: "read", want: 8},
	{name: "local, reset", fault: broken(cosmostest.Reset), do: "read", want: 8},
	{name: "local, reset of a write", account: multiWrite, fault: broken(cosmostest.Reset), do: "patch", want: 8},
	{name: "local, end of file", fault: broken(cosmostest.EOF), do: "query", want: 8},
	{name: "local, cut answer", fault: broken(cosmostest.Truncated), do: "query", want: 8},
	{name: "generic, unknown name", fault: broken(cosmostest.DNS), do: "read", want: 4},
	{name: "generic, unknown name for a write", fault: broken(cosmostest.DNS), do: "create", want: 4},
	{name: "generic, certificate", fault: broken(cosmostest.TLS), do: "create", want: 4},
	{name: "generic, silence", fault: broken(cosmostest.Blackhole), do: "read", want: 4, duration: 8 * time.Second},
}

// TestBudgetsHoldWhateverStandsOutside: one operation costs as many requests as
// its budgets say, and not one more, with azcosmos's retries and any of azcore's
// around the policies.
func TestBudgetsHoldWhateverStandsOutside(t *testing.T) {
	checked := 0
	for _, layer := range outerLayers() {
		for _, b := range budgets {
			if layer.eager && b.passed {
				continue
			}
			checked++
			t.Run(b.name+" with "+layer.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { b.check(t, layer) })
			})
		}
	}
	t.Logf("%d budgets with one of %d outer layers each", checked, len(outerLayers()))
}

func (b *budget) check(t *testing.T, layer outerLayer) {
	acct := newAccount(t, b.account)
	c := client{retry: layer.retry}.container(t, acct)
	warmUp(t, acct, c)
	acct.SetFaults(b.fault)
	ctx := t.Context()
	if layer.perCall != nil {
		ctx = policy.WithRetryOptions(ctx, *layer.perCall)
	}
	start := time.Now()
	err := operations[b.do](ctx, c)
	took := time.Since(start)
	if got := len(visits(acct)); got != b.want {
		t.Errorf("%d requests, want %d: %v", got, b.want, err)
	}
	answer, ok := errors.AsType[*azcore.ResponseError](err)
	if ok != (b.status != 0) || ok && answer.StatusCode != b.status || err == nil {
		t.Errorf("the caller gets %v, want %d", err, b.status)
	}
	if took < b.duration || took > 2*b.duration+24*time.Second {
		t.Errorf("took %v, want at least %v", took, b.duration)
	}
	time.Sleep(time.Minute) // whatever azcosmos refreshes in the background ends
}

// TestBudgetsFollowTheSettings: a budget that is set is the budget, whatever
// stands outside.
func TestBudgetsFollowTheSettings(t *testing.T) {
	settings := &policies.Settings{}
	settings.Failover.MaxRetries, settings.Failover.LocalRetries = 1, -1
	settings.Failover.Backend = policies.BackendSettings{MaxRetries: 2, Delay: policies.Duration(time.Millisecond)}
	settings.Throttle.MaxRetries, settings.Session.MaxRetries = 2, 5
	for want, b := range map[int][]budget{
		2: {{fault: answered(503, 0), do: "read"}, {fault: broken(cosmostest.Reset), do: "read"}},
		3: {{fault: answered(403, 1008), do: "read"}, {fault: answered(429, 0), do: "read"}},
		6: {{fault: answered(404, 1002), do: "read"}},
	} {
		for _, layer := range outerLayers() {
			for _, b := range b {
				synctest.Test(t, func(t *testing.T) {
					acct := newAccount(t, nil)
					c := client{retry: layer.retry, settings: settings}.container(t, acct)
					warmUp(t, acct, c)
					acct.SetFaults(b.fault)
					err := operations[b.do](t.Context(), c)
					if got := len(visits(acct)); got != want || err == nil {
						t.Errorf("%v with %s: %d requests, want %d: %v", b.fault.Status, layer.name, got, want, err)
					}
				})
			}
		}
	}
}

// TestMixedFailuresShareTheirBudget: the generic budget is one for all of its
// failures, and local, session and throttle retries are not in it.
func TestMixedFailuresShareTheirBudget(t *testing.T) {
	for _, layer := range outerLayers() {
		synctest.Test(t, func(t *testing.T) {
			acct := newAccount(t, multiWrite)
			c := client{retry: layer.retry}.container(t, acct)
			warmUp(t, acct, c)
			sequence := []cosmostest.Fault{
				{Status: 503}, {Status: 429}, {Status: 408}, {Status: 404, SubStatus: 1002}, {Transport: cosmostest.Reset},
				{Transport: cosmostest.Reset}, {Status: 449}, {Status: 410},
			}
			for i := range sequence {
				sequence[i].Region, sequence[i].Times = "*", 1
			}
			acct.SetFaults(append(sequence, answered(500, 0))...)
			err := operations["patch"](t.Context(), c)
			if answer, ok := errors.AsType[*azcore.ResponseError](err); !ok || answer.StatusCode != 410 || len(visits(acct)) != len(sequence) {
				t.Errorf("with %s: %d requests, want %d: %+v", layer.name, len(visits(acct)), len(sequence), err)
			}
		})
	}
}

// TestMetadataKeepsItsBudget: databases and containers, which every version of
// azcosmos reads by itself too.
func TestMetadataKeepsItsBudget(t *testing.T) {
	for _, layer := range outerLayers() {
		synctest.Test(t, func(t *testing.T) {
			acct := newAccount(t, nil)
			c := client{retry: layer.retry}.container(t, acct)
			warmUp(t, acct, c)
			acct.SetFaults(answered(503, 0))
			for name, do := range map[string]func(context.Context) error{
				"read": func(ctx context.Context) error { _, err := c.Read(ctx, nil); return err },
				"replace": func(ctx context.Context) error {
					_, err := c.Replace(ctx, azcosmos.ContainerProperties{ID: "c"}, nil)
					return err
				},
				"delete": func(ctx context.Context) error { _, err := c.Delete(ctx, nil); return err },
			} {
				if err := do(t.Context()); err == nil || len(visits(acct)) != 4 {
					t.Errorf("%s with %s: %d requests, want 4: %v", name, layer.name, len(visits(acct)), err)
				}
				acct.ResetLog()
			}
		})
	}
}
