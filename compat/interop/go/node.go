package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// nodeMissing says what is missing to run the JavaScript client; empty means nothing.
func nodeMissing() string {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return tool + " is not installed"
		}
	}
	return ""
}

// runNode installs the JavaScript client and runs its checks.
func runNode(ctx context.Context, p *program, dir string, t *table) error {
	install := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, "node", "main.mjs")
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "NODE_EXTRA_CA_CERTS="+p.CA, "COSMOSTEST="+string(p.line))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := readResults(stdout, t)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("node main.mjs: %w", err)
	}
	return readErr
}

// readResults reads the lines that the JavaScript checks print, one JSON object each.
func readResults(r io.Reader, t *table) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var line struct {
			Client, Check, Failure string
			Seconds                float64
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("node main.mjs prints %q", lines.Text())
		}
		took := time.Duration(line.Seconds * float64(time.Second))
		t.add(result{line.Client, line.Check, strings.TrimSpace(line.Failure), took})
	}
	return lines.Err()
}
