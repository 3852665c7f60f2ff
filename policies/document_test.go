package policies

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the documentation of the settings")

const (
	settingsBegin = "<!-- settings: begin -->\n"
	settingsEnd   = "<!-- settings: end -->"
)

// The documents that come from the table, as a whole or between two marks.
var documents = []struct {
	path     string
	marked   bool
	optional bool // without the marks there is nothing to keep the same
	format   func() string
}{
	{"../docs/settings.md", true, false, fullTable},
	{"../docs/settings.schema.json", false, false, jsonSchema},
	{"../README.md", true, true, shortTable},
}

// TestSettingsDocuments keeps the documentation the same as the table of the
// settings. After a change of the table, go generate ./policies rewrites it.
func TestSettingsDocuments(t *testing.T) {
	for _, d := range documents {
		t.Run(d.path, func(t *testing.T) {
			content, err := os.ReadFile(d.path)
			if err != nil && !*update {
				t.Fatal(err)
			}
			want := d.format()
			if d.marked {
				before, rest, ok := strings.Cut(string(content), settingsBegin)
				_, after, closed := strings.Cut(rest, settingsEnd)
				if !ok && d.optional {
					return
				}
				if !ok || !closed {
					t.Fatalf("there is no place for the table: want %q and %q", settingsBegin, settingsEnd)
				}
				want = before + settingsBegin + want + settingsEnd + after
			}
			if string(content) == want {
				return
			}
			if !*update {
				t.Fatal("not what the table of the settings says; run go generate ./policies")
			}
			if err := os.WriteFile(d.path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// defaultText writes the default: "9", "30s", "true", or a remark.
func (f *field) defaultText() string {
	if d, ok := f.initial.(Duration); ok {
		return formatDuration(time.Duration(d))
	}
	return fmt.Sprint(f.initial)
}

func (f *field) variables() string {
	var names []string
	for _, v := range f.env {
		names = append(names, "`"+v.name+"`")
	}
	return strings.Join(names, ", ")
}

func table(header []string, cells func(f *field) []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for i := range fields {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells(&fields[i]), " | "))
	}
	return b.String()
}

func fullTable() string {
	return table([]string{"JSON", "type", "default", "range", "negative", "environment", "meaning"}, func(f *field) []string {
		return []string{"`" + f.path + "`", f.kind(), f.defaultText(), f.bounds(), f.negativeText(), f.variables(), f.meaning}
	})
}

func (f *field) negativeText() string {
	if f.negative == "" && f.most > 0 {
		return "not allowed"
	}
	return f.negative
}

func shortTable() string {
	return table([]string{"JSON", "default", "range", "environment"}, func(f *field) []string {
		return []string{"`" + f.path + "`", f.defaultText(), f.bounds(), f.variables()}
	})
}

// object is a JSON object that keeps its order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", m.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// durationPattern is what [time.ParseDuration] reads.
const durationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// jsonSchema writes the schema of what ParseSettings accepts, as far as JSON
// Schema can say it: a duration has a form, but no range.
func jsonSchema() string {
	root := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "Settings of the cosmosretry policies"},
		{"description", "What policies.ParseSettings and policies.WatchSettings read. In each field 0, null or absence is the default, or the field's environment variable where that is set."},
	}
	root = append(root, objectSchema("")...)
	raw, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.ReplaceAll(raw, []byte(`\u0026`), []byte("&")), "", "  "); err != nil {
		panic(err)
	}
	return b.String() + "\n"
}

func objectSchema(prefix string) object {
	var properties object
	if prefix == "" {
		properties = object{{schemaField, object{{"type", "string"}}}}
	}
	seen := map[string]bool{}
	for i := range fields {
		rest, ok := strings.CutPrefix(fields[i].path, prefix)
		name, _, nested := strings.Cut(rest, ".")
		switch {
		case !ok || seen[name]:
		case nested:
			properties = append(properties, member{name, objectSchema(prefix + name + ".")})
		default:
			properties = append(properties, member{name, fields[i].schema()})
		}
		seen[name] = seen[name] || ok
	}
	kind := any([]string{"object", "null"})
	if prefix == "" {
		kind = "object"
	}
	return object{{"type", kind}, {"additionalProperties", false}, {"properties", properties}}
}

func (f *field) schema() object {
	text := strings.ToUpper(f.meaning[:1]) + f.meaning[1:] + ". Default: " + f.defaultText() + "."
	if bounds := f.bounds(); bounds != "" {
		text += " Range: " + bounds + "."
	}
	if f.negative != "" {
		text += " Negative: " + f.negative + "."
	}
	o := object{{"description", text}}
	switch f.of(new(Settings)).(type) {
	case *int:
		o = append(o, member{"type", []string{"integer", "null"}})
	case *float64:
		o = append(o, member{"type", []string{"number", "null"}})
	case *Duration:
		o = append(o, member{"type", []string{"string", "null"}}, member{"pattern", durationPattern})
	case *[]string:
		o = append(o, member{"type", []string{"array", "null"}}, member{"items", object{{"type", "string"}, {"pattern", `\S`}}})
	case **bool:
		o = append(o, member{"type", []string{"boolean", "null"}})
	}
	if f.kind() == "whole number" || f.kind() == "number" {
		if f.negative == "" {
			o = append(o, member{"minimum", 0})
		}
		o = append(o, member{"maximum", f.most})
	}
	if _, text := f.initial.(string); !text {
		o = append(o, member{"default", f.initial})
	}
	return o
}
