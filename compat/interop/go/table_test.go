package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	var out bytes.Buffer
	table := &table{out: &out}
	if table.err() == nil {
		t.Error("no check has run: want an error")
	}
	table.add(result{client: "a", check: "read", took: time.Second})
	if err := table.err(); err != nil {
		t.Error(err)
	}
	lines := `{"client": "b", "check": "read", "failure": "not\nfound", "seconds": 0.5}` + "\n" + `{"client": "b", "check": "write"}`
	if err := readResults(strings.NewReader(lines), table); err != nil {
		t.Fatal(err)
	}
	if err := table.err(); err == nil || err.Error() != "1 of 3 checks have failed" {
		t.Errorf("the error is %v", err)
	}
	table.print()
	want := `ok    a: read (1.00s)
FAIL  b: read (0.50s)
      not
      found
ok    b: write (0.00s)

       a         b
read   ok 1.00s  FAIL 0.50s
write  -         ok 0.00s
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := readResults(strings.NewReader("Error: it crashed"), table); err == nil {
		t.Error("a line that is no result: want an error")
	}
}

// TestChecks runs those checks of azcosmos that need no waiting for the client's own pauses.
func TestChecks(t *testing.T) {
	table := &table{out: t.Output()}
	quick := checks[:0:0]
	for _, c := range checks {
		if !slow[c.name] {
			quick = append(quick, c)
		}
	}
	path := t.TempDir() + "/cosmostest.exe"
	if err := build(t.Context(), "../../..", path); err != nil {
		t.Fatal(err)
	}
	for _, m := range makers {
		if err := with(t.Context(), path, func(p *program) error { return runChecks(t.Context(), p, m, quick, table) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.err(); err != nil {
		t.Error(err)
	}
}
