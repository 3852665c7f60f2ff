package cosmostest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// call sends a signed request in process and returns its status, headers and JSON.
func call(t *testing.T, acct *Account, method, path string, header map[string]string, body string) (int, http.Header, map[string]any) {
	t.Helper()
	var payload []byte
	if body != "" {
		payload = []byte(body)
	}
	resp, err := signed(t, acct, acct.Transport(), method, acct.Endpoint()+path, header, payload)
	noError(t, err)
	raw, err := io.ReadAll(resp.Body)
	noError(t, err)
	var doc map[string]any
	if len(raw) > 0 && raw[0] == '{' {
		noError(t, json.Unmarshal(raw, &doc))
	}
	return resp.StatusCode, resp.Header, doc
}

// TestPlace: a placed key is in its partition for faults, headers, the log and queries.
func TestPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"}, map[string]any{"id": "1", "pk": "b"}))
		noError(t, acct.Place("db", "c", "b", "7"))
		acct.SetFaults(Fault{Region: "*", Range: "7", Status: 503, Times: 1})
		c := newContainerClient(t, acct, acct.Transport())
		a, err := c.ReadItem(t.Context(), azcosmos.NewPartitionKeyString("a"), "1", nil)
		noError(t, err)
		_, err = c.ReadItem(t.Context(), azcosmos.NewPartitionKeyString("b"), "1", nil)
		wantStatus(t, err, http.StatusServiceUnavailable)
		_, err = c.ReadItem(t.Context(), azcosmos.NewPartitionKeyString("b"), "1", nil)
		noError(t, err)
		if got := a.RawResponse.Header.Get(headerRangeID); got != "0" {
			t.Errorf("range %s of a", got)
		}
		var ranges []string
		for _, r := range acct.Requests() {
			ranges = append(ranges, fmt.Sprint(r.Range, " ", r.Status))
		}
		if want := []string{" 200", "0 200", "7 503", "7 200"}; !slices.Equal(ranges, want) {
			t.Errorf("log %q, want %q", ranges, want)
		}
		if items, _ := queryAll(t, c, "SELECT * FROM c", azcosmos.NewPartitionKey(), nil); len(items) != 2 {
			t.Errorf("query across: %q", items)
		}
	})
}

func TestSeedAndPlaceErrors(t *testing.T) {
	acct := New(t, oneContainer())
	for what, err := range map[string]error{
		"no container":     acct.Seed("db", "x", map[string]any{"id": "1"}),
		"no id":            acct.Seed("db", "c", map[string]any{"id": "2", "pk": "a"}, map[string]any{"pk": "a"}),
		"bad key":          acct.Seed("db", "c", map[string]any{"id": "1", "pk": []int{1}}),
		"no JSON":          acct.Seed("db", "c", map[string]any{"id": "1", "pk": make(chan int)}),
		"place: container": acct.Place("db", "x", "a", "1"),
		"place: range":     acct.Place("db", "c", "a", ""),
		"place: key":       acct.Place("db", "c", []any{"a", "b"}, "1"),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if c, _ := acct.store.container("db", "c"); len(c.replicas[0].keys) != 0 {
		t.Error("a failed seed left items behind")
	}
}

func TestRangesFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c", Partitions: 3}}})
		status, header, doc := call(t, acct, "GET", "dbs/db/colls/c/pkranges", nil, "")
		ranges := doc["PartitionKeyRanges"].([]any)
		if status != 200 || len(ranges) != 3 || doc["_count"] != 3.0 {
			t.Fatalf("%d %v", status, doc)
		}
		previous := ""
		for i, r := range ranges {
			r := r.(map[string]any)
			if r["id"] != fmt.Sprint(i) || r["minInclusive"] != previous {
				t.Errorf("range %d: %v", i, r)
			}
			previous = r["maxExclusive"].(string)
		}
		if previous != "FF" {
			t.Errorf("the last range ends at %q", previous)
		}
		if status, _, _ := call(t, acct, "GET", "dbs/db/colls/c/pkranges", map[string]string{"If-None-Match": header.Get("Etag")}, ""); status != 304 {
			t.Errorf("nothing is new: status %d", status)
		}
		if status, header, _ := call(t, acct, "GET", "dbs/db/colls/c/docs", map[string]string{headerRangeID: "9"}, ""); status != 410 || header.Get("x-ms-substatus") != "1002" {
			t.Errorf("a range that is not there: %d %v", status, header)
		}
	})
}

func TestChangeFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		for i := range 5 {
			noError(t, acct.Seed("db", "c", map[string]any{"id": fmt.Sprint(i % 4), "pk": "a", "n": i}))
		}
		var got []any
		mark, pages := "", 0
		for ; ; pages++ {
			header := map[string]string{"A-IM": "Incremental Feed", headerRangeID: "0", headerMaxItems: "3"}
			if mark != "" {
				header["If-None-Match"] = mark
			}
			status, h, doc := call(t, acct, "GET", "dbs/db/colls/c/docs", header, "")
			mark = h.Get("Etag")
			if status == http.StatusNotModified {
				break
			}
			for _, d := range doc["Documents"].([]any) {
				got = append(got, d.(map[string]any)["n"])
			}
		}
		if want := []any{1.0, 2.0, 3.0, 4.0}; !slices.Equal(got, want) || pages != 2 {
			t.Errorf("%v in %d pages, want %v in 2", got, pages, want)
		}
	})
}

func TestStoredProcedure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		resp, err := signed(t, acct, acct.Transport(), "POST", acct.Endpoint()+"dbs/db/colls/c/sprocs/sp", keyA, []byte(`["x",{"n":1}]`))
		noError(t, err)
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || string(body) != `["x",{"n":1}]` || resp.Header.Get(headerRangeID) != "0" {
			t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
		}
	})
}

// TestRefusals: requests that make no sense get a 4xx, and never a panic.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		query := map[string]string{headerPartitionKey: `["a"]`, "X-Ms-Documentdb-Query": "True"}
		batch := map[string]string{headerPartitionKey: `["a"]`, "X-Ms-Cosmos-Is-Batch-Request": "True"}
		for _, tc := range []struct {
			method, path string
			header       map[string]string
			body         string
			want         int
		}{
			{"GET", "dbs/db/colls/c/docs/1", nil, "", 400},
			{"GET", "dbs/db/colls/c/docs/1", map[string]string{headerPartitionKey: "a"}, "", 400},
			{"GET", "dbs/db/colls/c/docs/1", map[string]string{headerPartitionKey: `["a","b"]`}, "", 400},
			{"GET", "dbs/db/colls/c/docs/1", map[string]string{headerPartitionKey: `[["a"]]`}, "", 400},
			{"GET", "dbs/x/colls/c/docs/1", keyA, "", 404},
			{"POST", "dbs/db/colls/c/docs", keyA, `null`, 400},
			{"POST", "dbs/db/colls/c/docs", keyA, `{} {}`, 400},
			{"POST", "dbs/db/colls/c/docs", keyA, `{"pk":"a","id":1}`, 400},
			{"POST", "dbs/db/colls/c/docs/1", keyA, `{}`, 405},
			{"PATCH", "dbs/db/colls/c/docs/1", keyA, `{"operations":[]}`, 400},
			{"PATCH", "dbs/db/colls/c/docs/1", keyA, `{"condition":"x","operations":[{"op":"set","path":"/a","value":1}]}`, 400},
			{"POST", "dbs/db/colls/c/docs", query, `{"query":""}`, 400},
			{"POST", "dbs/db/colls/c/docs", query, `{"query":"SELECT * FROM c WHERE c."}`, 400},
			{"POST", "dbs/db/colls/c/docs", batch, `[]`, 400},
			{"POST", "dbs/db/colls/c/docs", batch, `[{"operationType":"Jump"}]`, 207},
			{"DELETE", "offers/none", nil, "", 404},
			{"POST", "", nil, "{}", 405},
		} {
			status, _, doc := call(t, acct, tc.method, tc.path, tc.header, tc.body)
			if status != tc.want || status != 207 && (doc["code"] == "" || doc["message"] == "") {
				t.Errorf("%s %s %s: %d %v, want %d", tc.method, tc.path, tc.body, status, doc, tc.want)
			}
		}
	})
}
