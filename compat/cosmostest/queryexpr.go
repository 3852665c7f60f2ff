package cosmostest

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
)

// expr is a condition or a value in a WHERE clause. eval returns false when the value is undefined, which no condition
// is true of.
type expr interface {
	eval(doc map[string]any, params map[string]any) (any, bool)
}

type (
	constant  struct{ value any }
	parameter string
	path      []string
	compare   struct {
		op   string
		a, b expr
	}
	membership struct {
		value expr
		list  []expr
	}
	logical struct {
		op   string // AND, OR
		a, b expr
	}
	negation struct{ e expr }
	typeTest struct {
		name string // IS_NULL, IS_DEFINED
		e    expr
	}
)

func (e constant) eval(_, _ map[string]any) (any, bool) { return e.value, true }

func (e parameter) eval(_, params map[string]any) (any, bool) {
	v, ok := params[string(e)]
	return v, ok
}

func (e path) eval(doc, _ map[string]any) (any, bool) {
	v := any(doc)
	for _, name := range e {
		switch t := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = t[name]; !ok {
				return nil, false
			}
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(t) {
				return nil, false
			}
			v = t[n]
		default:
			return nil, false
		}
	}
	return v, true
}

func (e compare) eval(doc, params map[string]any) (any, bool) {
	a, okA := e.a.eval(doc, params)
	b, okB := e.b.eval(doc, params)
	if !okA || !okB {
		return nil, false
	}
	switch e.op {
	case "=":
		return equal(a, b), true
	case "!=", "<>":
		return !equal(a, b), true
	}
	order, ok := compareValues(a, b)
	if !ok {
		return nil, false
	}
	switch e.op {
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	case ">":
		return order > 0, true
	}
	return order >= 0, true
}

func (e membership) eval(doc, params map[string]any) (any, bool) {
	v, ok := e.value.eval(doc, params)
	if !ok {
		return nil, false
	}
	for _, candidate := range e.list {
		if c, ok := candidate.eval(doc, params); ok && equal(v, c) {
			return true, true
		}
	}
	return false, true
}

func (e logical) eval(doc, params map[string]any) (any, bool) {
	a := isTrue(e.a, doc, params)
	if e.op == "AND" {
		return a && isTrue(e.b, doc, params), true
	}
	return a || isTrue(e.b, doc, params), true
}

func (e negation) eval(doc, params map[string]any) (any, bool) {
	v, ok := e.e.eval(doc, params)
	truth, isBool := v.(bool)
	return !truth, ok && isBool
}

func (e typeTest) eval(doc, params map[string]any) (any, bool) {
	v, ok := e.e.eval(doc, params)
	if e.name == "IS_NULL" {
		return ok && v == nil, true
	}
	return ok, true
}

func isTrue(e expr, doc, params map[string]any) bool {
	v, ok := e.eval(doc, params)
	return ok && v == true
}

// matches reports whether the condition is true of doc.
func matches(e expr, doc, params map[string]any) bool {
	return e == nil || isTrue(e, doc, params)
}

func equal(a, b any) bool {
	if order, ok := compareValues(a, b); ok {
		return order == 0
	}
	return reflect.DeepEqual(a, b)
}

// compareValues orders two numbers or two strings.
func compareValues(a, b any) (int, bool) {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		x, errA := a.Float64()
		y, errB := b.Float64()
		return cmp.Compare(x, y), ok && errA == nil && errB == nil
	case string:
		b, ok := b.(string)
		return cmp.Compare(a, b), ok
	}
	return 0, false
}
