package policies

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Setting is one setting in force.
type Setting struct {
	// Path as JSON has it: "failover.maxRetries".
	Path string
	// Value in force, as JSON would hold it; "" for a setting that is off or
	// taken from elsewhere.
	Value string
	// Default is the value that it has when nobody sets it.
	Default string
	// Set reports that the settings or the environment set it.
	Set bool
	// Meaning says what it does.
	Meaning string
}

// InForce lists all settings with the values that new operations work with.
func (s *Set) InForce() []Setting {
	settings := s.settings.Load()
	list := make([]Setting, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		setting := Setting{Path: f.path, Default: text(f.initial), Meaning: f.meaning}
		value := reflect.ValueOf(f.of(settings)).Elem()
		if setting.Set = !value.IsZero(); setting.Set {
			setting.Value = text(value.Interface())
		} else {
			setting.Value = setting.Default
		}
		list = append(list, setting)
	}
	return list
}

// text writes a value as JSON does, without the quotes of a plain string.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	}
	document, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.Trim(string(document), `"`)
}
