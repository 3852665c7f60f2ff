package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// checkKeys makes sure that every key in raw is a field of target, letter by letter, occurs once and is not null.
// [json.Decoder.DisallowUnknownFields] lets "Status" pass for "status", the second of two equal keys win, and null be nothing.
func checkKeys(raw json.RawMessage, target any) error {
	return checkValue(raw, reflect.TypeOf(target), "case")
}

// checkValue checks the keys of raw and of what it holds; path says where raw stands.
func checkValue(raw json.RawMessage, target reflect.Type, path string) error {
	if bytes.Equal(raw, []byte("null")) {
		return fmt.Errorf("%s is null", path)
	}
	switch target.Kind() {
	case reflect.Pointer:
		return checkValue(raw, target.Elem(), path)
	case reflect.Slice:
		return checkElements(raw, target, path)
	case reflect.Struct, reflect.Map:
		return checkMembers(raw, target, path)
	default:
		return nil
	}
}

// checkElements checks the elements of a list; what is no list is left for the decoding to refuse.
func checkElements(raw json.RawMessage, target reflect.Type, path string) error {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil
	}
	for i, element := range elements {
		if err := checkValue(element, target.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// checkMembers checks the members of an object; what is no object is left for the decoding to refuse.
func checkMembers(raw json.RawMessage, target reflect.Type, path string) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		where := path + "." + key
		if seen[key] {
			return fmt.Errorf("%s occurs twice", where)
		}
		seen[key] = true
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		kind, ok := memberType(target, key)
		if !ok {
			return fmt.Errorf("%s is unknown", where)
		}
		if err := checkValue(value, kind, where); err != nil {
			return err
		}
	}
	return nil
}

// memberType tells the type of what a struct or map holds under key.
func memberType(target reflect.Type, key string) (reflect.Type, bool) {
	if target.Kind() == reflect.Map {
		return target.Elem(), true
	}
	for field := range target.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name == key {
			return field.Type, true
		}
	}
	return nil, false
}
