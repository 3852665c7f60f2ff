package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestHelpLines sends what each curl line of the help does.
func TestHelpLines(t *testing.T) {
	p := start(t)
	p.manage("PUT", "/account", `{"ppaf": true}`, nil) // for the failover of a partition
	sent := 0
	for line := range strings.Lines(apiHelp) {
		args, ok := strings.CutPrefix(strings.TrimSpace(line), "curl ")
		if !ok {
			continue
		}
		sent++
		method, url, body := curl(t, args)
		if strings.Contains(url, "/failover") {
			p.manage("PUT", "/account", `{"multiWrite": false, "writeRegions": ["East US"]}`, nil)
		}
		if status, answer := p.call(method, url, body); status != http.StatusOK {
			t.Errorf("curl %s: %d %s", args, status, answer)
		}
	}
	want(t, "that there are lines", sent > 30, true)
}

// curl takes the arguments of a curl line apart.
func curl(t *testing.T, args string) (method, url, body string) {
	t.Helper()
	method = "GET"
	for args != "" {
		var arg string
		switch args = strings.TrimSpace(args); args[0] {
		case '\'', '"':
			arg, args, _ = strings.Cut(args[1:], args[:1])
		default:
			arg, args, _ = strings.Cut(args, " ")
		}
		switch {
		case arg == "-X" || arg == "-d":
		case strings.HasPrefix(arg, "$API"):
			url = arg[len("$API"):]
		case url == "":
			method = arg
		default:
			body = arg
		}
	}
	return method, url, body
}

// refusals are requests that a program answers with 400.
var refusals = []struct {
	request, body  string
	field, allowed string // of the answer; the latter a part of it
}{
	{"PUT /account", `{"regionz": []}`, "regionz", "regions, writeRegions"},
	{"PUT /account", `{"Regions": []}`, "Regions", "regions, writeRegions"},
	{"PUT /account", `{"ppaf": "yes"}`, "ppaf", "true, false"},
	{"PUT /account", `{"ppaf": null}`, "ppaf", "true, false"},
	{"PUT /account", `{"ppaf": true, "ppaf": false}`, "ppaf", "once"},
	{"PUT /account", `{"writeRegions": ["Mars"]}`, "writeRegions[0]", "East US"},
	{"PUT /account", `{"consistency": "Great"}`, "consistency", "Eventual"},
	{"PUT /account", `{"replicationLag": "-1s"}`, "replicationLag", "not negative"},
	{"PUT /account", `[]`, "", "an object"},
	{"PUT /account", ``, "", ""},
	{"POST /failover", `{}`, "to", "West US"},
	{"POST /failover", `{"to": "Mars"}`, "to", "West US"},
	{"POST /failover", `{"to": "West US", "range": "0"}`, "database", ""},
	{"POST /failover", `{"to": "West US", "database": "db", "container": "items", "range": "0"}`, "", ""}, // no ppaf
	{"POST /regions/East%20US/stop", `{}`, "", "no body"},
	{"POST /regions/East%20US", ``, "", ""},
	{"DELETE /regions/East%20US", ``, "", ""}, // the only write region
	{"PUT /faults", `{}`, "", "a list"},
	{"PUT /faults", `[{"status": 503}, {"state": 503}]`, "[1].state", "status"},
	{"PUT /faults", `[{"id": "a", "status": 503}, {"id": "a", "status": 503}]`, "[1].id", "once"},
	{"PUT /faults", `[{"status": 503, "region": "Mars"}]`, "[0].region", "West US"},
	{"POST /faults", `{"fault": "bad"}`, "fault", "leaseNotFound"},
	{"POST /faults", `{"transport": "bad"}`, "transport", "blackhole"},
	{"POST /faults", `{"transport": 1}`, "transport", "blackhole"},
	{"POST /faults", `{"status": 503, "operations": ["Read"]}`, "operations[0]", "ReadItem"},
	{"POST /faults", `{"status": 1000}`, "status", "200 to 599"},
	{"POST /faults", `{"status": 503, "subStatus": -1}`, "subStatus", "0 or more"},
	{"POST /faults", `{"status": 503, "percent": 101}`, "percent", "100"},
	{"POST /faults", `{"status": 503, "probability": 2}`, "probability", "1"},
	{"POST /faults", `{"status": 503, "times": -1}`, "times", "more"},
	{"POST /faults", `{"status": 503, "skip": -1}`, "skip", "more"},
	{"POST /faults", `{"delay": "1s", "bandwidth": -1}`, "bandwidth", "bytes"},
	{"POST /faults", `{"status": 503, "delay": 3}`, "delay", "250ms"},
	{"POST /faults", `{"status": 503, "headers": {"a": 1}}`, "headers.a", "a string"},
	{"POST /faults", `{"subStatus": 1002}`, "status", "subStatus"},
	{"POST /faults", `{"status": 503, "transport": "reset"}`, "transport", "truncated"},
	{"POST /faults", `{"region": "East US"}`, "", "at least one"},
	{"PUT /replication", `{"from": "*", "to": "Mars", "lag": "1s"}`, "to", "West US"},
	{"PUT /replication", `{"from": "*", "to": "*"}`, "lag", "250ms"},
	{"POST /replication/pause", `{"from": "Mars", "to": "*"}`, "from", "West US"},
	{"POST /replication/pause", `{"from": "East US", "to": "East US"}`, "", ""},
	{"POST /seed", `{"container": "items", "items": []}`, "database", "a name"},
	{"POST /seed", `{"database": "db", "container": "none", "items": []}`, "", ""},
	{"POST /seed", `{"database": "db", "container": "items", "items": [{"id": 1}]}`, "", ""},
	{"GET /items?database=db", ``, "container", "a name"},
	{"GET /items?database=db&container=items&region=Mars", ``, "", ""},
	{"GET /items?database=db&container=items&size=1", ``, "size", "region"},
	{"GET /conflicts?database=db&container=none", ``, "", ""},
	{"GET /partitions?database=db&container=none", ``, "", ""},
	{"POST /split", `{"database": "db", "container": "items"}`, "range", "a name"},
	{"POST /split", `{"database": "db", "container": "items", "range": "9"}`, "", ""},
	{"POST /merge", `{"database": "db", "container": "items", "ranges": ["0"]}`, "", ""},
	{"POST /place", `{"database": "db", "container": "items", "partitionKey": ["a", "b"], "range": "0"}`, "", ""},
	{"GET /requests?limit=0", ``, "limit", "positive"},
	{"GET /requests?since=yesterday", ``, "since", "10s"},
	{"GET /requests?region=Mars", ``, "region", "global"},
	{"GET /requests?operation=Read", ``, "operation", "ReadItem"},
	{"GET /requests?status=ok", ``, "status", "integer"},
	{"GET /requests?account=1%202", ``, "account", "true, false"},
	{"GET /requests?status=1&status=2", ``, "status", "once"},
	{"DELETE /requests?status=1", ``, "status", ""},
}

// TestRefusals: what is wrong is a 400 that names the field and what is allowed.
func TestRefusals(t *testing.T) {
	p := start(t)
	for _, c := range refusals {
		method, path, _ := strings.Cut(c.request, " ")
		status, answer := p.call(method, path, c.body)
		var got failure
		if err := json.Unmarshal(answer, &got); err != nil || got.Error == "" {
			t.Errorf("%s %s: the answer is %s", c.request, c.body, answer)
		}
		if status != http.StatusBadRequest || got.Field != c.field || !strings.Contains(got.Allowed, c.allowed) {
			t.Errorf("%s %s: %d %+v, want 400 with field %q and allowed …%s…", c.request, c.body, status, got, c.field, c.allowed)
		}
	}
}

func TestNotFound(t *testing.T) {
	p := start(t)
	for _, request := range []string{
		"GET /none", "DELETE /healthz", "GET /faults/none", "POST /faults/none/enable", "DELETE /faults/none",
		"POST /regions/Mars/stop", "DELETE /regions/Mars",
	} {
		method, path, _ := strings.Cut(request, " ")
		status, answer := p.call(method, path, "")
		if status != http.StatusNotFound || !strings.Contains(string(answer), `"error": "`) {
			t.Errorf("%s: %d %s, want a 404 that says why", request, status, answer)
		}
	}
}

// TestBrowsers: a web page must not reach the management API.
func TestBrowsers(t *testing.T) {
	p := start(t)
	for name, header := range map[string]http.Header{
		"another origin":            {"Origin": {"https://example.com"}},
		"another site":              {"Sec-Fetch-Site": {"cross-site"}},
		"a name made for 127.0.0.1": {"Host": {"example.com"}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", p.Management+"/regions/East%20US/stop", nil)
		noError(t, err)
		req.Header, req.Host = header, header.Get("Host")
		resp, err := http.DefaultClient.Do(req)
		noError(t, err)
		noError(t, resp.Body.Close())
		want(t, "the status for "+name, resp.StatusCode, http.StatusForbidden)
	}
}
