package cosmostest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// strict is an account whose partitions are held in their write regions.
func strict(t *testing.T, change func(*Config)) *Account {
	return lagging(t, func(c *Config) {
		c.PPAF, c.StrictPPAF = true, true
		if change != nil {
			change(c)
		}
	})
}

// writeRegion is where the partition of key "a" takes its writes.
func writeRegion(t *testing.T, acct *Account) string {
	t.Helper()
	parts, err := acct.Partitions("db", "c")
	noError(t, err)
	return parts[0].WriteRegion
}

// TestPartitionMovesWhenSick: a write elsewhere is refused while the write region is well, and moves the partition when
// it is not.
func TestPartitionMovesWhenSick(t *testing.T) {
	for name, hurt := range map[string]func(t *testing.T, acct *Account){
		"stopped": func(t *testing.T, acct *Account) { noError(t, acct.Stop("East US")) },
		"a fault applies": func(_ *testing.T, acct *Account) {
			acct.SetFaults(Fault{Region: "East US", Operations: []Operation{OpAnyItemWrite}, Status: 503, Range: "0"})
		},
		"a fault applies to this write": func(_ *testing.T, acct *Account) {
			acct.SetFaults(Fault{Region: "East US", Transport: Reset, Match: func(r *Request) bool { return strings.Contains(string(r.Body), "2") }})
		},
		"a fault has struck": func(t *testing.T, acct *Account) {
			acct.SetFaults(Fault{Region: "East US", Status: 503, Times: 1})
			if got := once(t, acct, "East US")("0"); got != "503/" {
				t.Fatal(got)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := strict(t, nil)
				east, west := once(t, acct, "East US"), once(t, acct, "West US")
				if got := east("1") + " " + west("2"); got != "201/ 403/3" {
					t.Fatalf("while all is well: %s", got)
				}
				time.Sleep(time.Minute)
				hurt(t, acct)
				if got := west("2"); got != "201/" || writeRegion(t, acct) != "West US" {
					t.Errorf("a write elsewhere: %s, write region %s", got, writeRegion(t, acct))
				}
				noError(t, acct.Start("East US"))
				acct.SetFaults()
				if got := east("3") + " " + west("3"); got != "403/3 201/" {
					t.Errorf("well again: %s", got)
				}
				time.Sleep(time.Minute)
				in(t, acct, "East US").want("caught up", "3", "0:-1#103", "", 200, 0)
			})
		})
	}
}

// TestWellAgain: a write that succeeds makes up for the fault before it, and a delay is no sickness.
func TestWellAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := strict(t, nil)
		acct.SetFaults(Fault{Region: "East US", Status: 503, Times: 1}, Fault{Region: "East US", Delay: time.Second})
		east, west := once(t, acct, "East US"), once(t, acct, "West US")
		if got := east("1") + " " + east("1") + " " + west("2"); got != "503/ 201/ 403/3" {
			t.Errorf("got %s", got)
		}
	})
}

// TestFailoverPartition: one partition moves by hand, and is held there; the others stay.
func TestFailoverPartition(t *testing.T) {
	for _, strictly := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			acct := strict(t, func(c *Config) { c.StrictPPAF = strictly; c.Containers[0].Partitions = 2 })
			noError(t, acct.Place("db", "c", "a", "1"))
			east, west := once(t, acct, "East US"), once(t, acct, "West US")
			if got := east("1"); got != "201/" {
				t.Fatal(got)
			}
			noError(t, acct.FailoverPartition("db", "c", "1", "West US"))
			in(t, acct, "West US").want("it has caught up", "1", "1:-1#101", "", 200, 0)
			if got := east("2") + " " + west("2"); got != "403/3 201/" {
				t.Errorf("moved: %s", got)
			}
			parts, err := acct.Partitions("db", "c")
			noError(t, err)
			if parts[0].WriteRegion != "East US" || parts[1].WriteRegion != "West US" {
				t.Errorf("partitions %+v", parts)
			}
			noError(t, acct.FailoverPartition("db", "c", "1", "East US"))
			if got := east("3") + " " + west("3"); got != "201/ 403/3" {
				t.Errorf("moved back: %s", got)
			}
			noError(t, acct.Failover("North Europe"))
			if got := once(t, acct, "North Europe")("4"); got != "201/" {
				t.Errorf("the hub moved: %s", got)
			}
		})
	}
}

// TestFailoverPartitionErrors: what cannot fail over, and where to.
func TestFailoverPartitionErrors(t *testing.T) {
	acct := strict(t, nil)
	noError(t, acct.Stop("West US"))
	for _, err := range []error{
		acct.FailoverPartition("db", "x", "0", "East US"), acct.FailoverPartition("db", "c", "9", "East US"),
		acct.FailoverPartition("db", "c", "0", "Mars"), acct.FailoverPartition("db", "c", "0", "West US"),
		lagging(t, nil).FailoverPartition("db", "c", "0", "East US"),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}

// TestPPAFOff: when the account turns it off, all partitions go back to the hub.
func TestPPAFOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := strict(t, nil)
		noError(t, acct.FailoverPartition("db", "c", "0", "West US"))
		if got := once(t, acct, "West US")("1"); got != "201/" {
			t.Fatal(got)
		}
		noError(t, acct.Update(func(c *Config) error { c.PPAF = false; return nil }))
		if got := once(t, acct, "West US")("2") + " " + once(t, acct, "East US")("1"); got != "403/3 409/" {
			t.Errorf("got %s", got)
		}
	})
}

// TestHubOnly: a read that only the write region may answer is refused elsewhere.
func TestHubOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := strict(t, nil)
		noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"}))
		noError(t, acct.FailoverPartition("db", "c", "0", "West US"))
		for region, want := range map[string]string{"East US": "403/3", "West US": "200/"} {
			for _, path := range []string{"dbs/db/colls/c/docs/1", "dbs/db/colls/c/docs"} {
				header := map[string]string{headerPartitionKey: `["a"]`, headerHubOnly: "True"}
				resp, err := signed(t, acct, pinned{acct, region}, "GET", acct.Endpoint()+path, header, nil)
				noError(t, err)
				if got := fmt.Sprint(resp.StatusCode, "/", resp.Header.Get(headerSubStatus)); got != want {
					t.Errorf("%s of %s: %s, want %s", path, region, got, want)
				}
			}
		}
	})
}
