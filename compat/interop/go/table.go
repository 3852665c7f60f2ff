package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// result is how one check of one client ended.
type result struct {
	client, check string
	failure       string // empty: none
	took          time.Duration
}

func (r *result) verdict() string {
	if r.failure != "" {
		return "FAIL"
	}
	return "ok"
}

// table is the results of all clients.
type table struct {
	out     io.Writer
	results []result
}

// add notes a result and prints its line.
func (t *table) add(r result) {
	t.results = append(t.results, r)
	fmt.Fprintf(t.out, "%-4s  %s: %s (%.2fs)\n", r.verdict(), r.client, r.check, r.took.Seconds())
	if r.failure != "" {
		fmt.Fprintf(t.out, "      %s\n", strings.ReplaceAll(r.failure, "\n", "\n      "))
	}
}

// err is nil when there are results and none of them is a failure.
func (t *table) err() error {
	failed := 0
	for _, r := range t.results {
		if r.failure != "" {
			failed++
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d of %d checks have failed", failed, len(t.results))
	case len(t.results) == 0:
		return fmt.Errorf("no check has run")
	}
	return nil
}

// print writes the table: a row for each check, a column for each client.
func (t *table) print() {
	var clients, checks []string
	cells := map[[2]string]string{}
	for _, r := range t.results {
		clients = appendNew(clients, r.client)
		checks = appendNew(checks, r.check)
		cells[[2]string{r.check, r.client}] = fmt.Sprintf("%s %.2fs", r.verdict(), r.took.Seconds())
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\n\t"+strings.Join(clients, "\t"))
	for _, check := range checks {
		row := []string{check}
		for _, client := range clients {
			row = append(row, cmp.Or(cells[[2]string{check, client}], "-"))
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush() // what goes to the screen
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
