package cosmostest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// keyDef is the partition key definition of a container.
type keyDef struct {
	paths   []string
	kind    string // Hash or MultiHash
	version int
}

func (d keyDef) epk(key []any) string {
	switch {
	case d.kind == "MultiHash":
		return epkMulti(key)
	case d.version == 1:
		return epkV1(key)
	}
	return epkV2(key)
}

// document is the JSON form of the definition.
func (d keyDef) document() map[string]any {
	return map[string]any{"paths": d.paths, "kind": d.kind, "version": d.version}
}

// parseKey reads the partition key header, a JSON array. prefix allows fewer components than paths.
func (d keyDef) parseKey(header string, prefix bool) ([]any, *failure) {
	var values []any
	if err := json.Unmarshal([]byte(header), &values); err != nil {
		return nil, fail(http.StatusBadRequest, 0, "Partition key %s is invalid.", header)
	}
	if len(values) == 0 { // "no key": every component is undefined
		values = make([]any, len(d.paths))
		for i := range values {
			values[i] = map[string]any{}
		}
	}
	key, ok := components(values)
	if !ok || len(key) > len(d.paths) || len(key) < len(d.paths) && !(prefix && d.kind == "MultiHash") {
		return nil, fail(http.StatusBadRequest, 0, "Partition key provided either doesn't correspond to definition in "+
			"the collection or doesn't match partition key field values specified in the document: %s", header)
	}
	return key, nil
}

// components turns decoded JSON values into key components.
func components(values []any) ([]any, bool) {
	key := make([]any, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil, bool, string, float64:
			key[i] = v
		case json.Number:
			f, err := v.Float64()
			if err != nil {
				return nil, false
			}
			key[i] = f
		case map[string]any:
			if len(v) > 0 {
				return nil, false
			}
			key[i] = undefined{}
		default:
			return nil, false
		}
	}
	return key, true
}

// of extracts the partition key of an item.
func (d keyDef) of(doc map[string]any) ([]any, bool) {
	values := make([]any, len(d.paths))
	for i, path := range d.paths {
		v, ok := lookup(doc, strings.Split(path[1:], "/"))
		if !ok {
			v = map[string]any{}
		} else if m, isMap := v.(map[string]any); isMap && len(m) == 0 {
			return nil, false // an object is no key, not even the empty one that stands for undefined
		}
		values[i] = v
	}
	return components(values)
}

// lookup follows names into nested objects.
func lookup(v any, names []string) (any, bool) {
	for _, name := range names {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[name]; !ok {
			return nil, false
		}
	}
	return v, true
}

// canonical is the key as a string: equal keys, and only they, give equal strings.
func canonical(key []any) string {
	var b strings.Builder
	for _, component := range key {
		if _, ok := component.(undefined); ok {
			b.WriteString("{};")
			continue
		}
		text, _ := json.Marshal(component) // nil, bool, float64 or string: cannot fail
		b.Write(text)
		b.WriteByte(';')
	}
	return b.String()
}
