package compat_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// report is a failure that users of other Cosmos DB clients have met.
type report struct {
	multiWrite bool
	preferred  []string
	excluded   []string
	change     func(*cosmostest.Config) // of the account, behind the client's back
	noticed    bool                     // an upsert has met the change before
	faults     []cosmostest.Fault
	do         string
	limits     policies.Limits
	timeout    time.Duration // of the caller
	status     int           // what the caller gets: 0 success, -1 an error without an answer
	visits     []string
	within     time.Duration // 0: whatever it takes
}

var (
	moveWrites  = func(c *cosmostest.Config) { c.WriteRegions = []string{west} }
	htmlBody    = "<html><body>502 Bad Gateway</body></html>"
	emptyBody   = ""
	allRegions  = []string{east, west, north}
	wholeBudget = []string{east, west, north, east} // the generic budget
)

func answersWith(region string, status, subStatus int) []cosmostest.Fault {
	return []cosmostest.Fault{{Region: region, Status: status, SubStatus: subStatus}}
}

func breaksWith(region string, how cosmostest.TransportFault) []cosmostest.Fault {
	return []cosmostest.Fault{{Region: region, Transport: how}}
}

var reports = map[string]report{
	"a session retry stays in the region":                        {multiWrite: true, preferred: []string{west, east}, faults: answersWith(west, 404, 1002), do: "read", visits: []string{west, east}},
	"a query's session retry stays in the region":                {preferred: []string{west}, faults: answersWith(west, 404, 1002), do: "query", visits: []string{west, east}},
	"session retries end":                                        {preferred: []string{west}, faults: answersWith("*", 404, 1002), do: "read", status: 404, visits: []string{west, east, east}},
	"a session retry leaves the fence":                           {multiWrite: true, excluded: []string{west}, faults: answersWith(east, 404, 1002), do: "read", visits: []string{east, north}},
	"forbidden writes land on the same endpoint":                 {multiWrite: true, faults: answersWith(east, 403, 3), do: "upsert", visits: []string{east, west}, within: 1100 * time.Millisecond},
	"the write region moves":                                     {change: moveWrites, do: "upsert", visits: []string{east, west}},
	"writes are forbidden for hours after a failover":            {change: moveWrites, noticed: true, do: "upsert", visits: []string{west}},
	"a region goes offline":                                      {faults: answersWith(east, 403, 1008), do: "read", visits: []string{east, west}, within: 1100 * time.Millisecond},
	"names that cannot be resolved":                              {faults: breaksWith(east, cosmostest.DNS), do: "read", visits: []string{east, west}},
	"names that cannot be resolved, in a query":                  {faults: breaksWith(east, cosmostest.DNS), do: "query", visits: []string{east, west}},
	"120 times 120 requests to an account that is not there":     {faults: breaksWith("", cosmostest.DNS), do: "read", status: -1, visits: wholeBudget, within: time.Second},
	"a gateway that hangs keeps the operation":                   {faults: breaksWith(east, cosmostest.Blackhole), do: "read", visits: []string{east, west}, within: 6100 * time.Millisecond},
	"a dead region keeps queries":                                {multiWrite: true, faults: breaksWith(east, cosmostest.Refused), do: "query", visits: []string{east, east, west}},
	"no other region without preferences":                        {faults: answersWith(east, 503, 0), do: "read", visits: []string{east, west}},
	"no other region without preferences, for writes":            {multiWrite: true, faults: answersWith(east, 503, 0), do: "upsert", visits: []string{east, west}},
	"all regions excluded: not the global endpoint":              {excluded: allRegions, do: "read", visits: []string{east}},
	"all regions excluded: not the old write region":             {excluded: allRegions, change: moveWrites, noticed: true, do: "read", visits: []string{west}},
	"the data plane goes to the global endpoint":                 {faults: answersWith("*", 503, 0), do: "read", status: 503, visits: wholeBudget},
	"a split surfaces from a query":                              {faults: answersWith(east, 410, 1002), do: "query", visits: []string{east, west}},
	"a split surfaces from a batch":                              {multiWrite: true, faults: answersWith(east, 410, 1002), do: "batch", visits: []string{east, west}},
	"a split and a migration surface from a point read":          {faults: slices.Concat(answersWith(east, 410, 1007), answersWith(west, 410, 1008)), do: "read", visits: allRegions},
	"time-outs of the service stay in the region":                {multiWrite: true, faults: answersWith(east, 408, 0), do: "upsert", visits: []string{east, west}},
	"exclusions do not bind queries":                             {excluded: []string{east}, do: "query", visits: []string{west}},
	"large budgets overflow":                                     {limits: policies.Limits{ThrottleRetries: 100, ThrottleWait: time.Hour}, faults: answersWith("*", 429, 0), do: "read", status: 429, visits: slices.Repeat([]string{east}, 101)},
	"throttled writes are not retried":                           {faults: []cosmostest.Fault{{Status: 429, Times: 3}}, do: "upsert", visits: slices.Repeat([]string{east}, 4)},
	"a hint of 0 counts as none":                                 {faults: []cosmostest.Fault{{Status: 429, Times: 3, Header: http.Header{"X-Ms-Retry-After-Ms": {"0"}}}}, do: "read", visits: slices.Repeat([]string{east}, 4), within: time.Millisecond},
	"an HTML body hides the status":                              {faults: []cosmostest.Fault{{Region: east, Status: 502, Body: &htmlBody}}, do: "read", visits: []string{east, west}},
	"an empty body hides the status":                             {faults: []cosmostest.Fault{{Status: 503, Body: &emptyBody}}, do: "read", status: 503, visits: wholeBudget},
	"the deadline passes in a wait, and the answer is forgotten": {timeout: 2500 * time.Millisecond, faults: answersWith("*", 403, 1008), do: "read", status: 403, visits: allRegions, within: 2500 * time.Millisecond},
}

// TestReports: what went wrong elsewhere does not go wrong here.
func TestReports(t *testing.T) {
	for name, r := range reports {
		t.Run(name, func(t *testing.T) { synctest.Test(t, r.check) })
	}
}

func (r *report) check(t *testing.T) {
	acct := newAccount(t, func(c *cosmostest.Config) { c.MultiWrite = r.multiWrite })
	c := client{settings: &policies.Settings{Regions: policies.RegionSettings{Preferred: r.preferred}}}.container(t, acct)
	warmUp(t, acct, c)
	acct.SetFaults(r.faults...)
	if r.change != nil {
		noError(t, acct.Update(func(c *cosmostest.Config) error { r.change(c); return nil }))
	}
	if r.noticed {
		noError(t, operations["upsert"](t.Context(), c))
		acct.ResetLog()
	}
	ctx := policies.WithProfile(regioncache.WithExcludedRegions(t.Context(), r.excluded...), policies.Profile{Limits: r.limits})
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
	}
	began := time.Now()
	err := operations[r.do](ctx, c)
	if took := time.Since(began); r.within > 0 && took > r.within {
		t.Errorf("took %v, want %v at most", took, r.within)
	}
	if got := statusOf(err); got != r.status {
		t.Errorf("status %d, want %d: %v", got, r.status, err)
	}
	wantVisits(t, acct, r.visits...)
	time.Sleep(time.Minute) // for account reads that hang
}

// statusOf is 0 for success, and -1 for an error without an answer.
func statusOf(err error) int {
	if err == nil {
		return 0
	}
	if answer, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return answer.StatusCode
	}
	return -1
}
