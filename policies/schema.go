package policies

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// ParseSettings reads settings from JSON. It is strict: a field that does not
// exist, a value of another type and a value that makes no sense are errors
// that name the field and what is allowed. An empty object is all defaults, and
// null is the default of a field. A "$schema" at the top, which editors look
// for, is allowed and ignored; docs/settings.schema.json is that schema.
func ParseSettings(document []byte) (*Settings, error) {
	var raw json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(string(document)))
	if err := decoder.Decode(&raw); err != nil {
		return nil, fmt.Errorf("settings: not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("settings: there is something behind the JSON object: want one object")
	}
	s := new(Settings)
	if err := s.decode("", raw); err != nil {
		return nil, err
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// schemaField is where a document may say which schema it follows.
const schemaField = "$schema"

// decode fills the settings whose paths begin with prefix from a JSON object.
func (s *Settings) decode(prefix string, raw json.RawMessage) error {
	if prefix != "" && string(raw) == "null" {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return fmt.Errorf("settings: %s is %s: want an object", objectName(prefix), raw)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if prefix == "" && name == schemaField {
			continue
		}
		if err := s.decodeMember(prefix, name, members[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Settings) decodeMember(prefix, name string, raw json.RawMessage) error {
	path := prefix + name
	if i := slices.IndexFunc(fields, func(f field) bool { return f.path == path }); i >= 0 {
		if string(raw) == "null" {
			return nil
		}
		if err := json.Unmarshal(raw, fields[i].of(s)); err != nil {
			return fmt.Errorf("settings: %s is %s: want %s", path, raw, fields[i].want())
		}
		return nil
	}
	known := members(prefix)
	if !slices.Contains(known, name) {
		return fmt.Errorf("settings: %s does not exist: want %s", path, strings.Join(known, ", "))
	}
	return s.decode(path+".", raw)
}

// members lists what an object may have, sorted.
func members(prefix string) []string {
	var list []string
	for i := range fields {
		if rest, ok := strings.CutPrefix(fields[i].path, prefix); ok {
			name, _, _ := strings.Cut(rest, ".")
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func objectName(prefix string) string {
	if prefix == "" {
		return "the document"
	}
	return strings.TrimSuffix(prefix, ".")
}

// validate reports the first value that makes no sense.
func (s *Settings) validate() error {
	for i := range fields {
		if err := fields[i].check(s); err != nil {
			return err
		}
	}
	return nil
}

// check reports a value that makes no sense.
func (f *field) check(s *Settings) error {
	switch v := f.of(s).(type) {
	case *int:
		if !f.allows(float64(*v)) {
			return f.outside(*v)
		}
	case *float64:
		if !f.allows(*v) {
			return f.outside(*v)
		}
	case *Duration:
		if !f.allows(float64(*v)) {
			return f.outside(*v)
		}
	case *[]string:
		for i, name := range *v {
			if strings.TrimSpace(name) == "" {
				return fmt.Errorf("settings: %s[%d] is empty: want the name of a region, such as \"East US\"", f.path, i)
			}
		}
	}
	return nil
}

// allows reports whether a number is 0, negative where that means something, or
// within the bounds. Something that is no number is none of these.
func (f *field) allows(v float64) bool {
	return v == 0 || v < 0 && f.negative != "" || v >= f.least && v > 0 && v <= f.most
}

func (f *field) outside(value any) error {
	note := ""
	if f.negative != "" {
		note = ", negative for off"
	}
	return fmt.Errorf("settings: %s is %v: want %s (0 for the default%s)", f.path, value, f.bounds(), note)
}
