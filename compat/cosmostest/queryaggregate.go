package cosmostest

import (
	"encoding/json"
	"strconv"
)

func isAggregate(name string) bool {
	switch name {
	case "COUNT", "SUM", "MIN", "MAX", "AVG":
		return true
	}
	return false
}

// aggregate reads NAME(path) or COUNT(1).
func (p *parser) aggregate(st *statement, name string) *failure {
	st.aggregate = name
	p.next()
	p.next()
	switch t := p.peek(); {
	case name == "COUNT" && t.kind == tokenNumber && t.text == "1":
		p.next()
	case t.kind == tokenWord && !p.tokens[1].is("("):
		path, f := p.path()
		if f != nil {
			return f
		}
		st.fields = []field{{name, path}}
	default:
		return unsupported("the aggregate %s of %q", name, t.text)
	}
	return p.expect(")")
}

// aggregated computes the aggregate of a query: one result, or none when it is undefined.
func (w *work) aggregated(c *container, sc scope, st *statement, params map[string]any) results {
	fold := &aggregation{name: st.aggregate}
	for _, p := range sc.parts {
		for _, r := range c.scan(w.site, sc, p, w.now) {
			if !matches(st.where, r.item.doc, params) {
				continue
			}
			if len(st.fields) == 0 {
				fold.add(json.Number("1"))
			} else if v, ok := st.fields[0].path.eval(r.item.doc, nil); ok {
				fold.add(v)
			}
		}
	}
	res := results{at: sc.first()}
	if v, ok := fold.result(); ok {
		res.docs = [][]byte{encode(v)}
	}
	return res
}

// aggregation folds values into one. Undefined values are not added.
type aggregation struct {
	name    string
	n       int
	sum     float64
	whole   int64 // sum of integers
	inexact bool  // something was no integer
	invalid bool  // something was no number
	best    any
}

func (a *aggregation) add(v any) {
	a.n++
	switch a.name {
	case "MIN", "MAX":
		order := compareAny(v, true, a.best, a.n > 1)
		if a.n == 1 || a.name == "MIN" && order < 0 || a.name == "MAX" && order > 0 {
			a.best = v
		}
	case "SUM", "AVG":
		number, ok := v.(json.Number)
		x, err := number.Float64()
		if !ok || err != nil {
			a.invalid = true
			return
		}
		a.sum += x
		i, err := number.Int64()
		a.whole += i
		a.inexact = a.inexact || err != nil
	}
}

// result is the aggregate; false when it is undefined, as the average of nothing and the sum of strings are.
func (a *aggregation) result() (any, bool) {
	switch {
	case a.name == "COUNT":
		return a.n, true
	case a.invalid, a.n == 0 && a.name != "SUM":
		return nil, false
	case a.name == "MIN" || a.name == "MAX":
		return a.best, true
	case a.name == "SUM" && !a.inexact:
		return a.whole, true
	case a.name == "AVG":
		return json.Number(strconv.FormatFloat(a.sum/float64(a.n), 'g', -1, 64)), true
	}
	return json.Number(strconv.FormatFloat(a.sum, 'g', -1, 64)), true
}
