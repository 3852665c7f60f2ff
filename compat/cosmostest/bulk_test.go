package cosmostest

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
)

// bulk sends a bulk request for one partition and returns its status, and those of its operations.
func bulk(t *testing.T, acct *Account, rangeID, body string) (status int, each []int) {
	t.Helper()
	header := map[string]string{
		headerRangeID: rangeID, "X-Ms-Cosmos-Is-Batch-Request": "True", "X-Ms-Cosmos-Batch-Atomic": "False",
	}
	resp, err := signed(t, acct, acct.Transport(), "POST", acct.Endpoint()+"dbs/db/colls/c/docs", header, []byte(body))
	noError(t, err)
	if resp.StatusCode >= 400 {
		return resp.StatusCode, nil
	}
	var results []batchResult
	noError(t, json.Unmarshal(readBody(t, resp), &results))
	for _, r := range results {
		each = append(each, r.StatusCode)
	}
	return resp.StatusCode, each
}

// TestBulk: operations of a bulk request stand each for itself, and those of another partition are told so.
func TestBulk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		noError(t, acct.Place("db", "c", "b", "other"))
		const body = `[
			{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"1","pk":"a"}},
			{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"1","pk":"a"}},
			{"operationType":"Create","partitionKey":"[\"b\"]","resourceBody":{"id":"1","pk":"b"}},
			{"operationType":"Create","partitionKey":"a","resourceBody":{"id":"2","pk":"a"}},
			{"operationType":"Read","partitionKey":"[\"a\"]","id":"1"}]`
		status, each := bulk(t, acct, "0", body)
		want := []int{201, 409, 410, 400, 200}
		for i := range want {
			if status != http.StatusMultiStatus || len(each) != len(want) || each[i] != want[i] {
				t.Fatalf("status %d, operations %v, want 207 and %v", status, each, want)
			}
		}
		if _, err := acct.Split("db", "c", "0"); err != nil {
			t.Fatal(err)
		}
		if status, _ := bulk(t, acct, "0", body); status != http.StatusGone {
			t.Errorf("after a split: %d, want 410", status)
		}
	})
}

// TestBatchThrottled: a batch is paid for by what it does, and refused when nothing is left.
func TestBatchThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c", Throughput: 10}}})
		c := newContainerClient(t, acct, pinned{acct, "East US"})
		for i, want := range []int{200, 429} {
			batch := c.NewTransactionalBatch(pkA)
			for j := range 3 {
				batch.UpsertItem(mustJSON(t, map[string]any{"id": string(rune('a' + j)), "pk": "a"}), nil)
			}
			resp, err := c.ExecuteTransactionalBatch(t.Context(), batch, nil)
			if status, _ := statusOf(t, err); status != want || err == nil && resp.RequestCharge != 31.5 {
				t.Errorf("batch %d: status %d, charge %v", i, status, resp.RequestCharge)
			}
		}
		status, _, _ := call(t, acct, "GET", "dbs/db/colls/c/docs", nil, "")
		if sproc, _, _ := call(t, acct, "POST", "dbs/db/colls/c/sprocs/sp", keyA, "[]"); status != 429 || sproc != 429 {
			t.Errorf("a query gets %d, a stored procedure %d", status, sproc)
		}
	})
}

// TestQueryPlan: a client that distributes queries itself is told that there is nothing to merge.
func TestQueryPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		header := map[string]string{"X-Ms-Cosmos-Is-Query-Plan-Request": "True"}
		status, _, doc := call(t, acct, "POST", "dbs/db/colls/c/docs", header, `{"query":"SELECT * FROM c"}`)
		if status != http.StatusOK || doc["queryRanges"] == nil {
			t.Errorf("%d %v", status, doc)
		}
		if status, _, _ := call(t, acct, "POST", "dbs/db/colls/c/docs", header, `{"query":"SELECT 1"}`); status != http.StatusBadRequest {
			t.Errorf("a bad query: %d", status)
		}
	})
}
