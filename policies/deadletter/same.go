package deadletter

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// systemProperties are what the service adds to an item.
var systemProperties = []string{"_rid", "_self", "_etag", "_ts", "_attachments", "_lsn"}

// sameItem reports whether a stored item is what a write would have stored.
func sameItem(stored, written []byte) bool {
	a, okA := parse(stored).(map[string]any)
	b, okB := parse(written).(map[string]any)
	if !okA || !okB {
		return false
	}
	for _, name := range systemProperties {
		delete(a, name)
		delete(b, name)
	}
	return reflect.DeepEqual(a, b)
}

// equalJSON reports whether two documents say the same.
func equalJSON(a, b []byte) bool {
	parsedA, parsedB := parse(a), parse(b)
	return parsedA != nil && reflect.DeepEqual(parsedA, parsedB)
}

// parse reads JSON, nil when it is none. Numbers are what the service stores:
// a float64, or what was written where that cannot hold it.
func parse(document []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return nil
	}
	return numbers(v)
}

func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbers(v[name])
		}
	}
	return v
}
