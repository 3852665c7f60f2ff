package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// played runs the program once in virtual time, and returns what it exports:
// the labels of each metric.
func played(t *testing.T) map[string]map[string]bool {
	t.Helper()
	var exported map[string]map[string]bool
	synctest.Test(t, func(t *testing.T) {
		s, err := newSignals(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		const length = 20 * time.Second
		shop, err := newShop(s, length)
		if err != nil {
			t.Fatal(err)
		}
		if err := play(t.Context(), shop, length, io.Discard); err != nil {
			t.Fatal(err)
		}
		text, err := s.scrape(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		exported = metricsIn(text)
	})
	return exported
}

var (
	sample = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	label  = regexp.MustCompile(`([a-z_]+)="`)
)

func metricsIn(text string) map[string]map[string]bool {
	metrics := map[string]map[string]bool{}
	for _, m := range sample.FindAllStringSubmatch(text, -1) {
		if metrics[m[1]] == nil {
			metrics[m[1]] = map[string]bool{}
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			metrics[m[1]][l[1]] = true
		}
	}
	return metrics
}

// Every metric and label that the dashboard and the alerts name is exported, and
// every metric that is exported is on the dashboard.
func TestDashboardAndAlertsNameWhatIsExported(t *testing.T) {
	exported := played(t)
	shown := map[string]bool{}
	for where, expr := range dashboard(t) {
		for _, name := range check(t, exported, where, expr) {
			shown[name] = true
		}
	}
	for where, expr := range alerts(t) {
		check(t, exported, where, expr)
	}
	for name := range exported {
		if !shown[family(name)] {
			t.Errorf("%s is exported, and on no panel", name)
		}
	}
	if len(exported) < 22 {
		t.Errorf("only %d series names are exported", len(exported))
	}
}

// family is the name of a metric without the part of a histogram.
func family(name string) string {
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(name, part); ok && !strings.HasSuffix(base, "instance") {
			return base
		}
	}
	return name
}

// check parses an expression and returns the metrics that it names.
func check(t *testing.T, exported map[string]map[string]bool, where, expr string) (names []string) {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$database", ".*", "$container", ".*").Replace(expr))
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return nil
	}
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		v, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		if exported[v.Name] == nil {
			t.Errorf("%s: %s is not exported", where, v.Name)
			return nil
		}
		for _, m := range v.LabelMatchers {
			if m.Name != model.MetricNameLabel && m.Name != "job" && !exported[v.Name][m.Name] && !neverHere(v.Name, m.Name) {
				t.Errorf("%s: %s has no label %s", where, v.Name, m.Name)
			}
		}
		names = append(names, family(v.Name))
		return nil
	})
	if len(names) == 0 {
		t.Errorf("%s names no metric: %s", where, expr)
	}
	return names
}

// neverHere reports a label that exists, but not in this program: its account
// can always be read.
func neverHere(metric, label string) bool {
	return metric == "cosmosretry_topology_refreshes_total" && label == "error_type"
}

// dashboard lists the expressions of the dashboard's panels.
func dashboard(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.ReadFile("grafana/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr, RefID string }
		}
	}
	if err := json.Unmarshal(file, &board); err != nil {
		t.Fatal(err)
	}
	exprs, ids, places := map[string]string{}, map[int]bool{}, map[string]bool{}
	for _, p := range board.Panels {
		place := fmt.Sprint(p.GridPos)
		if ids[p.ID] || places[place] || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %q has the id or the place of another one", p.Title)
		}
		ids[p.ID], places[place] = true, true
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %q shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			exprs[p.Title+" "+target.RefID] = target.Expr
		}
	}
	return exprs
}

// alerts lists the expressions of the alerts.
func alerts(t *testing.T) map[string]string {
	t.Helper()
	exprs := map[string]string{}
	for _, rule := range rules(t) {
		exprs[rule.Alert] = rule.Expr
	}
	return exprs
}

func rules(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile("prometheus/alerts.yml", false, model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	if groups == nil || len(groups.Groups) != 1 {
		t.Fatal("want one group of alerts")
	}
	return groups.Groups[0].Rules
}
