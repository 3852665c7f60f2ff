package cosmostest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// put writes an item with any properties in a region, and returns the status with the session token.
func put(t *testing.T, acct *Account, region, method, body string) (int, string) {
	t.Helper()
	header := map[string]string{headerPartitionKey: `["a"]`, headerTentative: "true", "X-Ms-Documentdb-Is-Upsert": "true"}
	url, payload := acct.RegionEndpoint(region)+"dbs/db/colls/c/docs", []byte(body)
	if method != "POST" {
		url, payload = url+"/"+body, nil
	}
	resp, err := signed(t, acct, acct.Transport(), method, url, header, payload)
	noError(t, err)
	return resp.StatusCode, resp.Header.Get(headerSession)
}

// conflictCase is a conflict between a write in East US and a later one in West US.
type conflictCase struct {
	name     string
	policy   string
	gap      time.Duration // between the writes
	deleted  bool          // in East US, before West US writes
	stays    string
	resolved bool
}

var conflictCases = []conflictCase{
	{"the later second", "", 2 * time.Second, false, "west", true},
	{"the later write in one second", "", 0, false, "west", true},
	{"the higher number", `{"mode":"LastWriterWins","conflictResolutionPath":"/v"}`, 2 * time.Second, false, "east", true},
	{"no numbers", `{"mode":"LastWriterWins","conflictResolutionPath":"/from"}`, 0, false, "west", true},
	{"a deletion", "", 2 * time.Second, true, "", true},
	{"nobody decides", `{"mode":"Custom"}`, 2 * time.Second, false, "east", false},
}

// account makes the account of the case, and lets it come to the conflict.
func (tc conflictCase) account(t *testing.T) *Account {
	t.Helper()
	const east, west = `{"id":"1","pk":"a","from":"east","v":5}`, `{"id":"1","pk":"a","from":"west","v":3}`
	acct := lagging(t, func(c *Config) { c.MultiWrite = true })
	if tc.policy != "" {
		body := fmt.Sprintf(`{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},"conflictResolutionPolicy":%s}`, tc.policy)
		call(t, acct, "DELETE", "dbs/db/colls/c", nil, "")
		if status, _, _ := call(t, acct, "POST", "dbs/db/colls", nil, body); status != http.StatusCreated {
			t.Fatal(status)
		}
	}
	if tc.deleted {
		noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"}))
		put(t, acct, "East US", "DELETE", "1")
	} else {
		put(t, acct, "East US", "POST", east)
	}
	time.Sleep(tc.gap)
	put(t, acct, "West US", "POST", west)
	time.Sleep(time.Minute)
	return acct
}

// TestConflicts: which of two writes that do not know of each other stays, in all regions, and who is told of the other.
func TestConflicts(t *testing.T) {
	for _, tc := range conflictCases {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := tc.account(t)
				for _, region := range acct.Config().Regions {
					items, err := acct.Items("db", "c", region)
					noError(t, err)
					if tc.stays == "" && len(items) == 0 {
						continue
					}
					if len(items) != 1 || items[0]["from"] != tc.stays {
						t.Errorf("%s has %v, want the one from %s", region, items, tc.stays)
					}
				}
				list, err := acct.Conflicts("db", "c")
				noError(t, err)
				if len(list) != 1 || list[0].Resolved != tc.resolved || list[0].Outage || list[0].Item["from"] == tc.stays || (list[0].Winner == nil) != tc.deleted {
					t.Errorf("conflicts %+v", list)
				}
			})
		})
	}
}

// TestNoConflict: what a region knows of it may replace.
func TestNoConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.MultiWrite, c.Containers[0].ConflictPath = true, "/v" })
		put(t, acct, "East US", "POST", `{"id":"1","pk":"a","v":9}`)
		time.Sleep(5 * time.Second)
		_, token := put(t, acct, "West US", "POST", `{"id":"1","pk":"a","v":1}`)
		if token != "0:3#102#1=1#2=1#3=0" {
			t.Errorf("session token %q", token)
		}
		in(t, acct, "East US").want("it has one of two", "1", token, "", 404, 1002)
		time.Sleep(5 * time.Second)
		in(t, acct, "East US").want("it has both", "1", token, "", 200, 0)
		in(t, acct, "North Europe").want("all have", "1", token, "", 200, 0)
		if list, _ := acct.Conflicts("db", "c"); len(list) != 0 {
			t.Errorf("conflicts %+v", list)
		}
		if items, _ := acct.Items("db", "c", ""); fmt.Sprint(items[0]["v"]) != "1" {
			t.Errorf("items %v", items)
		}
	})
}

// TestTentativeWrites: write regions beside the hub take writes only from clients that know of them.
func TestTentativeWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.MultiWrite = true })
		for region, want := range map[string]string{"East US": "201/", "West US": "403/3"} {
			body := fmt.Appendf(nil, `{"id":%q,"pk":"a"}`, region)
			resp, err := signed(t, acct, acct.Transport(), "POST", acct.RegionEndpoint(region)+"dbs/db/colls/c/docs", keyA, body)
			noError(t, err)
			if got := fmt.Sprint(resp.StatusCode, "/", resp.Header.Get(headerSubStatus)); got != want {
				t.Errorf("%s: %s, want %s", region, got, want)
			}
		}
	})
}

// TestConflictFeed: clients list, read and delete the conflicts that nobody has resolved.
func TestConflictFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, nil)
		put(t, acct, "East US", "POST", `{"id":"lost","pk":"a"}`)
		noError(t, acct.Stop("East US"))
		noError(t, acct.Failover("West US"))
		noError(t, acct.Start("East US"))
		const path = "dbs/db/colls/c/conflicts"
		_, _, doc := call(t, acct, "GET", path, nil, "")
		list := doc["Conflicts"].([]any)
		if len(list) != 1 || doc["_count"] != 1.0 {
			t.Fatalf("feed %v", doc)
		}
		entry := list[0].(map[string]any)
		if entry["operationType"] != "create" || entry["resourceType"] != "document" || !strings.Contains(entry["content"].(string), `"lost"`) {
			t.Errorf("entry %v", entry)
		}
		id := "/" + entry["id"].(string)
		for _, step := range []struct {
			method, path string
			want         int
		}{{"GET", path + id, 200}, {"PUT", path + id, 405}, {"POST", path, 405}, {"DELETE", path + id, 204}, {"GET", path + id, 404}} {
			if status, _, _ := call(t, acct, step.method, step.path, nil, ""); status != step.want {
				t.Errorf("%s %s: %d, want %d", step.method, step.path, status, step.want)
			}
		}
		if _, err := acct.Conflicts("db", "x"); err == nil {
			t.Error("conflicts of no container")
		}
	})
}
