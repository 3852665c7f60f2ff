package cosmostest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// lagging is an account whose regions lag by five seconds.
func lagging(t *testing.T, change func(*Config)) *Account {
	cfg := oneContainer()
	cfg.ReplicationLag = 5 * time.Second
	if change != nil {
		change(cfg)
	}
	return New(t, cfg)
}

// TestSessionLag: a session that is ahead of a region gets a 404/1002 there, until the write has arrived.
func TestSessionLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, nil)
		east, west := in(t, acct, "East US"), in(t, acct, "West US")
		token := east.create("1")
		east.want("at home", "1", token, "", 200, 0)
		west.want("without a token", "1", "", "", 404, 0)
		west.want("with a token", "1", token, "", 404, 1002)
		west.want("eventually", "1", token, azcosmos.ConsistencyLevelEventual, 404, 0)
		time.Sleep(4 * time.Second)
		west.want("after 4 s", "1", token, "", 404, 1002)
		if items, err := acct.Items("db", "c", "West US"); err != nil || len(items) != 0 {
			t.Errorf("after 4 s: %v, %v", items, err)
		}
		time.Sleep(time.Second)
		if n, err := acct.ReplicationBacklog("*", "*"); err != nil || n != 0 {
			t.Errorf("after 5 s: %d under way, %v", n, err)
		}
		west.want("after 5 s", "1", token, "", 200, 0)
		west.want("a token ahead of everybody", "1", "0:-1#999", "", 404, 1002)
		west.want("of another partition", "1", "7:-1#999", "", 200, 0)
		for _, bad := range []string{"0", "0:", "0:x#1", "0:-1#x", ":-1#1", "0:-1#1#2", "0:-1#1#x=2", "0:-1#1#999=2", "0:-1#1,"} {
			west.want("malformed", "1", bad, "", http.StatusBadRequest, 0)
		}
	})
}

// TestReplicationControl: lags and pauses are per pair of regions, and writes keep their order.
func TestReplicationControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, nil)
		east, west, north := in(t, acct, "East US"), in(t, acct, "West US"), in(t, acct, "North Europe")
		noError(t, acct.SetReplicationLag("East US", "North Europe", time.Minute))
		east.upsert("1", 1)
		time.Sleep(2 * time.Second)
		east.upsert("1", 2)
		time.Sleep(3 * time.Second)
		check := func(what string, wantWest, wantNorth int) {
			t.Helper()
			inWest, _, _ := west.read("1", "", "")
			inNorth, _, _ := north.read("1", "", "")
			if inWest != wantWest || inNorth != wantNorth {
				t.Errorf("%s: West US has %d, North Europe %d; want %d and %d", what, inWest, inNorth, wantWest, wantNorth)
			}
		}
		check("after 5 s", 1, 0)
		noError(t, acct.PauseReplication("East US", "*"))
		time.Sleep(time.Hour)
		check("paused for an hour", 1, 0)
		if n, _ := acct.ReplicationBacklog("east-us", "west-us"); n != 1 {
			t.Errorf("%d under way to West US, want 1", n)
		}
		noError(t, acct.ResumeReplication("East US", "West US"))
		check("resumed to West US", 2, 0)
		noError(t, acct.ResumeReplication("*", "North Europe"))
		check("resumed to North Europe", 2, 2)

		noError(t, acct.SetReplicationLag("*", "*", time.Hour))
		east.upsert("1", 3)
		time.Sleep(time.Minute)
		noError(t, acct.SetReplicationLag("East US", "West US", time.Second))
		check("a shorter lag counts from the write", 3, 2)
		acct.Replicate()
		check("replicated", 3, 3)
	})
}

// TestReplicationErrors: a lag that is none, and regions that are none.
func TestReplicationErrors(t *testing.T) {
	acct := New(t, nil)
	_, err := acct.ReplicationBacklog("*", "Mars")
	for _, err := range []error{
		err, acct.SetReplicationLag("East US", "West US", -1), acct.PauseReplication("Mars", "*"),
		acct.ResumeReplication("*", "Mars"), acct.PauseReplication("East US", "eastus"),
	} {
		if err == nil || !strings.Contains(err.Error(), "allowed: ") {
			t.Errorf("error %v, want one that says what is allowed", err)
		}
	}
}

// TestReplicatedOrder: replaces, deletions and batches arrive as they were made, and the change feed has them in order.
func TestReplicatedOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, nil)
		east, west := in(t, acct, "East US"), in(t, acct, "West US")
		east.create("gone")
		_, err := east.c().DeleteItem(t.Context(), pkA, "gone", nil)
		noError(t, err)
		batch := east.c().NewTransactionalBatch(pkA)
		batch.CreateItem([]byte(`{"id":"x","pk":"a"}`), nil)
		batch.CreateItem([]byte(`{"id":"y","pk":"a"}`), nil)
		resp, err := east.c().ExecuteTransactionalBatch(t.Context(), batch, nil)
		noError(t, err)
		feed := func(region string) (ids []string) {
			header := map[string]string{"A-IM": "Incremental Feed", headerRangeID: "0"}
			resp, err := signed(t, acct, pinned{acct, region}, "GET", acct.Endpoint()+"dbs/db/colls/c/docs", header, nil)
			noError(t, err)
			for _, d := range documents(t, resp) {
				ids = append(ids, d["id"].(string))
			}
			return ids
		}
		if got := feed("West US"); got != nil {
			t.Errorf("at once: %v", got)
		}
		west.want("the batch's token", "x", resp.SessionToken, "", 404, 1002)
		time.Sleep(5 * time.Second)
		if got := feed("West US"); !slices.Equal(got, []string{"x", "y"}) {
			t.Errorf("after 5 s: %v", got)
		}
		west.want("the batch's token", "x", resp.SessionToken, "", 200, 0)
		west.want("deleted", "gone", resp.SessionToken, "", 404, 0)
	})
}

// TestConsistencyLevels: who sees a write that has not arrived, with the session's token.
func TestConsistencyLevels(t *testing.T) {
	const unavailable, absent, seen, refused = "404/1002", "404/0", "200/0", "400/0"
	for _, tc := range []struct {
		account string
		want    []string // by the level of the request: none, Strong, BoundedStaleness, Session, ConsistentPrefix, Eventual
	}{
		{"Strong", []string{seen, seen, seen, seen, seen, seen}}, // a strong write is everywhere
		{"BoundedStaleness", []string{seen, refused, seen, unavailable, absent, absent}},
		{"Session", []string{unavailable, refused, refused, unavailable, absent, absent}},
		{"ConsistentPrefix", []string{absent, refused, refused, refused, absent, absent}},
		{"Eventual", []string{absent, refused, refused, refused, refused, absent}},
	} {
		for i, level := range append([]string{""}, consistencyLevels...) {
			synctest.Test(t, func(t *testing.T) {
				acct := lagging(t, func(c *Config) { c.Consistency = tc.account })
				token := in(t, acct, "East US").create("1")
				_, status, sub := in(t, acct, "West US").read("1", token, azcosmos.ConsistencyLevel(level))
				if got := statusText(status, sub); got != tc.want[i] {
					t.Errorf("account %s, request %q: %s, want %s", tc.account, level, got, tc.want[i])
				}
			})
		}
	}
}

// TestSeedLag: seeded items are everywhere at once, but do not overtake the writes before them.
func TestSeedLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.Containers[0].Partitions = 2 })
		noError(t, acct.Seed("db", "c", map[string]any{"id": "seed", "pk": "a"}))
		west := in(t, acct, "West US")
		west.want("at once", "seed", "", "", 200, 0)
		token := in(t, acct, "East US").upsert("seed", 7)
		noError(t, acct.Seed("db", "c", map[string]any{"id": "late", "pk": "a"}))
		west.want("behind a write", "late", "", "", 404, 0)
		time.Sleep(5 * time.Second)
		west.want("arrived", "late", token, "", 200, 0)
		if n, _, _ := west.read("seed", token, ""); n != 7 {
			t.Errorf("n is %d, want 7", n)
		}
	})
}

// TestReplication: a write is readable everywhere, and the session token travels with it.
func TestReplication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		resp, err := signed(t, acct, acct.Transport(), "POST", acct.Endpoint()+"dbs/db/colls/c/docs", keyA, []byte(`{"id":"1","pk":"a"}`))
		noError(t, err)
		token := resp.Header.Get(headerSession)
		if resp.StatusCode != http.StatusCreated || token != "0:-1#101" {
			t.Fatalf("status %d, token %q", resp.StatusCode, token)
		}
		for token, want := range map[string]int{token: 200, "0:-1#102": 404, "1:-1#900,0:2#101#3=90": 200, "9:-1#900": 200} {
			header := map[string]string{headerPartitionKey: `["a"]`, headerSession: token}
			resp, err := signed(t, acct, acct.Transport(), "GET", acct.RegionEndpoint("West US")+"dbs/db/colls/c/docs/1", header, nil)
			noError(t, err)
			if resp.StatusCode != want || want == 404 && resp.Header.Get("x-ms-substatus") != "1002" {
				t.Errorf("token %s: %d %v", token, resp.StatusCode, resp.Header)
			}
		}
	})
}
