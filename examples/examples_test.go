// Package examples_test runs the examples as their readers do.
package examples_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build compiles all examples and returns the folder that they are in.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

func run(t *testing.T, name string, args ...string) (stdout string, status int) {
	t.Helper()
	cmd := exec.Command(name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	} else if ok {
		t.Logf("stderr: %s", errs.String())
		return out.String(), exit.ExitCode()
	}
	return out.String(), 0
}

func TestExamples(t *testing.T) {
	dir := build(t)
	t.Run("small", func(t *testing.T) { testSmall(t, dir) })
	t.Run("outage", func(t *testing.T) { testOutage(t, dir) })
	t.Run("outage usage", func(t *testing.T) { testUsage(t, dir) })
}

func testSmall(t *testing.T, dir string) {
	for name, want := range map[string][]string{
		"basic": {"East US: 200", "East US is gone. The read was answered 200", "East US: refused", "West US: 200"},
		"selective": {
			"throttle alone, two 429s: West US 429 West US 429 West US 200\n",
			"failover alone, a broken region: West US 500 East US 200\n",
			"session alone, a region that lags: West US 404 East US 200\n",
			"composed, a broken region: West US 500 East US 200\n",
			"composed, two 429s: West US 429 West US 429 West US 200\n",
		},
		"multiregion": {
			"a read: North Europe 200\n",
			"a read without North Europe: East US 200\n",
			"an increment: North Europe 500 East US 200\n",
			"an increment that must not happen twice: North Europe 500\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, status := run(t, filepath.Join(dir, name))
			if status != 0 {
				t.Errorf("exit status is %d, want 0", status)
			}
			for _, line := range want {
				if !strings.Contains(out, line) {
					t.Errorf("output lacks %q:\n%s", line, out)
				}
			}
		})
	}
}

func testOutage(t *testing.T, dir string) {
	page := filepath.Join(t.TempDir(), "page.html")
	out, status := run(t, filepath.Join(dir, "outage"), "-scale", "0.05", "-seed", "7", "-html", page)
	if status != 0 {
		t.Errorf("exit status is %d, want 0", status)
	}
	for _, part := range []string{"azcosmos alone", "with policies", "East US refuses connections", "All in all", page} {
		if !strings.Contains(out, part) {
			t.Errorf("output lacks %q", part)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, string(html))
}

// checkPage looks at what must be on the page for everybody, offline.
func checkPage(t *testing.T, html string) {
	t.Helper()
	for _, outside := range []string{"http:", "https:", "src=", "@import", "<script", "<link"} {
		if strings.Contains(html, outside) {
			t.Errorf("the page has %q: want nothing from outside", outside)
		}
	}
	for _, part := range []string{`<html lang="en">`, "<title>", `<svg role="img" aria-labelledby="chart-title chart-desc"`, `<desc id="chart-desc">`, "<table>", "East US answers 503"} {
		if !strings.Contains(html, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	_, rest, _ := strings.Cut(html, "<svg")
	svg, _, found := strings.Cut(rest, "</svg>")
	if !found || strings.Count(svg, "<path") < 4 {
		t.Fatalf("the page has no picture")
	}
	for d := xml.NewDecoder(strings.NewReader("<svg" + svg + "</svg>")); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("the picture is not well-formed: %v", err)
		}
	}
}

func testUsage(t *testing.T, dir string) {
	for _, args := range [][]string{{"-scale", "0"}, {"-no-such-flag"}, {"surplus"}} {
		if out, status := run(t, filepath.Join(dir, "outage"), args...); status != 2 || strings.Contains(out, "phase") {
			t.Errorf("outage %v: exit status is %d, want 2 before anything begins", args, status)
		}
	}
	if out, status := run(t, filepath.Join(dir, "outage"), "-html", filepath.Join(dir, "no", "such", "folder")); status != 1 || strings.Contains(out, "phase") {
		t.Errorf("a picture that cannot be written: exit status is %d, want 1 before anything begins", status)
	}
}
