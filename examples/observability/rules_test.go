package main

import (
	"context"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/template"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/util/annotations"
	"go.yaml.in/yaml/v3"
)

// ruleTests is the file format of promtool test rules, as far as ours goes. It
// is run here with Prometheus's own engine, so that promtool is not needed.
type ruleTests struct {
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	RuleFiles          []string       `yaml:"rule_files"`
	Tests              []ruleTest
}

type ruleTest struct {
	Name        string
	Interval    model.Duration
	InputSeries []struct{ Series, Values string } `yaml:"input_series"`
	Alerts      []struct {
		EvalTime model.Duration `yaml:"eval_time"`
		Name     string         `yaml:"alertname"`
		Want     []alert        `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
}

type alert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

func (a alert) equal(b alert) bool {
	return maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations)
}

func TestAlerts(t *testing.T) {
	file, err := os.Open("prometheus/alerts_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var tests ruleTests
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&tests); err != nil {
		t.Fatal(err)
	}
	untested := map[string]rulefmt.Rule{}
	for _, rule := range rules(t) {
		untested[rule.Alert] = rule
	}
	all := maps.Clone(untested)
	for _, test := range tests.Tests {
		t.Run(test.Name, func(t *testing.T) {
			data := series(t, &test)
			for _, want := range test.Alerts {
				rule, ok := all[want.Name]
				if !ok {
					t.Fatalf("no alert %s", want.Name)
				}
				if len(want.Want) > 0 {
					delete(untested, want.Name)
				}
				for i := range want.Want {
					want.Want[i].Labels["alertname"] = want.Name
				}
				got := firing(t, data, rule, time.Duration(tests.EvaluationInterval), time.Duration(want.EvalTime))
				if !slices.EqualFunc(got, want.Want, alert.equal) {
					t.Errorf("%s at %v:\ngot  %+v\nwant %+v", want.Name, want.EvalTime, got, want.Want)
				}
			}
		})
	}
	if len(untested) > 0 {
		t.Errorf("no test makes these fire: %v", slices.Sorted(maps.Keys(untested)))
	}
}

// firing evaluates a rule from the beginning to a time, as Prometheus does.
func firing(t *testing.T, data storage.Queryable, rule rulefmt.Rule, interval, at time.Duration) []alert {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{Logger: slog.New(slog.DiscardHandler), MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	since := map[string]time.Duration{}
	var alerts []alert
	for now := time.Duration(0); now <= at; now += interval {
		query, err := engine.NewInstantQuery(t.Context(), data, nil, rule.Expr, time.UnixMilli(now.Milliseconds()))
		if err != nil {
			t.Fatal(err)
		}
		result, err := query.Exec(t.Context()).Vector()
		if err != nil {
			t.Fatal(err)
		}
		active := map[string]time.Duration{}
		alerts = nil
		for _, sample := range result {
			key := sample.Metric.String()
			began, ok := since[key]
			if !ok {
				began = now
			}
			if active[key] = began; now-began >= time.Duration(rule.For) {
				alerts = append(alerts, newAlert(t, rule, sample))
			}
		}
		since = active
	}
	return alerts
}

// newAlert fills the templates of a rule.
func newAlert(t *testing.T, rule rulefmt.Rule, sample promql.Sample) alert {
	t.Helper()
	a := alert{Labels: map[string]string{"alertname": rule.Alert}, Annotations: map[string]string{}}
	sample.Metric.Range(func(l labels.Label) {
		if l.Name != model.MetricNameLabel {
			a.Labels[l.Name] = l.Value
		}
	})
	own := maps.Clone(a.Labels)
	delete(own, "alertname")
	maps.Copy(a.Labels, rule.Labels)
	data := template.AlertTemplateData(own, nil, "", sample)
	defs := strings.Join([]string{"{{$labels := .Labels}}", "{{$value := .Value}}"}, "")
	for name, text := range rule.Annotations {
		filled, err := template.NewTemplateExpander(t.Context(), defs+text, name, data, 0, nil, new(url.URL), nil).Expand()
		if err != nil {
			t.Fatal(err)
		}
		a.Annotations[name] = filled
	}
	return a
}

// memory is a storage of series that a test made up.
type memory []storage.Series

func (m memory) Querier(int64, int64) (storage.Querier, error) { return querier{m}, nil }

type querier struct{ memory }

func (querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) Close() error { return nil }

// Select returns the series that match. The engine takes the samples it needs.
func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found []storage.Series
	for _, s := range q.memory {
		if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Labels().Get(m.Name)) }) {
			found = append(found, s)
		}
	}
	return &seriesSet{list: found, at: -1}
}

type seriesSet struct {
	list []storage.Series
	at   int
}

func (s *seriesSet) Next() bool                        { s.at++; return s.at < len(s.list) }
func (s *seriesSet) At() storage.Series                { return s.list[s.at] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// series makes the input series of a test.
func series(t *testing.T, test *ruleTest) memory {
	t.Helper()
	var m memory
	for _, input := range test.InputSeries {
		lset, values, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(input.Series + " " + input.Values)
		if err != nil {
			t.Fatalf("%s: %v", input.Series, err)
		}
		chunk := chunkenc.NewXORChunk()
		to, err := chunk.Appender()
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if !v.Omitted {
				to.Append(0, time.Duration(i*int(test.Interval)).Milliseconds(), v.Value)
			}
		}
		m = append(m, &storage.SeriesEntry{Lset: lset, SampleIteratorFn: chunk.Iterator})
	}
	return m
}
