package main

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestProtocols(t *testing.T) {
	for _, c := range []struct {
		name, proto, scheme string
		args                []string
	}{
		{"HTTP2", "HTTP/2.0", "https://127.0.0.1:", nil},
		{"HTTP1", "HTTP/1.1", "https://127.0.0.1:", []string{"-http1"}},
		{"plain", "HTTP/1.1", "http://127.0.0.1:", []string{"-plain"}},
		{"host", "HTTP/2.0", "https://localhost:", []string{"-host", "localhost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.args...)
			resp, err := p.ask(p.client(), "GET", p.Endpoint, nil, "")
			noError(t, err)
			want(t, "the status", resp.StatusCode, http.StatusOK)
			want(t, "the protocol", resp.Proto, c.proto)
			for _, r := range p.Regions {
				want(t, "the begin of "+r.Endpoint, strings.HasPrefix(r.Endpoint, c.scheme), true)
				want(t, "that "+r.Name+" takes writes", r.Write, r.Name == "East US")
			}
			want(t, "the number of regions", len(p.Regions), 3)
			want(t, "the pid", p.PID, p.cmd.Process.Pid)
			want(t, "that there is a certificate", p.CA != "", c.name != "plain")
		})
	}
}

// TestEnd: whatever ends the program, it takes its temporary file along and says nothing more.
func TestEnd(t *testing.T) {
	for name, end := range map[string]func(*process) error{
		"end of standard input": func(p *process) error { return p.stdin.Close() },
		"SIGINT":                func(p *process) error { return p.cmd.Process.Signal(os.Interrupt) },
		"SIGTERM":               func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			noError(t, end(p))
			rest, _ := p.stdout.ReadString(0)
			noError(t, p.cmd.Wait())
			want(t, "what it says at the end", rest+p.stderr.String(), "")
			if _, err := os.Stat(p.CA); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", p.CA, err)
			}
		})
	}
}

func TestCAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ca.pem")
	p := start(t, "-ca", path)
	want(t, "the file", p.CA, path)
	pem, err := os.ReadFile(path)
	noError(t, err)
	_, served := p.call("GET", "/ca.pem", "")
	want(t, "what is served", string(served), string(pem))
	noError(t, p.stdin.Close())
	noError(t, p.cmd.Wait())
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}

// TestPorts takes the port of a program that has ended, so that it is free.
func TestPorts(t *testing.T) {
	first := start(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(first.Management, "http://"))
	noError(t, err)
	noError(t, first.stdin.Close())
	noError(t, first.cmd.Wait())
	second := start(t, "-management-port", port)
	want(t, "the management API", second.Management, first.Management)

	out, status := runToEnd(t, "-management-port", port)
	want(t, "the status without a free port", status, 1)
	want(t, "that the port is named", strings.Contains(out, port), true)

	base := freePorts(t, 4)
	third := start(t, "-port", strconv.Itoa(base), "-plain")
	want(t, "the global endpoint", third.Endpoint, "http://127.0.0.1:"+strconv.Itoa(base)+"/")
	want(t, "the last region", third.Regions[2].Endpoint, "http://127.0.0.1:"+strconv.Itoa(base+3)+"/")
}

// freePorts returns the first of n ports in a row on which nothing listens.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for base := 20000; base < 30000; base += n {
		free := 0
		for ; free < n; free++ {
			ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(base+free)))
			if err != nil {
				break
			}
			noError(t, ln.Close())
		}
		if free == n {
			return base
		}
	}
	t.Fatal("there are no free ports")
	return 0
}

func TestFlags(t *testing.T) {
	file := config(t, `{"name": "file", "regions": ["A"], "containers": [{"database": "x", "id": "y"}]}`)
	p := start(t, file, "-name", "flag", "-regions", "B, C", "-write-regions", "C", "-ppaf", "-consistency", "Eventual",
		"-container", "shop/orders:/customer,/year:4", "-container", "shop/lines")
	var state accountState
	p.manage("GET", "/account", "", &state)
	want(t, "the name", state.Name, "flag")
	want(t, "the regions", len(state.Regions), 2)
	want(t, "the write region", state.WriteRegions[0], "C")
	want(t, "ppaf", state.PPAF, true)
	want(t, "the consistency", state.Consistency, "Eventual")
	var parts struct{ Count int }
	p.manage("GET", "/partitions?database=shop&container=orders", "", &parts)
	want(t, "the number of partitions", parts.Count, 4)
	p.manage("GET", "/partitions?database=shop&container=lines", "", &parts)
	want(t, "the number of partitions", parts.Count, 1)
	status, _ := p.call("GET", "/partitions?database=x&container=y", "")
	want(t, "the file's container", status, http.StatusBadRequest)
}

func TestConfig(t *testing.T) {
	p := start(t, config(t, `{
		"name": "full", "regions": ["A", "B"], "writeRegions": ["B", "A"], "multiWrite": true, "tokens": ["t"],
		"consistency": "BoundedStaleness", "logLimit": 5, "seed": 7,
		"replicationLag": "2s", "topologyDelay": "1m", "enforceThroughput": true,
		"containers": [{
			"database": "d", "id": "c", "partitionKey": ["/k"], "partitions": 2, "hashVersion": 1, "throughput": 4000,
			"defaultTTL": -1, "conflictPath": "/v", "items": [{"id": "1", "k": 1.50, "v": 12345678901234567890}]
		}],
		"faults": [{"id": "f", "region": "a", "fault": "throttled", "enabled": false}]
	}`))
	var state accountState
	p.manage("GET", "/account", "", &state)
	want(t, "multiWrite", state.MultiWrite, true)
	want(t, "the lag", state.ReplicationLag.value().String(), "2s")
	want(t, "the delay", state.TopologyDelay.value().String(), "1m0s")
	want(t, "the log limit", state.LogLimit, 5)
	want(t, "the throughput", state.EnforceThroughput, true)
	_, items := p.call("GET", "/items?database=d&container=c&region=a", "")
	want(t, "that numbers stay as they are", bytes.Contains(items, []byte("12345678901234567890")), true)
	var faults faultList
	p.manage("GET", "/faults", "", &faults)
	want(t, "the number of faults", len(faults.Faults), 1)
	want(t, "the fault's status", faults.Faults[0].Status, 429)
	want(t, "that it is enabled", *faults.Faults[0].Enabled, false)
}

// runToEnd runs the program without waiting for it to be ready and returns what it writes, and its exit status.
func runToEnd(t *testing.T, args ...string) (string, int) {
	t.Helper()
	out, err := exec.Command(program, append([]string{"-stdin"}, args...)...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	}
	noError(t, err)
	return string(out), 0
}

func TestUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		args  []string
		wants []string // parts of the message
	}{
		{[]string{"-host", "0.0.0.0"}, []string{"-expose", "every network"}},
		{[]string{"-host", "::"}, []string{"-expose"}},
		{[]string{"-host", ""}, []string{"-host", "an IP address"}},
		{[]string{"-port", "70000"}, []string{"-port is 70000", "0 to 65535"}},
		{[]string{"-management-port", "-1"}, []string{"-management-port is -1"}},
		{[]string{"-port", "65534"}, []string{"65537"}},
		{[]string{"-no-such-flag"}, []string{"no-such-flag", "-help"}},
		{[]string{"surplus"}, []string{"surplus"}},
		{[]string{"-plain", "-ca", "x"}, []string{"-ca", "-plain"}},
		{[]string{"-container", "c"}, []string{"database/id"}},
		{[]string{"-container", "d/c:/k:x"}, []string{`"x"`}},
		{[]string{"-regions", "A,A"}, []string{"regions[1]", "once"}},
		{[]string{"-config", missing}, []string{missing}},
		{[]string{config(t, `{"regionz": []}`)}, []string{"account.json", "regionz is unknown", "regions, writeRegions"}},
		{[]string{config(t, `{"containers": [{"database": "d", "id": "c", "partitions": 0.5}]}`)}, []string{"containers[0].partitions is 0.5", "an integer"}},
		{[]string{config(t, `{"containers": [{"database": "d", "id": "c", "partitions": 5000}]}`)}, []string{"containers[0].partitions", "1 to 1024"}},
		{[]string{config(t, `{"containers": [{"database": "d", "id": "c", "items": [{"pk": 1}]}]}`)}, []string{"containers[0].items", "item 0"}},
		{[]string{config(t, `{"faults": [{"status": 99}]}`)}, []string{"faults[0].status is 99", "200 to 599"}},
		{[]string{config(t, `{"replicationLag": "soon"}`)}, []string{`replicationLag is "soon"`, "250ms"}},
		{[]string{config(t, "{\n\n}}")}, []string{"no JSON", "follows"}},
		{[]string{config(t, "{\n\"a\": ]}")}, []string{"line 2"}},
	} {
		out, status := runToEnd(t, c.args...)
		if status != 2 {
			t.Errorf("%q: status %d, want 2", c.args, status)
		}
		for _, part := range c.wants {
			if !strings.Contains(out, part) {
				t.Errorf("%q: the message lacks %q: %s", c.args, part, out)
			}
		}
	}
}

func TestHost(t *testing.T) {
	noError(t, checkHost("0.0.0.0", true))
	noError(t, checkHost("192.0.2.1", false))
	for host, wanted := range map[string]bool{
		"127.0.0.1": true, "127.1.2.3": true, "::1": true, "localhost": true, "192.0.2.1": false, "0.0.0.0": false, "example.com": false,
	} {
		want(t, "that only this machine reaches "+host, (&options{host: host}).loopback(), wanted)
	}
}

func TestHelp(t *testing.T) {
	out, status := runToEnd(t, "-help")
	want(t, "the status", status, 0)
	for _, part := range []string{"-config", "-stdin", "curl -X PUT  $API/faults", "curl -X POST $API/seed"} {
		want(t, "that help has "+part, strings.Contains(out, part), true)
	}
}
