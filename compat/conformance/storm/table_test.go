package storm

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table to the documentation")

const (
	document   = "../../../docs/operating.md"
	tableBegin = "<!-- storm: begin -->\n"
	tableEnd   = "<!-- storm: end -->"
)

// phases are the rows of the table.
var phases = []struct {
	name string
	phase
}{
	{"before", phase{0, 10}},
	{"trouble", trouble},
	{"20 s from its end on", phase{20, 40}},
	{"the next 10 s", phase{40, 50}},
	{"the next 20 s", phase{50, 70}},
}

// result is a finished run.
type result struct {
	name string
	*counter
	from int // from here on it can get well
}

// wellAgain says when it did.
func (r *result) wellAgain() string {
	if n := r.recovered(r.from, length); n >= 0 {
		return fmt.Sprintf("after %d s", n)
	}
	return "never"
}

// table is what the documentation shows.
func table(results []*result) string {
	var b strings.Builder
	b.WriteString("| clients | phase | offered/s | goodput/s | requests/s | retries/s | refused/s | failed | well again |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range results {
		for i, p := range phases {
			name, end := "", ""
			if i == 0 {
				name, end = r.name, r.wellAgain()
			}
			s, n := r.sum(p.phase), p.to-p.from
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %.0f %% | %s |\n", name, p.name,
				s.offered/n, s.good/n, s.requests/n, s.retries/n, s.refused/n, 100*s.failedShare(), end)
		}
	}
	return b.String()
}

// checkDocument keeps the documentation the same as the table.
func checkDocument(t *testing.T, table string) {
	t.Helper()
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(content), tableBegin)
	old, after, ended := strings.Cut(rest, tableEnd)
	switch {
	case !begun || !ended:
		t.Fatalf("%s has no place for the table: want %q and %q", document, tableBegin, tableEnd)
	case old == table:
	case !*update:
		t.Errorf("%s has another table; run go generate ./compat/conformance/storm", document)
	default:
		if err := os.WriteFile(document, []byte(before+tableBegin+table+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
