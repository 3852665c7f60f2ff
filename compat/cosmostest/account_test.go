package cosmostest

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// TestConfigErrors: the error names the field and what is allowed.
func TestConfigErrors(t *testing.T) {
	one := func(c Container) *Config { return &Config{Containers: []Container{c}} }
	for _, tc := range []struct {
		config *Config
		field  string
	}{
		{&Config{Name: "Acct_1"}, "Name"},
		{&Config{Regions: []string{"East US", "east-us"}}, "Regions[1]"},
		{&Config{Regions: []string{"global"}}, "Regions[0]"},
		{&Config{Regions: []string{"  "}}, "Regions[0]"},
		{&Config{WriteRegions: []string{"Mars"}}, "WriteRegions[0]"},
		{&Config{WriteRegions: []string{"East US", "EASTUS"}}, "WriteRegions[1]"},
		{&Config{Key: "no base64"}, "Key"},
		{&Config{Consistency: "strict"}, "Consistency"},
		{one(Container{ID: "c"}), "Containers[0].Database"},
		{one(Container{Database: "db", ID: "a/b"}), "Containers[0].ID"},
		{one(Container{Database: "db", ID: "c", PartitionKey: []string{"pk"}}), "Containers[0].PartitionKey"},
		{one(Container{Database: "db", ID: "c", PartitionKey: []string{"/a", "/b", "/c", "/d"}}), "Containers[0].PartitionKey"},
		{one(Container{Database: "db", ID: "c", Partitions: -1}), "Containers[0].Partitions"},
		{one(Container{Database: "db", ID: "c", HashVersion: 3}), "Containers[0].HashVersion"},
		{one(Container{Database: "db", ID: "c", PartitionKey: []string{"/a", "/b"}, HashVersion: 1}), "Containers[0].HashVersion"},
		{&Config{Containers: []Container{{Database: "db", ID: "c"}, {Database: "db", ID: "c"}}}, "Containers[1]"},
		{&Config{MultiWrite: true, Consistency: "Strong"}, "Consistency"},
		{&Config{ReplicationLag: -1}, "ReplicationLag"},
		{&Config{TopologyDelay: -1}, "TopologyDelay"},
		{one(Container{Database: "db", ID: "c", Throughput: -1}), "Containers[0].Throughput"},
		{one(Container{Database: "db", ID: "c", DefaultTTL: -2}), "Containers[0].DefaultTTL"},
		{one(Container{Database: "db", ID: "c", ConflictPath: "version"}), "Containers[0].ConflictPath"},
	} {
		_, err := NewAccount(tc.config)
		if err == nil || !strings.Contains(err.Error(), "Config."+tc.field+" ") || !strings.Contains(err.Error(), "allowed: ") {
			t.Errorf("%+v: error %v, want one that names %s", tc.config, err, tc.field)
		}
	}
}

// TestConfigIsCopied: later changes of the caller's config change nothing.
func TestConfigIsCopied(t *testing.T) {
	cfg := &Config{Regions: []string{"East US"}, Containers: []Container{{Database: "db", ID: "c", PartitionKey: []string{"/a"}}}}
	acct := New(t, cfg)
	cfg.Regions[0], cfg.Containers[0].PartitionKey[0] = "Mars", "/b"
	if err := acct.Seed("db", "c", map[string]any{"id": "1", "a": "x"}); err != nil || acct.RegionEndpoint("Mars") != "" {
		t.Errorf("seed: %v, endpoint of Mars: %q", err, acct.RegionEndpoint("Mars"))
	}
}

// accountRead is what an endpoint says about the account.
func accountRead(t *testing.T, acct *Account, transport policy.Transporter, endpoint string) map[string]any {
	t.Helper()
	resp, err := signed(t, acct, transport, "GET", endpoint, nil, nil)
	noError(t, err)
	defer resp.Body.Close()
	var doc map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil || resp.StatusCode != 200 {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	return doc
}

func TestAccountRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, nil)
		for _, endpoint := range []string{acct.Endpoint(), acct.RegionEndpoint("northeurope")} {
			got := mustJSON(t, accountRead(t, acct, acct.Transport(), endpoint))
			var doc struct {
				ID                           string
				WritableLocations            []location
				ReadableLocations            []location
				EnableMultipleWriteLocations bool
				UserConsistencyPolicy        struct{ DefaultConsistencyLevel string }
				QueryEngineConfiguration     string
			}
			noError(t, json.Unmarshal(got, &doc))
			east := location{"East US", "https://acct-eastus.documents.azure.com:443/"}
			if doc.ID != "acct" || len(doc.ReadableLocations) != 3 || !slices.Equal(doc.WritableLocations, []location{east}) ||
				doc.UserConsistencyPolicy.DefaultConsistencyLevel != "Session" || !json.Valid([]byte(doc.QueryEngineConfiguration)) {
				t.Errorf("account read: %s", got)
			}
		}
	})
}

func TestUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		noError(t, acct.Update(func(c *Config) error {
			c.MultiWrite, c.PPAF, c.Regions = true, true, []string{"East US", "UK South"}
			return nil
		}))
		doc := accountRead(t, acct, acct.Transport(), acct.Endpoint())
		if doc["enableMultipleWriteLocations"] != true || doc["enablePerPartitionFailoverBehavior"] != true || len(doc["writableLocations"].([]any)) != 2 {
			t.Errorf("account read: %v", doc)
		}
		for region, want := range map[string]int{"UK South": 404, "West US": 403} {
			resp, err := signed(t, acct, acct.Transport(), "GET", acct.RegionEndpoint(region)+"dbs/db/colls/c/docs/1", keyA, nil)
			noError(t, err)
			if resp.StatusCode != want || want == 403 && resp.Header.Get("x-ms-substatus") != "1008" {
				t.Errorf("%s: %d %v", region, resp.StatusCode, resp.Header)
			}
		}
		stop := errors.New("stop")
		for _, change := range []func(*Config) error{
			func(c *Config) error { c.Name = "other"; return nil },
			func(c *Config) error { c.Containers = nil; return nil },
			func(c *Config) error { c.WriteRegions = []string{"Mars"}; return nil },
			func(*Config) error { return stop },
		} {
			if err := acct.Update(change); err == nil {
				t.Error("a bad update was accepted")
			}
		}
	})
}

// get sends a signed GET and reads the answer.
func get(t *testing.T, acct *Account, url string) error {
	resp, err := signed(t, acct, acct.Transport(), "GET", url, nil, nil)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	return err
}

// TestReachability: which hosts answer, and what the others do.
func TestReachability(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		err := get(t, acct, "https://acct-mars.documents.azure.com:443/")
		if _, ok := errors.AsType[*net.DNSError](err); !ok {
			t.Errorf("a host that is no part of the account: %v", err)
		}
		noError(t, acct.Stop("West US"))
		noError(t, acct.Stop("global"))
		for _, url := range []string{
			"http://acct.documents.azure.com/", "https://acct.documents.azure.com:8081/", acct.Endpoint(), acct.RegionEndpoint("westus"),
		} {
			if err := get(t, acct, url); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("%s: %v, want refused", url, err)
			}
		}
		noError(t, acct.Start("global"))
		noError(t, get(t, acct, acct.Endpoint()))
		if err := acct.Stop("Mars"); err == nil {
			t.Error("a region that does not exist was stopped")
		}
		var got []string
		for _, r := range acct.Requests() {
			got = append(got, r.Region+" "+r.Transport.String())
		}
		want := []string{"? dns", "global refused", "global refused", "global refused", "West US refused", "global "}
		if !slices.Equal(got, want) {
			t.Errorf("log %q, want %q", got, want)
		}
	})
}

func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for limit, want := range map[int]int{-1: 0, 0: 5, 3: 3, 9: 5} {
			acct := New(t, &Config{LogLimit: limit})
			for range 5 {
				noError(t, get(t, acct, acct.Endpoint()))
			}
			log := acct.Requests()
			if len(log) != want {
				t.Errorf("limit %d: %d requests, want %d", limit, len(log), want)
			}
			for i := range log {
				log[i].Header.Set("x-changed", "yes") // of a copy
			}
			for _, r := range acct.Requests() {
				if r.Header.Get("x-changed") != "" {
					t.Error("the log gave its own header away")
				}
			}
			acct.ResetLog()
			if len(acct.Requests()) != 0 {
				t.Error("requests after ResetLog")
			}
		}
	})
}

// TestWriteRegions: who takes which writes.
func TestWriteRegions(t *testing.T) {
	for _, tc := range []struct {
		config Config
		item   map[string]int // by region
		meta   map[string]int
	}{
		{Config{}, map[string]int{"East US": 201, "West US": 403}, map[string]int{"East US": 201, "West US": 403}},
		{Config{MultiWrite: true}, map[string]int{"East US": 201, "West US": 201}, map[string]int{"West US": 403}},
		{Config{MultiWrite: true, WriteRegions: []string{"West US"}}, map[string]int{"East US": 403}, map[string]int{"West US": 201}},
		{Config{PPAF: true}, map[string]int{"East US": 201, "West US": 201}, map[string]int{"West US": 403}},
	} {
		synctest.Test(t, func(t *testing.T) {
			tc.config.Containers = oneContainer().Containers
			acct := New(t, &tc.config)
			post := func(region, path, body string, want int) {
				header := map[string]string{headerPartitionKey: `["a"]`, headerTentative: "true"}
				resp, err := signed(t, acct, acct.Transport(), "POST", acct.RegionEndpoint(region)+path, header, []byte(body))
				noError(t, err)
				if resp.StatusCode != want || want == 403 && resp.Header.Get("x-ms-substatus") != "3" {
					t.Errorf("%+v: %s to %s: %d %v, want %d", tc.config, path, region, resp.StatusCode, resp.Header, want)
				}
			}
			for region, want := range tc.item {
				post(region, "dbs/db/colls/c/docs", `{"pk":"a","id":"`+region+`"}`, want)
			}
			for region, want := range tc.meta {
				post(region, "dbs", `{"id":"`+region+`"}`, want)
			}
		})
	}
}
