package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// program is the path of the built program.
var program string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cosmostest")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "cosmostest.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// process is a running program.
type process struct {
	readiness
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader
	stderr bytes.Buffer
}

// start runs the program until the test ends, and returns once it is ready. It always has -stdin.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(program, append([]string{"-stdin"}, args...)...)}
	stdin, err := p.cmd.StdinPipe()
	noError(t, err)
	stdout, err := p.cmd.StdoutPipe()
	noError(t, err)
	p.stdin, p.stdout = stdin, bufio.NewReader(stdout)
	p.cmd.Stderr = &p.stderr
	noError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = p.cmd.Wait() // an error when the test has waited already
	})
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatalf("the program is not ready: %v; it says %s", err, &p.stderr)
	}
	noError(t, decodeStrict(line, &p.readiness))
	return p
}

// config writes a config file and returns the flag for it.
func config(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "account.json")
	noError(t, os.WriteFile(path, []byte(text), 0o600))
	return "-config=" + path
}

// call sends a request to the management API and returns the status and the body of the answer.
func (p *process) call(method, path, body string) (int, []byte) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.Management+path, strings.NewReader(body))
	noError(p.t, err)
	resp, err := http.DefaultClient.Do(req)
	noError(p.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	noError(p.t, err)
	return resp.StatusCode, answer
}

// manage is call for what must succeed; to may be nil.
func (p *process) manage(method, path, body string, to any) {
	p.t.Helper()
	status, answer := p.call(method, path, body)
	if status != http.StatusOK {
		p.t.Fatalf("%s %s %s: %d %s", method, path, body, status, answer)
	}
	if to != nil {
		noError(p.t, json.Unmarshal(answer, to))
	}
}

// client trusts the program's certificates and nothing else. Its connections end with the test.
func (p *process) client() *http.Client {
	p.t.Helper()
	transport := &http.Transport{ForceAttemptHTTP2: true}
	if p.CA != "" {
		pem, err := os.ReadFile(p.CA)
		noError(p.t, err)
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	p.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// ask sends a signed request to one of the account's endpoints and returns the answer without its body.
func (p *process) ask(client *http.Client, method, url string, header map[string]string, body string) (*http.Response, error) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, url, strings.NewReader(body))
	noError(p.t, err)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	signer, err := cosmostest.NewAccount(nil)
	noError(p.t, err)
	noError(p.t, signer.Sign(req))
	resp, err := client.Do(req)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	return resp, err
}

// status is ask for a read of item 1 of the default account in a region.
func (p *process) status(client *http.Client, region string) int {
	p.t.Helper()
	for _, r := range p.Regions {
		if r.Name != region {
			continue
		}
		key := map[string]string{"x-ms-documentdb-partitionkey": `["a"]`}
		resp, err := p.ask(client, "GET", r.Endpoint+"dbs/db/colls/items/docs/1", key, "")
		noError(p.t, err)
		return resp.StatusCode
	}
	p.t.Fatalf("no region %q", region)
	return 0
}

// readRequest is a signed request for item 1 of the default account in its first region.
func (p *process) readRequest() *http.Request {
	req, err := http.NewRequestWithContext(p.t.Context(), "GET", p.Regions[0].Endpoint+"dbs/db/colls/items/docs/1", nil)
	noError(p.t, err)
	req.Header.Set("x-ms-documentdb-partitionkey", `["a"]`)
	signer, err := cosmostest.NewAccount(nil)
	noError(p.t, err)
	noError(p.t, signer.Sign(req))
	return req
}

// send sends a request and returns the status of the answer if all of it arrives, else 0.
func send(client *http.Client, req *http.Request) int {
	resp, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want fails the test unless got is wanted.
func want[T comparable](t testing.TB, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s is %v, want %v", what, got, wanted)
	}
}

// compact is JSON without white space.
func compact(t *testing.T, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	noError(t, json.Compact(&out, data))
	return out.String()
}
