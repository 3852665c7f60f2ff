package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// fieldError says which field of a JSON document, or which parameter, is wrong and what is allowed there.
type fieldError struct {
	field   string // such as "faults[0].delay"; empty for the document itself
	problem string // such as `is "soon"`
	allowed string
}

// Error is the field, what is wrong with it and what is allowed.
func (e *fieldError) Error() string {
	field := e.field
	if field == "" {
		field = "the document"
	}
	if e.allowed == "" {
		return field + " " + e.problem
	}
	return field + " " + e.problem + "; allowed: " + e.allowed
}

// constrained is a type that says which values it has.
type constrained interface{ allowed() string }

// decodeStrict fills what target points to from a JSON document. Unlike [json.Unmarshal] it takes fields by their exact
// names only, each once, and no null; its errors are [*fieldError].
func decodeStrict(data []byte, target any) error {
	if err := wellFormed(data); err != nil {
		return &fieldError{problem: "is no JSON: " + err.Error()}
	}
	return fill(data, reflect.ValueOf(target).Elem(), "")
}

// wellFormed tells where a document that is not one JSON value goes wrong.
func wellFormed(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("it is empty")
		}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Errorf("%w in line %d", err, 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")))
		}
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows it")
	}
	return nil
}

// fill decodes raw, which stands at path, into v.
func fill(raw json.RawMessage, v reflect.Value, path string) error {
	switch _, own := v.Addr().Interface().(json.Unmarshaler); {
	case own || v.Kind() == reflect.Interface:
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(raw, v.Elem(), path)
	case v.Kind() == reflect.Struct:
		return fillStruct(raw, v, path)
	case v.Kind() == reflect.Slice:
		return fillSlice(raw, v, path)
	case v.Kind() == reflect.Map:
		return fillMap(raw, v, path)
	}
	return fillLeaf(raw, v, path)
}

// fillLeaf decodes what has no fields or elements of ours.
func fillLeaf(raw json.RawMessage, v reflect.Value, path string) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if string(raw) != "null" || v.Kind() == reflect.Interface {
		err := decoder.Decode(v.Addr().Interface())
		if wrong, ok := errors.AsType[*fieldError](err); ok {
			return &fieldError{joinPath(path, wrong.field), wrong.problem, wrong.allowed}
		}
		if err == nil {
			return nil
		}
	}
	return wrongValue(raw, v.Type(), path)
}

func fillStruct(raw json.RawMessage, v reflect.Value, path string) error {
	return members(raw, v.Type(), path, func(key string, value json.RawMessage) error {
		field, ok := fieldByName(v, key)
		if !ok {
			return &fieldError{joinPath(path, key), "is unknown", strings.Join(fieldNames(v.Type()), ", ")}
		}
		return fill(value, field, joinPath(path, key))
	})
}

func fillMap(raw json.RawMessage, v reflect.Value, path string) error {
	v.Set(reflect.MakeMap(v.Type()))
	return members(raw, v.Type(), path, func(key string, value json.RawMessage) error {
		element := reflect.New(v.Type().Elem()).Elem()
		if err := fill(value, element, joinPath(path, key)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(key), element)
		return nil
	})
}

func fillSlice(raw json.RawMessage, v reflect.Value, path string) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil || elements == nil {
		return wrongValue(raw, v.Type(), path)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	for i, element := range elements {
		if err := fill(element, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// members calls each with the members of an object, in order.
func members(raw json.RawMessage, want reflect.Type, path string, each func(string, json.RawMessage) error) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return wrongValue(raw, want, path)
	}
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // the keys of well-formed JSON are
		if seen[key] {
			return &fieldError{joinPath(path, key), "occurs twice", "every field once"}
		}
		seen[key] = true
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if err := each(key, value); err != nil {
			return err
		}
	}
	return nil
}

func joinPath(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

// fieldByName finds the field with a JSON name, in embedded structs, too.
func fieldByName(v reflect.Value, name string) (reflect.Value, bool) {
	for field, value := range v.Fields() {
		if field.Anonymous {
			if inner, ok := fieldByName(value, name); ok {
				return inner, true
			}
		} else if jsonName(field) == name {
			return value, true
		}
	}
	return reflect.Value{}, false
}

// fieldNames lists the JSON names of a struct's fields, in order.
func fieldNames(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		if field.Anonymous {
			names = append(names, fieldNames(field.Type)...)
		} else {
			names = append(names, jsonName(field))
		}
	}
	return names
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// wrongValue says what may stand where raw does.
func wrongValue(raw json.RawMessage, want reflect.Type, path string) *fieldError {
	text := string(bytes.TrimSpace(raw))
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return &fieldError{path, "is " + text, allowedFor(want)}
}

func allowedFor(t reflect.Type) string {
	if c, ok := reflect.New(t).Interface().(constrained); ok {
		return c.allowed()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true, false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}
