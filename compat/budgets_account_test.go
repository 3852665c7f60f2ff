package compat_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// accountReads lists where the account was read.
func accountReads(acct *cosmostest.Account) []string {
	var regions []string
	for _, r := range acct.Requests() {
		if r.Account {
			regions = append(regions, r.Region)
		}
	}
	return regions
}

// accountBudgets are failures of the account read, and whom it asks then.
var accountBudgets = []struct {
	name      string
	preferred []string
	fault     cosmostest.Fault
	want      []string
	works     bool
}{
	{"no endpoint answers", []string{west, north}, cosmostest.Fault{Status: 503}, []string{"global", west, north}, false},
	{"none can be reached", []string{west}, cosmostest.Fault{Transport: cosmostest.Refused}, []string{"global", west}, false},
	{"none is known but the one", nil, cosmostest.Fault{Status: 500}, []string{"global"}, false},
	{"none takes the key", []string{west}, cosmostest.Fault{Status: 401}, []string{"global"}, false},
	{"silence", []string{west}, cosmostest.Fault{Transport: cosmostest.Blackhole}, []string{"global", west}, false},
	{"the global endpoint is down", []string{west, north}, cosmostest.Fault{Region: "global", Transport: cosmostest.DNS}, []string{"global", west}, true},
	{"nothing is wrong", []string{west, north}, cosmostest.Fault{Region: north, Status: 503}, []string{"global"}, true},
}

// TestAccountReadsKeepTheirBudget: each endpoint that may answer is asked once,
// whatever stands outside, and whatever azcosmos starts in the background.
func TestAccountReadsKeepTheirBudget(t *testing.T) {
	for _, layer := range outerLayers() {
		for _, c := range accountBudgets {
			t.Run(c.name+" with "+layer.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					acct := newAccount(t, nil)
					c.fault.Account = true
					acct.SetFaults(c.fault)
					settings := new(policies.Settings)
					settings.Regions.Preferred = c.preferred
					ctx := t.Context()
					if layer.perCall != nil {
						ctx = policy.WithRetryOptions(ctx, *layer.perCall)
					}
					start := time.Now()
					err := read(ctx, client{retry: layer.retry, settings: settings}.container(t, acct))
					if limit := time.Duration(len(c.want)) * 5 * time.Second; time.Since(start) > limit {
						t.Errorf("took %v, want at most %v", time.Since(start), limit)
					}
					time.Sleep(time.Minute) // whatever azcosmos refreshes in the background ends
					if got := accountReads(acct); !slices.Equal(got, c.want) {
						t.Errorf("the account was read at %q, want %q: %v", got, c.want, err)
					}
					if (err == nil) != c.works {
						t.Errorf("got %v", err)
					}
				})
			})
		}
	}
}

// TestRefreshesKeepTheirBudget: the account reads that the policies begin, after
// 403/3, go past every outer layer too.
func TestRefreshesKeepTheirBudget(t *testing.T) {
	for _, layer := range outerLayers() {
		for name, c := range map[string]struct {
			fault cosmostest.Fault
			want  []string
		}{
			"one read serves three retries": {cosmostest.Fault{Region: north, Status: 503}, []string{"global"}},
			"a regional endpoint answers":   {cosmostest.Fault{Region: "global", Status: 503}, []string{"global", east}},
			"each retry asks all of them": {cosmostest.Fault{Status: 503}, []string{
				"global", east, west, north, "global", east, west, north, "global", east, west, north}},
		} {
			t.Run(name+" with "+layer.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					acct := newAccount(t, nil)
					cl := client{retry: layer.retry}.container(t, acct)
					warmUp(t, acct, cl)
					time.Sleep(10 * time.Second)
					c.fault.Account = true
					acct.SetFaults(c.fault, answered(403, 3))
					err := operations["create"](t.Context(), cl)
					if answer, ok := errors.AsType[*azcore.ResponseError](err); !ok || answer.StatusCode != 403 {
						t.Errorf("got %v", err)
					}
					if got := accountReads(acct); !slices.Equal(got, c.want) {
						t.Errorf("the account was read at %q, want %q", got, c.want)
					}
					if got := len(visits(acct)); got != 4 {
						t.Errorf("%d requests, want 4", got)
					}
				})
			})
		}
	}
}
