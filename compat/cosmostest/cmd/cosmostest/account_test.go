package main

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

const item = `{"database": "db", "container": "items", "items": [{"id": "1", "pk": "a"}]}`

func TestRegions(t *testing.T) {
	p := start(t)
	client := p.client()
	p.manage("POST", "/seed", item, nil)
	want(t, "the status before", p.status(client, "West US"), http.StatusOK)

	var state accountState
	p.manage("POST", "/regions/west-us/stop", "", &state)
	want(t, "that it is stopped", state.Regions[1].Stopped, true)
	_, err := p.ask(p.client(), "GET", p.Regions[1].Endpoint, nil, "")
	want(t, "that the connection is refused", errors.Is(err, syscall.ECONNREFUSED), true)
	p.manage("POST", "/regions/West%20US/start", "", nil)
	client = p.client() // the old one may not know yet that its connection was cut
	want(t, "the status after", p.status(client, "West US"), http.StatusOK)

	p.manage("POST", "/failover", `{"to": "West US"}`, &state)
	want(t, "the write region", state.WriteRegions[0], "West US")
	p.manage("POST", "/regions/Japan%20East", "", &state)
	want(t, "the number of regions", len(state.Regions), 4)
	p.manage("DELETE", "/regions/East%20US", "", &state)
	want(t, "the first region", state.Regions[0].Name, "West US")
	want(t, "the status of a region that is gone", p.status(client, "East US"), http.StatusForbidden)
	p.manage("PUT", "/account", `{"multiWrite": true, "writeRegions": []}`, &state)
	want(t, "the number of write regions", len(state.WriteRegions), 3)
}

func TestFaults(t *testing.T) {
	p := start(t)
	client := p.client()
	p.manage("POST", "/seed", item, nil)
	p.manage("PUT", "/faults", `[{"id": "gone", "region": "East US", "fault": "serviceUnavailable", "times": 2}]`, nil)
	p.manage("POST", "/faults", `{"id": "busy", "status": 429, "subStatus": 3200, "headers": {"Retry-After": "1"}}`, nil)
	want(t, "the first fault", p.status(client, "East US"), http.StatusServiceUnavailable)

	p.manage("POST", "/faults/gone/disable", "", nil)
	want(t, "the second fault", p.status(client, "East US"), http.StatusTooManyRequests)
	p.manage("POST", "/faults/gone/enable", "", nil)
	want(t, "the first fault again", p.status(client, "East US"), http.StatusServiceUnavailable)
	want(t, "the second fault, as the first is used up", p.status(client, "East US"), http.StatusTooManyRequests)

	var list faultList
	p.manage("GET", "/faults", "", &list)
	want(t, "the hits of the first", list.Faults[0].Hits, 2)
	want(t, "the hits of the second", list.Faults[1].Hits, 2)
	want(t, "its header", list.Faults[1].Headers["retry-after"], "1")
	p.manage("DELETE", "/faults/busy", "", nil)
	want(t, "the status without it", p.status(client, "East US"), http.StatusOK)
	p.manage("DELETE", "/faults", "", &list)
	want(t, "the number of faults", len(list.Faults), 0)
}

// TestFaultRoundTrip: what GET tells of a fault makes the same fault again.
func TestFaultRoundTrip(t *testing.T) {
	p := start(t)
	const full = `{"id":"f","enabled":true,"region":"East US","operations":["ReadItem"],"database":"db","container":"items",` +
		`"range":"0","times":3,"skip":1,"percent":50,"probability":0.5,"after":"1s","for":"1m0s","status":503,"subStatus":0,` +
		`"headers":{"a":"b"},"body":"","transport":"truncated","delay":"10ms","bandwidth":7,"early":true,"applied":true,` +
		`"hits":0,"matched":0}`
	_, first := p.call("POST", "/faults", full[:len(full)-len(`,"hits":0,"matched":0}`)]+"}")
	want(t, "the fault", compact(t, first), full)
}

// TestFaultNames: every fault strikes over every protocol, and is over when it is gone.
func TestFaultNames(t *testing.T) {
	for name, args := range map[string][]string{"HTTP2": nil, "HTTP1": {"-http1"}, "plain": {"-plain"}} {
		t.Run(name, func(t *testing.T) {
			p := start(t, args...)
			p.manage("POST", "/seed", item, nil)
			for _, fault := range cosmostest.FaultNames() {
				if name == "plain" && fault == "tls" {
					continue // there is no handshake that could fail
				}
				p.manage("PUT", "/faults", `[{"id": "f", "region": "East US", "fault": "`+fault+`"}]`, nil)
				if status := p.attempt(fault); status == http.StatusOK {
					t.Errorf("%s: the status is 200", fault)
				}
				var state faultState
				p.manage("DELETE", "/faults/f", "", &state)
				want(t, "that "+fault+" has hits", state.Hits > 0, true)
				want(t, "the status after "+fault, p.status(p.client(), "East US"), http.StatusOK)
			}
		})
	}
}

// attempt is a read of item 1 that meets a fault. Its status is 0 when there is none, or none before it is given up.
func (p *process) attempt(fault string) int {
	ctx, cancel := context.WithCancel(p.t.Context())
	defer cancel()
	client, req := p.client(), p.readRequest().WithContext(ctx)
	status := make(chan int)
	go func() { status <- send(client, req) }()
	f, err := cosmostest.NamedFault(fault)
	noError(p.t, err)
	if f.Transport == cosmostest.Blackhole || f.Delay > 0 || f.Bandwidth > 0 {
		for state := (faultState{}); state.Hits == 0; {
			p.manage("GET", "/faults/f", "", &state)
		}
		cancel()
	}
	return <-status
}

func TestLog(t *testing.T) {
	p := start(t)
	client := p.client()
	p.manage("POST", "/seed", item, nil)
	p.manage("POST", "/faults", `{"id": "f", "region": "West US", "status": 503}`, nil)
	p.status(client, "East US")
	var before logState
	p.manage("GET", "/requests", "", &before)
	p.status(client, "West US")
	for query, wanted := range map[string]int{
		"": 2, "?region=west-us": 1, "?status=503": 1, "?fault=f": 1, "?operation=ReadItem": 2, "?method=put": 0, "?limit=1": 1,
		"?path=/dbs/db": 2, "?range=9": 0, "?account=true": 0, "?canceled=false": 2, "?subStatus=0": 2, "?since=1h": 2,
		"?since=" + before.Requests[0].Time.Format(time.RFC3339Nano): 1,
	} {
		var log logState
		p.manage("GET", "/requests"+query, "", &log)
		want(t, "the number of requests with "+query, log.Count, wanted)
		want(t, "the length of the list with "+query, len(log.Requests), wanted)
	}
	var log logState
	p.manage("GET", "/requests?limit=1&full=true", "", &log)
	want(t, "the fault", log.Requests[0].Fault, "f")
	want(t, "the header", log.Requests[0].Headers.Get("x-ms-documentdb-partitionkey"), `["a"]`)
	p.manage("DELETE", "/requests", "", &log)
	want(t, "the number of requests", log.Count, 0)
}

func TestReplication(t *testing.T) {
	p := start(t)
	client := p.client()
	p.manage("PUT", "/replication", `{"from": "*", "to": "*", "lag": "1h"}`, nil)
	p.manage("POST", "/replication/pause", `{"from": "East US", "to": "North Europe"}`, nil)
	resp, err := p.ask(client, "POST", p.Regions[0].Endpoint+"dbs/db/colls/items/docs",
		map[string]string{"x-ms-documentdb-partitionkey": `["a"]`}, `{"id": "1", "pk": "a"}`)
	noError(t, err)
	want(t, "the status of the write", resp.StatusCode, http.StatusCreated)
	var state struct{ Links []linkState }
	p.manage("GET", "/replication", "", &state)
	want(t, "what waits", state.Links[0], linkState{link{"East US", "West US"}, 1})
	want(t, "the status in a region that lags", p.status(client, "West US"), http.StatusNotFound)
	p.manage("PUT", "/replication", `{"from": "*", "to": "*", "lag": "0s"}`, nil)
	want(t, "the status without a lag", p.status(client, "West US"), http.StatusOK)
	want(t, "the status in a region that gets nothing", p.status(client, "North Europe"), http.StatusNotFound)
	p.manage("POST", "/replication/resume", `{"from": "*", "to": "*"}`, nil)
	want(t, "the status in the end", p.status(client, "North Europe"), http.StatusOK)
}

func TestPartitions(t *testing.T) {
	p := start(t)
	client := p.client()
	p.manage("POST", "/seed", item, nil)
	var split struct{ Children []string }
	p.manage("POST", "/split", `{"database": "db", "container": "items", "range": "0"}`, &split)
	want(t, "the number of children", len(split.Children), 2)
	var merged struct{ Merged string }
	p.manage("POST", "/merge", `{"database": "db", "container": "items", "ranges": ["`+split.Children[1]+`", "1"]}`, &merged)
	var parts struct{ Partitions []partitionState }
	p.manage("GET", "/partitions?database=db&container=items", "", &parts)
	want(t, "the number of partitions", len(parts.Partitions), 2)
	want(t, "the second one", parts.Partitions[1].ID, merged.Merged)
	want(t, "the status of a read", p.status(client, "East US"), http.StatusOK)
}
