package cosmostest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// maxBody is the size of the largest request that the service takes.
const maxBody = 2 << 20

// decode reads one JSON value into v, numbers as json.Number.
func decode(body []byte, v any) *failure {
	if len(body) > maxBody {
		return fail(http.StatusRequestEntityTooLarge, 0, "Request size is too large: %d bytes, at most %d.", len(body), maxBody)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	err := dec.Decode(v)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one JSON value")
		}
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("a JSON %s cannot stand at %q", mismatch.Value, mismatch.Field)
	}
	if err != nil {
		return fail(http.StatusBadRequest, 0, "The request body is not the JSON that is expected here: %v", err)
	}
	return nil
}

// decodeObject reads a JSON object.
func decodeObject(body []byte) (map[string]any, *failure) {
	var doc map[string]any
	if f := decode(body, &doc); f != nil {
		return nil, f
	}
	if doc == nil {
		return nil, fail(http.StatusBadRequest, 0, "The request body is null; a JSON object is expected here.")
	}
	return doc, nil
}

// decoded turns strings, bools, ints, and lists and maps of them into what decode makes of their JSON.
func decoded(v any) any {
	switch v := v.(type) {
	case int:
		return json.Number(strconv.Itoa(v))
	case []string:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = e
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = decoded(e)
		}
		return out
	}
	return v
}

// decodedObject is decoded for an object.
func decodedObject(v map[string]any) map[string]any { return decoded(v).(map[string]any) }

// encode writes v without escaping HTML, as the service does. v holds what decode can make, which always encodes.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// copyJSON is a deep copy of a decoded JSON value.
func copyJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = copyJSON(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = copyJSON(e)
		}
		return out
	}
	return v
}

// feed is the body of a list of resources.
func feed(rid, name string, docs [][]byte) []byte {
	var b bytes.Buffer
	b.WriteString(`{"_rid":`)
	b.Write(encode(rid))
	b.WriteString(`,"` + name + `":[`)
	b.Write(bytes.Join(docs, []byte(",")))
	b.WriteString(`],"_count":`)
	b.Write(encode(len(docs)))
	b.WriteString("}")
	return b.Bytes()
}
