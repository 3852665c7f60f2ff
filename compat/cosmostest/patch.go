package cosmostest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// patch is a partial document update.
type patch struct {
	Condition  string    `json:"condition"`
	Operations []patchOp `json:"operations"`

	condition expr
}

type patchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// maxPatchOps is the service's limit.
const maxPatchOps = 10

func parsePatch(body []byte) (*patch, *failure) {
	p := &patch{}
	into := any(p)
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		into = &p.Operations // without a condition, the list alone will do
	}
	if f := decode(body, into); f != nil {
		return nil, f
	}
	if n := len(p.Operations); n == 0 || n > maxPatchOps {
		return nil, fail(http.StatusBadRequest, 0, "A patch has 1 to %d operations, this one has %d.", maxPatchOps, n)
	}
	if p.Condition != "" {
		cond, f := parseCondition(p.Condition)
		if f != nil {
			return nil, f
		}
		p.condition = cond
	}
	return p, nil
}

// apply returns a patched copy of doc.
func (p *patch) apply(doc map[string]any) (map[string]any, *failure) {
	if !matches(p.condition, doc, nil) {
		return nil, fail(http.StatusPreconditionFailed, 0, "One of the specified pre-condition is not met: %s", p.Condition)
	}
	out := copyJSON(doc).(map[string]any)
	for _, o := range p.Operations {
		if f := o.apply(out); f != nil {
			return nil, f
		}
	}
	return out, nil
}

func (o patchOp) apply(doc map[string]any) *failure {
	if o.Op == "move" {
		v, ok := lookup(doc, pointer(o.From))
		if !ok {
			return o.refuse("there is nothing at from")
		}
		if f := (patchOp{Op: "remove", Path: o.From}).apply(doc); f != nil {
			return f
		}
		return patchOp{Op: "add", Path: o.Path, Value: v}.apply(doc)
	}
	names := pointer(o.Path)
	if len(names) == 0 || isSystemProperty(names[0]) {
		return o.refuse("the path is empty or a system property")
	}
	at, last := path(names[:len(names)-1]), names[len(names)-1]
	parent, ok := at.eval(doc, nil)
	if !ok {
		return o.refuse("its parent does not exist")
	}
	switch parent := parent.(type) {
	case map[string]any:
		return o.applyMember(parent, last)
	case []any:
		changed, f := o.applyElement(parent, last)
		if f == nil {
			setAt(doc, at, changed)
		}
		return f
	}
	return o.refuse("its parent is no object and no array")
}

// applyMember changes a property of an object.
func (o patchOp) applyMember(parent map[string]any, name string) *failure {
	old, exists := parent[name]
	switch o.Op {
	case "add", "set":
		parent[name] = copyJSON(o.Value)
	case "replace", "remove":
		if !exists {
			return o.refuse("there is nothing at the path")
		}
		if o.Op == "remove" {
			delete(parent, name)
		} else {
			parent[name] = copyJSON(o.Value)
		}
	case "incr":
		sum, f := o.increment(old, exists)
		if f != nil {
			return f
		}
		parent[name] = sum
	default:
		return o.refuse("the operation is none of add, set, replace, remove, incr, move")
	}
	return nil
}

// applyElement changes an element of an array and returns the new array.
func (o patchOp) applyElement(array []any, name string) ([]any, *failure) {
	n, err := strconv.Atoi(name)
	if name == "-" {
		n, err = len(array), nil
	}
	if err != nil || n < 0 || n > len(array) || n == len(array) && o.Op != "add" && o.Op != "set" {
		return nil, o.refuse("there is no element " + name)
	}
	switch o.Op {
	case "add":
		return append(array[:n:n], append([]any{copyJSON(o.Value)}, array[n:]...)...), nil
	case "remove":
		return append(array[:n:n], array[n+1:]...), nil
	case "incr":
		sum, f := o.increment(array[n], true)
		if f != nil {
			return nil, f
		}
		array[n] = sum
		return array, nil
	case "set", "replace":
		if n == len(array) {
			return append(array, copyJSON(o.Value)), nil
		}
		array[n] = copyJSON(o.Value)
		return array, nil
	}
	return nil, o.refuse("the operation is none of add, set, replace, remove, incr, move")
}

// increment adds the operation's value to old; a missing property counts as 0.
func (o patchOp) increment(old any, exists bool) (json.Number, *failure) {
	if !exists {
		old = json.Number("0")
	}
	a, okA := old.(json.Number)
	b, okB := o.Value.(json.Number)
	if !okA || !okB {
		return "", o.refuse("only numbers can be incremented, by numbers")
	}
	if x, err := a.Int64(); err == nil {
		if y, err := b.Int64(); err == nil {
			return json.Number(strconv.FormatInt(x+y, 10)), nil
		}
	}
	x, _ := a.Float64()
	y, _ := b.Float64()
	return json.Number(strconv.FormatFloat(x+y, 'g', -1, 64)), nil
}

func (o patchOp) refuse(why string) *failure {
	return fail(http.StatusBadRequest, 0, "Patch operation %s of %q cannot be carried out: %s.", o.Op, o.Path, why)
}

// pointer splits a JSON pointer.
func pointer(path string) []string {
	if path == "" || path[0] != '/' {
		return nil
	}
	names := strings.Split(path[1:], "/")
	for i := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(names[i])
	}
	return names
}

func isSystemProperty(name string) bool {
	switch name {
	case "_rid", "_self", "_etag", "_ts", "_attachments":
		return true
	}
	return false
}

// setAt puts v at a path that exists.
func setAt(doc any, names []string, v any) {
	for _, name := range names[:len(names)-1] {
		switch d := doc.(type) {
		case map[string]any:
			doc = d[name]
		case []any:
			n, _ := strconv.Atoi(name)
			doc = d[n]
		}
	}
	last := names[len(names)-1]
	switch d := doc.(type) {
	case map[string]any:
		d[last] = v
	case []any:
		n, _ := strconv.Atoi(last)
		d[n] = v
	}
}
