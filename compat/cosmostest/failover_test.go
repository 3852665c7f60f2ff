package cosmostest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// told is what account reads tell of the regions: the writable ones, a bar and the readable ones.
func told(t *testing.T, acct *Account) string {
	t.Helper()
	doc := accountRead(t, acct, acct.Transport(), acct.Endpoint())
	var out []string
	for _, list := range []string{"writableLocations", "readableLocations"} {
		var names []string
		for _, l := range doc[list].([]any) {
			names = append(names, l.(map[string]any)["name"].(string))
		}
		out = append(out, strings.Join(names, ","))
	}
	return strings.Join(out, " | ")
}

// tryCreate creates an item and returns the status.
func (s session) tryCreate(id string) string {
	s.t.Helper()
	_, err := s.c().CreateItem(s.t.Context(), pkA, mustJSON(s.t, map[string]any{"id": id, "pk": "a"}), nil)
	return statusText(statusOf(s.t, err))
}

// once is a session whose client tries once: what it gets is the account's answer.
func once(t *testing.T, acct *Account, region string) func(id string) string {
	return func(id string) string {
		t.Helper()
		header := map[string]string{headerPartitionKey: `["a"]`, headerTentative: "true"}
		body := fmt.Appendf(nil, `{"id":%q,"pk":"a"}`, id)
		resp, err := signed(t, acct, pinned{acct, region}, "POST", acct.Endpoint()+"dbs/db/colls/c/docs", header, body)
		noError(t, err)
		sub := resp.Header.Get(headerSubStatus)
		return fmt.Sprint(resp.StatusCode, "/", sub)
	}
}

// TestFailover: the old write region answers 403/3 at once, and account reads tell of it later; nothing is lost.
func TestFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.TopologyDelay = time.Minute })
		east, west := once(t, acct, "East US"), once(t, acct, "West US")
		if got := east("1") + " " + west("x"); got != "201/ 403/3" {
			t.Errorf("before: %s", got)
		}
		noError(t, acct.Failover("west-us"))
		if got := east("x") + " " + west("2"); got != "403/3 201/" {
			t.Errorf("after: %s", got)
		}
		in(t, acct, "West US").want("it has caught up", "1", "0:-1#102", "", 200, 0)
		in(t, acct, "North Europe").want("the others have not", "1", "0:-1#101", "", 404, 1002)
		if got := told(t, acct); got != "East US | East US,West US,North Europe" {
			t.Errorf("told at once: %s", got)
		}
		time.Sleep(time.Minute)
		if got := told(t, acct); got != "West US | East US,West US,North Europe" {
			t.Errorf("told after a minute: %s", got)
		}
		in(t, acct, "North Europe").want("both arrived", "2", "0:-1#102", "", 200, 0)
		noError(t, acct.Failover("West US"))
		noError(t, acct.Stop("East US"))
		for _, to := range []string{"East US", "Mars"} {
			if err := acct.Failover(to); err == nil {
				t.Errorf("failover to %s", to)
			}
		}
		if lost, err := acct.Conflicts("db", "c"); err != nil || len(lost) != 0 {
			t.Errorf("lost %v, %v", lost, err)
		}
	})
}

// TestForcedFailover: what a dead write region has not sent is lost, and it tells when it is back.
func TestForcedFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, nil)
		noError(t, acct.SetReplicationLag("East US", "North Europe", time.Second))
		east, west := in(t, acct, "East US"), in(t, acct, "West US")
		east.create("kept")
		time.Sleep(5 * time.Second)
		token := east.upsert("lost", 1)
		_, err := east.c().DeleteItem(t.Context(), pkA, "kept", nil)
		noError(t, err)
		time.Sleep(2 * time.Second) // North Europe has seen it
		noError(t, acct.Stop("East US"))
		time.Sleep(time.Hour)
		noError(t, acct.Failover("West US"))
		for _, region := range []string{"West US", "North Europe"} {
			in(t, acct, region).want(region+" has no part of it", "kept", "0:-1#101", "", 200, 0)
			in(t, acct, region).want(region+" does not know the session", "lost", token, "", 404, 1002)
		}
		west.create("new")
		if lost, _ := acct.Conflicts("db", "c"); len(lost) != 0 {
			t.Errorf("while the region is down: %v", lost)
		}
		noError(t, acct.Start("East US"))
		time.Sleep(5 * time.Second)
		lost, err := acct.Conflicts("db", "c")
		noError(t, err)
		if len(lost) != 2 || lost[0].Item["id"] != "lost" || !lost[0].Outage || lost[0].Region != "East US" ||
			lost[1].Item["id"] != "kept" || !lost[1].Deleted || lost[1].Resolved {
			t.Errorf("conflicts %+v", lost)
		}
		for _, region := range acct.Config().Regions {
			items, err := acct.Items("db", "c", region)
			noError(t, err)
			if len(items) != 2 || items[0]["id"] != "kept" || items[1]["id"] != "new" {
				t.Errorf("%s has %v", region, items)
			}
		}
	})
}

// TestOffline: a region that was stopped catches up when it is back.
func TestOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		east := in(t, acct, "East US")
		noError(t, acct.Stop("West US"))
		east.upsert("1", 1)
		token := east.upsert("1", 2)
		if items, _ := acct.Items("db", "c", "West US"); len(items) != 0 {
			t.Errorf("the stopped region has %v", items)
		}
		if n, _ := acct.ReplicationBacklog("*", "West US"); n != 2 {
			t.Errorf("%d under way, want 2", n)
		}
		in(t, acct, "North Europe").want("the others do not wait", "1", token, "", 200, 0)
		noError(t, acct.Start("West US"))
		in(t, acct, "West US").want("back", "1", token, "", 200, 0)
	})
}

// TestAddAndRemoveRegion: a new region has everything, an old one answers 403/1008, and account reads tell later.
func TestAddAndRemoveRegion(t *testing.T) {
	for _, multi := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			acct := lagging(t, func(c *Config) { c.TopologyDelay, c.MultiWrite = time.Minute, multi })
			token := in(t, acct, "East US").create("1")
			noError(t, acct.AddRegion("UK South"))
			in(t, acct, "UK South").want("a copy of the hub", "1", token, "", 200, 0)
			want := map[bool]string{false: "403/3", true: "201/"}[multi]
			if got := once(t, acct, "UK South")("2"); got != want {
				t.Errorf("a write there: %s, want %s", got, want)
			}
			noError(t, acct.RemoveRegion("West US"))
			if got := once(t, acct, "West US")("3"); got != "403/1008" {
				t.Errorf("removed: %s", got)
			}
			if got := told(t, acct); strings.Contains(got, "UK South") || !strings.Contains(got, "West US") {
				t.Errorf("told at once: %s", got)
			}
			time.Sleep(time.Minute)
			if got := told(t, acct); !strings.Contains(got, "UK South") || strings.Contains(got, "West US") {
				t.Errorf("told after a minute: %s", got)
			}
			noError(t, acct.RemoveRegion("UK South"))
			noError(t, acct.AddRegion("West US"))
			in(t, acct, "West US").want("back with a new copy", "1", token, "", 200, 0)
			if items, _ := acct.Items("db", "c", "West US"); len(items) != map[bool]int{false: 1, true: 2}[multi] {
				t.Errorf("items %v", items)
			}
			if _, err := acct.Items("db", "c", "UK South"); err == nil {
				t.Error("a removed region has items")
			}
		})
	}
}

// TestRegionErrors: which regions cannot be added and removed.
func TestRegionErrors(t *testing.T) {
	for _, multi := range []bool{false, true} {
		acct := New(t, &Config{MultiWrite: multi})
		for what, err := range map[string]error{
			"add again": acct.AddRegion("west us"), "add nonsense": acct.AddRegion("!"), "remove": acct.RemoveRegion("Mars"),
		} {
			if err == nil {
				t.Errorf("%s: no error", what)
			}
		}
		if err := acct.RemoveRegion("East US"); (err == nil) != multi {
			t.Errorf("remove the hub: %v", err)
		}
	}
}

// TestRemoveStopped: of the writes of a region that is stopped when it is removed, those are lost that no other region
// has got, and the others reach all.
func TestRemoveStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.MultiWrite = true })
		noError(t, acct.SetReplicationLag("West US", "North Europe", time.Second))
		west := once(t, acct, "West US")
		first := west("1")
		time.Sleep(2 * time.Second)
		if got := first + " " + west("2"); got != "201/ 201/" {
			t.Fatal(got)
		}
		noError(t, acct.Stop("West US"))
		noError(t, acct.RemoveRegion("West US"))
		if lost, _ := acct.Conflicts("db", "c"); len(lost) != 1 || !lost[0].Outage || lost[0].Region != "West US" || lost[0].Item["id"] != "2" {
			t.Errorf("conflicts %+v", lost)
		}
		time.Sleep(time.Hour)
		for _, region := range acct.Config().Regions {
			if items, _ := acct.Items("db", "c", region); len(items) != 1 || items[0]["id"] != "1" {
				t.Errorf("%s has %v", region, items)
			}
		}
	})
}

// TestFailoverMultiWrite: with several write regions the hub moves, and all go on to take writes.
func TestFailoverMultiWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.MultiWrite = true })
		noError(t, acct.Failover("North Europe"))
		if cfg := acct.Config(); !slices.Equal(cfg.WriteRegions, []string{"North Europe", "East US", "West US"}) {
			t.Errorf("write regions %q", cfg.WriteRegions)
		}
		for _, region := range acct.Config().Regions {
			if got := once(t, acct, region)(regionKey(region)); got != "201/" {
				t.Errorf("%s: %s", region, got)
			}
		}
	})
}
