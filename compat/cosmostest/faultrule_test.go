package cosmostest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// statuses are the answers to n reads of an item in a region, one after the other.
func statuses(t *testing.T, acct *Account, n int) (out []int) {
	t.Helper()
	for range n {
		resp, err := signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil)
		noError(t, err)
		out = append(out, resp.StatusCode)
	}
	return out
}

// TestFaultRules: faults have ids, can be switched, count, and come and go without the others noticing.
func TestFaultRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		acct.SetFaults(Fault{Status: 500, Disabled: true}, Fault{ID: "x", Status: 501}, Fault{ID: "x", Status: 502})
		first, err := acct.FaultRule("fault-1")
		noError(t, err)
		x, err := acct.FaultRule("x")
		noError(t, err)
		if got := statuses(t, acct, 2); !slices.Equal(got, []int{501, 501}) || first.Enabled() || !x.Enabled() {
			t.Errorf("first disabled: %v", got)
		}
		first.Enable()
		last, err := acct.AddFault(Fault{Region: "*", Status: 503, Header: http.Header{"A": {"b"}}, Operations: []Operation{OpReadItem}})
		noError(t, err)
		if got := statuses(t, acct, 1); got[0] != 500 {
			t.Errorf("first enabled: %v", got)
		}
		x.Disable()
		first.Remove()
		if got := statuses(t, acct, 1); got[0] != 502 {
			t.Errorf("without the first two: %v", got)
		}
		var rules []string
		for _, r := range acct.FaultRules() {
			rules = append(rules, fmt.Sprint(r.ID(), " ", r.Fault().Status, " ", r.Hits(), "/", r.Matched(), " ", r.Enabled()))
		}
		if want := []string{"x 501 2/2 false", "fault-3 502 1/1 true", "fault-4 503 0/0 true"}; !slices.Equal(rules, want) {
			t.Errorf("rules %q, want %q", rules, want)
		}
		if last.Fault().Header.Set("A", "changed"); last.Fault().Header.Get("A") != "b" {
			t.Error("a rule gave its header away")
		}
		var faults []string
		for _, r := range acct.Requests() {
			faults = append(faults, r.Fault)
		}
		if want := []string{"x", "x", "fault-1", "fault-3"}; !slices.Equal(faults, want) {
			t.Errorf("the log tells of %q, want %q", faults, want)
		}
	})
}

// TestFaultIDs: an id is one fault's.
func TestFaultIDs(t *testing.T) {
	acct := New(t, nil)
	acct.SetFaults(Fault{ID: "x"}, Fault{})
	if _, err := acct.AddFault(Fault{ID: "x"}); err == nil {
		t.Error("two faults have one id")
	}
	if _, err := acct.FaultRule("y"); err == nil || !strings.Contains(err.Error(), "fault-2") {
		t.Errorf("error %v, want one that lists the faults", err)
	}
}

// TestFaultProbability: the draws are those of the seed and of the fault's id.
func TestFaultProbability(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hits := func(seed uint64, id string) (pattern string) {
			acct := New(t, &Config{Seed: seed, Containers: oneContainer().Containers})
			acct.SetFaults(Fault{ID: id, Region: "*", Status: 503, Probability: 0.3})
			for _, status := range statuses(t, acct, 200) {
				pattern += map[int]string{503: "x", 404: "."}[status]
			}
			return pattern
		}
		a := hits(1, "a")
		if n := strings.Count(a, "x"); n < 40 || n > 80 {
			t.Errorf("%d of 200 requests, want about 60", n)
		}
		if hits(1, "a") != a || hits(2, "a") == a || hits(1, "b") == a {
			t.Error("the draws do not depend on the seed and the id alone")
		}
		acct := New(t, oneContainer())
		acct.SetFaults(Fault{Region: "*", Status: 503, Probability: 1})
		if got := statuses(t, acct, 3); !slices.Equal(got, []int{503, 503, 503}) {
			t.Errorf("probability 1: %v", got)
		}
	})
}

// TestFaultOperations: what each request of the official client is, and which faults it meets.
func TestFaultOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		everyOperation(t, acct)
		seen := map[Operation]bool{}
		for _, r := range acct.Requests() {
			seen[r.Operation] = true
			if wantItems := r.Operation.in(OpAnyItemRead) || r.Operation.in(OpAnyItemWrite); wantItems != (r.Container == "c" && r.Range == "0") {
				t.Errorf("%v: operation %s, container %q", r, r.Operation, r.Container)
			}
		}
		for _, o := range Operations() {
			group := strings.HasPrefix(string(o), "Any")
			if !group && !seen[o] && o != OpConflicts && o != OpPartitionKeyRanges && o != OpQueryPlan {
				t.Errorf("no request was %s", o)
			}
			acct.SetFaults(Fault{Operations: []Operation{o}, Delay: time.Millisecond})
			before := len(acct.Requests())
			everyOperation(t, acct)
			want := 0
			for _, r := range acct.Requests()[before:] {
				if r.Operation.in(o) {
					want++
				}
			}
			if got := acct.FaultHits()[0]; got != want {
				t.Errorf("a fault for %s answered %d requests, want %d", o, got, want)
			}
		}
	})
}

// everyOperation does what the official client can do, successfully or not.
func everyOperation(t *testing.T, acct *Account) {
	t.Helper()
	ctx, client := t.Context(), newClient(t, acct, acct.Transport())
	db, err := client.NewDatabase("db")
	noError(t, err)
	c, err := client.NewContainer("db", "c")
	noError(t, err)
	body := []byte(`{"id":"1","pk":"a"}`)
	_, _ = c.CreateItem(ctx, pkA, body, nil)
	_, _ = c.UpsertItem(ctx, pkA, body, nil)
	_, _ = c.ReadItem(ctx, pkA, "1", nil)
	_, _ = c.ReplaceItem(ctx, pkA, "1", body, nil)
	patch := azcosmos.PatchOperations{}
	patch.AppendSet("/n", 1)
	_, _ = c.PatchItem(ctx, pkA, "1", patch, nil)
	batch := c.NewTransactionalBatch(pkA)
	batch.ReadItem("1", nil)
	_, _ = c.ExecuteTransactionalBatch(ctx, batch, nil)
	_, _ = c.DeleteItem(ctx, pkA, "1", nil)
	_, _ = c.NewQueryItemsPager("SELECT * FROM c", pkA, nil).NextPage(ctx)
	_, _ = c.Read(ctx, nil)
	_, _ = c.ReadThroughput(ctx, nil)
	_, _ = db.Read(ctx, nil)
	_, _ = client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db"}, nil)
	_, _ = client.NewQueryDatabasesPager("SELECT * FROM root", nil).NextPage(ctx)
	call(t, acct, "GET", "dbs/db/colls/c/docs", keyA, "")
	call(t, acct, "GET", "dbs/db/colls/c/docs", map[string]string{"A-IM": "Incremental Feed", headerRangeID: "0"}, "")
	call(t, acct, "POST", "dbs/db/colls/c/sprocs/sp", keyA, "[]")
}

// TestFaultSelection: a fault for a container is for that one.
func TestFaultSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c"}, {Database: "db", ID: "d"}, {Database: "e", ID: "c"}}})
		acct.SetFaults(Fault{Database: "db", Container: "c", Status: 503})
		var got []int
		for _, path := range []string{"dbs/db/colls/c/docs", "dbs/db/colls/d/docs", "dbs/e/colls/c/docs", "dbs/db", "dbs/db/colls/c/pkranges"} {
			status, _, _ := call(t, acct, "GET", path, nil, "")
			got = append(got, status)
		}
		if want := []int{503, 200, 200, 200, 503}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// TestFaultErrors: a senseless fault is refused, with the field's name.
func TestFaultErrors(t *testing.T) {
	acct := New(t, nil)
	for field, f := range map[string]Fault{
		"Times": {Times: -1}, "Skip": {Skip: -1}, "Percent": {Percent: 101}, "Bandwidth": {Bandwidth: -1}, "Status": {Status: 99},
		"SubStatus": {SubStatus: -1}, "After": {After: -1}, "For": {For: -1}, "Delay": {Delay: -1}, "Probability": {Probability: 1.5},
		"Transport": {Transport: 99}, "Operations": {Operations: []Operation{OpReadItem, "Dance"}},
	} {
		if _, err := acct.AddFault(f); err == nil || !strings.Contains(err.Error(), "Fault."+field+" ") || !strings.Contains(err.Error(), "allowed: ") {
			t.Errorf("%s: error %v", field, err)
		}
	}
	for _, name := range FaultNames() {
		f, _ := NamedFault(name)
		if _, err := acct.AddFault(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
