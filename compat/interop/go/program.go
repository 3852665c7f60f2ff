package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// accountConfig is the account that the checks are made on. Checks make what they need beyond that themselves.
const accountConfig = `{
	"name": "interop",
	"regions": ["East US", "West US", "North Europe"],
	"containers": [
		{"database": "shop", "id": "orders", "partitionKey": ["/customer"], "partitions": 3},
		{"database": "shop", "id": "small", "partitionKey": ["/customer"], "throughput": 400}
	]
}`

// program is a running cosmostest.
type program struct {
	Endpoint   string `json:"endpoint"`
	Key        string `json:"key"`
	CA         string `json:"ca"`
	Management string `json:"management"`

	line []byte // that it said all of this with
}

// build compiles cosmostest.
func build(ctx context.Context, root, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", to, "./compat/cosmostest/cmd/cosmostest")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build cosmostest: %w\n%s", err, out)
	}
	return nil
}

// with runs the program for as long as use takes.
func with(ctx context.Context, path string, use func(*program) error) (err error) {
	config := filepath.Join(filepath.Dir(path), "account.json")
	if err := os.WriteFile(config, []byte(accountConfig), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, "-stdin", "-config", config)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stdin.Close(), cmd.Wait()) }()
	p := &program{}
	if p.line, err = bufio.NewReader(stdout).ReadBytes('\n'); err != nil {
		return fmt.Errorf("cosmostest is not ready: %w", err)
	}
	if err := json.Unmarshal(p.line, p); err != nil {
		return fmt.Errorf("cosmostest says %q: %w", p.line, err)
	}
	return use(p)
}

// manage sends a request to the management API; from and to may be nil.
func (p *program) manage(ctx context.Context, method, path string, from, to any) error {
	var body io.Reader
	if from != nil {
		data, err := json.Marshal(from)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.Management+"/"+path, body)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, answer)
	}
	if err != nil || to == nil {
		return err
	}
	return json.Unmarshal(answer, to)
}

// request is a request as the log has it.
type request struct {
	Time      time.Time `json:"time"`
	Region    string    `json:"region"`
	Status    int       `json:"status"`
	SubStatus int       `json:"subStatus"`
	Transport string    `json:"transport"`
}

// attempts returns the requests for what is below a path, such as "dbs/shop/colls/orders/docs".
func (p *program) attempts(ctx context.Context, path string) ([]request, error) {
	var log struct {
		Requests []request `json:"requests"`
	}
	err := p.manage(ctx, "GET", "requests?path="+url.QueryEscape(path), nil, &log)
	return log.Requests, err
}

// repair makes the account what it was at the start, but for its items.
func (p *program) repair(ctx context.Context) error {
	regions := []string{"East US", "West US", "North Europe"}
	account := map[string]any{"regions": regions, "writeRegions": regions[:1], "multiWrite": false, "ppaf": false}
	err := errors.Join(
		p.manage(ctx, "PUT", "faults", []any{}, nil),
		p.manage(ctx, "PUT", "account", account, nil),
		p.manage(ctx, "PUT", "replication", map[string]string{"from": "*", "to": "*", "lag": "0s"}, nil),
		p.manage(ctx, "POST", "replication/resume", map[string]string{"from": "*", "to": "*"}, nil),
	)
	for _, region := range append(regions, "global") {
		err = errors.Join(err, p.manage(ctx, "POST", "regions/"+url.PathEscape(region)+"/start", nil, nil))
	}
	return errors.Join(err, p.manage(ctx, "DELETE", "requests", nil, nil))
}
