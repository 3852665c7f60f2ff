package cosmostest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// clock is time that the examples move by hand. In a test, testing/synctest does it for everything.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time { return c.now }

// example makes an account with the container db/orders.
func example(cfg cosmostest.Config) *cosmostest.Account {
	if len(cfg.Containers) == 0 {
		cfg.Containers = []cosmostest.Container{{Database: "db", ID: "orders"}}
	}
	acct, err := cosmostest.NewAccount(&cfg)
	if err != nil {
		panic(err)
	}
	return acct
}

// send sends a request for items of customer "ada" to a region, as any client of the service does, and prints the answer.
func send(acct *cosmostest.Account, region, method, path, body, session string) http.Header {
	req, err := http.NewRequest(method, acct.RegionEndpoint(region)+"dbs/db/colls/orders/docs"+path, bytes.NewReader([]byte(body)))
	if err != nil {
		panic(err)
	}
	req.Header.Set("x-ms-documentdb-partitionkey", `["ada"]`)
	if session != "" {
		req.Header.Set("x-ms-session-token", session)
	}
	if err := acct.Sign(req); err != nil {
		panic(err)
	}
	resp, err := acct.Transport().Do(req)
	if err != nil {
		fmt.Printf("%s in %s: %v\n", method, region, err)
		return nil
	}
	defer resp.Body.Close()
	fmt.Printf("%s in %s: %d", method, region, resp.StatusCode)
	for _, h := range []string{"x-ms-substatus", "x-ms-retry-after-ms", "x-ms-session-token"} {
		if v := resp.Header.Get(h); v != "" {
			fmt.Printf(", %s %s", h, v)
		}
	}
	fmt.Println()
	return resp.Header
}

// A read with a session token finds its region behind, until the write has arrived.
func ExampleAccount_SetReplicationLag() {
	clock := newClock()
	acct := example(cosmostest.Config{Now: clock.Now})
	defer acct.Close()
	if err := acct.SetReplicationLag("East US", "West US", 5*time.Second); err != nil {
		panic(err)
	}

	token := send(acct, "East US", "POST", "", `{"id": "1", "pk": "ada"}`, "").Get("x-ms-session-token")
	send(acct, "West US", "GET", "/1", "", token)
	send(acct, "North Europe", "GET", "/1", "", token)
	clock.now = clock.now.Add(5 * time.Second)
	send(acct, "West US", "GET", "/1", "", token)
	// Output:
	// POST in East US: 201, x-ms-session-token 0:-1#101
	// GET in West US: 404, x-ms-substatus 1002, x-ms-session-token 0:-1#100
	// GET in North Europe: 200, x-ms-session-token 0:-1#101
	// GET in West US: 200, x-ms-session-token 0:-1#101
}

// A partition splits: its items answer under a new id, and what clients know of the old one stays good.
func ExampleAccount_Split() {
	acct := example(cosmostest.Config{})
	defer acct.Close()
	token := send(acct, "East US", "POST", "", `{"id": "1", "pk": "ada"}`, "").Get("x-ms-session-token")

	children, err := acct.Split("db", "orders", "0")
	fmt.Println("children:", children, err)
	send(acct, "East US", "GET", "/1", "", token)
	parts, err := acct.Partitions("db", "orders")
	if err != nil {
		panic(err)
	}
	for _, p := range parts {
		fmt.Printf("%s of %s: %q to %q\n", p.ID, p.Parents, p.Min, p.Max)
	}
	// Output:
	// POST in East US: 201, x-ms-session-token 0:-1#101
	// children: [1 2] <nil>
	// GET in East US: 200, x-ms-session-token 1:-1#101
	// 1 of [0]: "" to "20000000000000000000000000000000"
	// 2 of [0]: "20000000000000000000000000000000" to "FF"
}

// A container has as much throughput as it is given; the next second brings more.
func ExampleContainer_throughput() {
	clock := newClock()
	acct := example(cosmostest.Config{
		Now:        clock.Now,
		Containers: []cosmostest.Container{{Database: "db", ID: "orders", Throughput: 10}},
	})
	defer acct.Close()
	clock.now = clock.now.Add(400 * time.Millisecond)
	send(acct, "East US", "POST", "", `{"id": "1", "pk": "ada"}`, "")
	send(acct, "East US", "POST", "", `{"id": "2", "pk": "ada"}`, "")
	send(acct, "East US", "POST", "", `{"id": "3", "pk": "ada"}`, "")
	clock.now = clock.now.Add(600 * time.Millisecond)
	send(acct, "East US", "POST", "", `{"id": "3", "pk": "ada"}`, "")
	// Output:
	// POST in East US: 201, x-ms-session-token 0:-1#101
	// POST in East US: 201, x-ms-session-token 0:-1#102
	// POST in East US: 429, x-ms-substatus 3200, x-ms-retry-after-ms 600, x-ms-session-token 0:-1#102
	// POST in East US: 201, x-ms-session-token 0:-1#103
}

// The write region is lost, and another one takes over, without what had not reached it yet.
func ExampleAccount_Failover() {
	clock := newClock()
	acct := example(cosmostest.Config{Now: clock.Now, ReplicationLag: time.Second})
	defer acct.Close()
	send(acct, "East US", "POST", "", `{"id": "1", "pk": "ada"}`, "")
	clock.now = clock.now.Add(time.Second)
	send(acct, "East US", "POST", "", `{"id": "2", "pk": "ada"}`, "")

	_ = acct.Stop("East US")
	send(acct, "West US", "POST", "", `{"id": "3", "pk": "ada"}`, "")
	fmt.Println("failover:", acct.Failover("West US"))
	send(acct, "West US", "POST", "", `{"id": "3", "pk": "ada"}`, "")
	send(acct, "West US", "GET", "/2", "", "")

	_ = acct.Start("East US")
	send(acct, "East US", "POST", "", `{"id": "4", "pk": "ada"}`, "")
	lost, err := acct.Conflicts("db", "orders")
	if err != nil {
		panic(err)
	}
	for _, c := range lost {
		fmt.Println("lost in", c.Region, "- item", c.Item["id"])
	}
	// Output:
	// POST in East US: 201, x-ms-session-token 0:-1#101
	// POST in East US: 201, x-ms-session-token 0:-1#102
	// POST in West US: 403, x-ms-substatus 3
	// failover: <nil>
	// POST in West US: 201, x-ms-session-token 0:-1#102
	// GET in West US: 404, x-ms-substatus 0, x-ms-session-token 0:-1#102
	// POST in East US: 403, x-ms-substatus 3
	// lost in East US - item 2
}

// A fault by its usual name, for some operations in one region, that comes later and goes again.
func ExampleAccount_AddFault() {
	clock := newClock()
	acct := example(cosmostest.Config{Now: clock.Now})
	defer acct.Close()
	fault, err := cosmostest.NamedFault("leaseNotFound")
	if err != nil {
		panic(err)
	}
	fault.ID, fault.Region = "outage", "East US"
	fault.Operations = []cosmostest.Operation{cosmostest.OpAnyItemRead}
	fault.After, fault.For = time.Minute, time.Hour
	rule, err := acct.AddFault(fault)
	if err != nil {
		panic(err)
	}

	send(acct, "East US", "POST", "", `{"id": "1", "pk": "ada"}`, "")
	send(acct, "East US", "GET", "/1", "", "")
	clock.now = clock.now.Add(time.Minute)
	send(acct, "East US", "GET", "/1", "", "")
	send(acct, "West US", "GET", "/1", "", "")
	rule.Disable()
	send(acct, "East US", "GET", "/1", "", "")
	fmt.Println("hits:", rule.Hits())
	// Output:
	// POST in East US: 201, x-ms-session-token 0:-1#101
	// GET in East US: 200, x-ms-session-token 0:-1#101
	// GET in East US: 410, x-ms-substatus 1022
	// GET in West US: 200, x-ms-session-token 0:-1#101
	// GET in East US: 200, x-ms-session-token 0:-1#101
	// hits: 1
}
