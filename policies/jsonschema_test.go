package policies

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// schema is what the published schema uses of JSON Schema.
type schema struct {
	Type                 any                `json:"type"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties *bool              `json:"additionalProperties"`
	Items                *schema            `json:"items"`
	Pattern              string             `json:"pattern"`
	Minimum, Maximum     *float64
	Default              any
}

// accepts is a validator for that much.
func (s *schema) accepts(v any) bool {
	types := fmt.Sprint(s.Type)
	switch v := v.(type) {
	case nil:
		return strings.Contains(types, "null")
	case bool:
		return strings.Contains(types, "boolean")
	case string:
		return strings.Contains(types, "string") && regexp.MustCompile(s.Pattern).MatchString(v)
	case float64:
		whole := v == float64(int64(v))
		return (strings.Contains(types, "number") || strings.Contains(types, "integer") && whole) &&
			(s.Minimum == nil || v >= *s.Minimum) && (s.Maximum == nil || v <= *s.Maximum)
	case []any:
		return strings.Contains(types, "array") && !slices.ContainsFunc(v, func(e any) bool { return !s.Items.accepts(e) })
	case map[string]any:
		for name, value := range v {
			if s.Properties[name] == nil || !s.Properties[name].accepts(value) {
				return false
			}
		}
		return strings.Contains(types, "object")
	}
	return false
}

func TestSchemaAndParserAgree(t *testing.T) {
	var s schema
	if err := json.Unmarshal([]byte(jsonSchema()), &s); err != nil {
		t.Fatal(err)
	}
	for _, document := range schemaDocuments() {
		t.Run(document, func(t *testing.T) {
			var v any
			if err := json.Unmarshal([]byte(document), &v); err != nil {
				t.Fatal(err)
			}
			_, err := ParseSettings([]byte(document))
			if ok := s.accepts(v); ok != (err == nil) {
				t.Errorf("the schema accepts it: %v, and the parser says %v", ok, err)
			}
		})
	}
}

// schemaDocuments sets each field, alone, to one value of every kind. Durations
// out of range are left out: the schema cannot tell.
func schemaDocuments() []string {
	list := []string{`{}`, `[]`, `null`, `3`, `{"$schema": "x"}`, `{"retries": 3}`, `{"throttle": {"maxRetry": 3}}`, `{"throttle": 3}`, `{"failover": {"backend": null}}`}
	for i := range fields {
		f := &fields[i]
		values := []string{`null`, `0`, `-1`, `3`, `0.5`, `1e9`, `true`, `false`, `"0"`, `"1s"`, `"+1.5s"`, `"1"`, `"1s "`, `""`, `"East US"`, `[]`, `["East US"]`, `[" "]`, `[1]`, `{}`, `{"a": 1}`}
		if f.negative != "" {
			values = append(values, `"-1m"`)
		}
		path := strings.Split(f.path, ".")
		for _, value := range values {
			document := value
			for _, name := range slices.Backward(path) {
				document = fmt.Sprintf("{%q: %s}", name, document)
			}
			list = append(list, document)
		}
	}
	return list
}
