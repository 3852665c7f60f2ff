package failover

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables in the documentation")

// The files that hold the table, between these marks.
var documents = []struct {
	path, begin, end string
	format           func() string
}{
	{"doc.go", "// # The rules\n//\n", "//\n// # How regions are chosen", packageTable},
	{"../../docs/decisions.md", "<!-- rules: begin -->\n", "<!-- rules: end -->", markdownTable},
	{"../../README.md", "<!-- rules: begin -->\n", "<!-- rules: end -->", markdownTable},
}

// TestTables keeps the documentation the same as the rules. After a change of
// the rules, go generate ./policies/failover rewrites it.
func TestTables(t *testing.T) {
	for _, d := range documents {
		t.Run(d.path, func(t *testing.T) {
			content, err := os.ReadFile(d.path)
			if err != nil {
				t.Fatal(err)
			}
			before, rest, ok := strings.Cut(string(content), d.begin)
			old, after, closed := strings.Cut(rest, d.end)
			if !ok || !closed {
				t.Fatalf("%s has no place for the table: want %q and %q", d.path, d.begin, d.end)
			}
			table := d.format()
			if old == table {
				return
			}
			if !*update {
				t.Fatalf("%s is not what the rules say; run go generate ./policies/failover", d.path)
			}
			if err := os.WriteFile(d.path, []byte(before+d.begin+table+d.end+after), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func (r *rule) cells() [5]string {
	return [5]string{r.answer(), r.class.String(), r.account.String(), r.actionName(), r.effectNames()}
}

var header = [5]string{"answer", "operations", "accounts", "action", "what the cache learns"}

func packageTable() string {
	rows := [][5]string{header}
	for i := range rules {
		rows = append(rows, rules[i].cells())
	}
	var width [5]int
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", width[i]-len([]rune(cell))+2))
		}
		fmt.Fprintf(&b, "//\t%s\n", strings.TrimRight(line.String(), " "))
	}
	return b.String()
}

func markdownTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|---|---|---|---|---|\n", strings.Join(header[:], " | "))
	for i := range rules {
		cells := rules[i].cells()
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells[:], " | "))
	}
	return b.String()
}

func (r *rule) answer() string {
	switch {
	case r.status == noAnswer && r.sent == notSent:
		return "no answer, surely not sent"
	case r.status == noAnswer:
		return "no answer, perhaps sent"
	case r.status == status5xx:
		return "5xx"
	case r.subStatus == anySubStatus:
		return fmt.Sprint(r.status)
	}
	return fmt.Sprintf("%d/%d", r.status, r.subStatus)
}

func (c class) String() string {
	return map[class]string{
		reads: "reads", anyWrite: "all writes", anyClass: "all",
		once: "stored procedures, opted-out writes", reads | writes: "reads, other writes",
	}[c]
}

func (a account) String() string {
	return map[account]string{singleWrite: "single-write", multiWrite: "multi-write", anyAccount: "all"}[a]
}

func (r *rule) actionName() string {
	return map[action]string{
		surface:  "surfaces after one request",
		failOver: "next region, 3 retries",
		followUp: "next region, 120 retries, 1 s apart",
	}[r.action]
}

func (r *rule) effectNames() string {
	names := []struct {
		effect effect
		name   string
	}{
		{partitionFailure, "partition failure"},
		{countOnce, "once per region"},
		{markEndpoint, "endpoint marked"},
		{markIfNoBreaker, "breaker off: endpoint marked"},
		{markWrites, "marked for writes"},
		{markLost, "endpoint marked"},
		{refresh, "topology read again"},
		{awaitRefresh, "the retry waits for it"},
		{lookAround, "topology read again"},
	}
	var list []string
	for _, n := range names {
		if r.effects&n.effect != 0 {
			list = append(list, n.name)
		}
	}
	if list == nil {
		return "nothing"
	}
	return strings.Join(list, ", ")
}
