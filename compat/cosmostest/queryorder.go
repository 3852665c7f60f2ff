package cosmostest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// tail reads ORDER BY and OFFSET LIMIT.
func (p *parser) tail(st *statement) *failure {
	if p.peek().is("ORDER") && len(p.tokens) > 1 && p.tokens[1].is("BY") {
		p.next()
		p.next()
		if f := p.orderBy(st); f != nil {
			return f
		}
	}
	if !p.accept("OFFSET") {
		return nil
	}
	var f *failure
	if st.offset, f = p.count("OFFSET"); f != nil {
		return f
	}
	if f := p.expect("LIMIT"); f != nil {
		return f
	}
	st.limit, f = p.count("LIMIT")
	if f == nil && st.aggregate != "" {
		return unsupported("OFFSET LIMIT with an aggregate")
	}
	return f
}

func (p *parser) orderBy(st *statement) *failure {
	if !p.peek().is(p.alias) || st.aggregate != "" {
		return unsupported("ORDER BY %q", p.peek().text)
	}
	path, f := p.path()
	if f != nil {
		return f
	}
	if st.order = path[1:]; len(st.order) == 0 {
		return unsupported("ORDER BY without a path")
	}
	if st.desc = p.accept("DESC"); !st.desc {
		p.accept("ASC")
	}
	if p.peek().is(",") {
		return unsupported("ORDER BY with more than one path")
	}
	return nil
}

// count reads the number of a clause.
func (p *parser) count(clause string) (int, *failure) {
	n, err := strconv.Atoi(p.next().text)
	if err != nil || n < 0 {
		return 0, unsupported("%s without a number", clause)
	}
	return n, nil
}

// ordered gathers the results of a query with an order or an offset. Its continuation counts results: what changes
// between two pages shifts them.
func (w *work) ordered(c *container, sc scope, st *statement, params map[string]any) results {
	var rows []row
	for _, r := range c.scan(w.site, sc, sc.first(), w.now) {
		if matches(st.where, r.item.doc, params) {
			rows = append(rows, r)
		}
	}
	if st.order != nil {
		slices.SortStableFunc(rows, func(a, b row) int {
			order := st.compare(a.item.doc, b.item.doc)
			if st.desc {
				return -order
			}
			return order
		})
	}
	rows = rows[min(st.offset, len(rows)):]
	for _, limit := range []int{st.limit, st.top} {
		if limit >= 0 {
			rows = rows[:min(limit, len(rows))]
		}
	}
	res := results{at: sc.first()}
	skip := min(max(0, parseContinuation(w.rec.Header.Get(headerContinuation)).Skip), len(rows))
	end := min(len(rows)-skip, w.pageSize()) + skip
	for _, r := range rows[skip:end] {
		if doc, ok := st.project(r.item.doc, r.item.raw); ok {
			res.docs = append(res.docs, doc)
		}
	}
	if end < len(rows) {
		res.next = &continuation{Skip: end}
	}
	return res
}

// compare orders two items by the path of ORDER BY.
func (st *statement) compare(a, b map[string]any) int {
	x, okX := st.order.eval(a, nil)
	y, okY := st.order.eval(b, nil)
	return compareAny(x, okX, y, okY)
}

// compareAny orders any two values as the service does: by type (undefined, null, false, true, numbers, strings, arrays,
// objects), and numbers and strings by value.
func compareAny(x any, okX bool, y any, okY bool) int {
	if order := cmp.Compare(typeRank(x, okX), typeRank(y, okY)); order != 0 {
		return order
	}
	order, _ := compareValues(x, y)
	return order
}

func typeRank(v any, defined bool) int {
	switch v := v.(type) {
	case nil:
		if !defined {
			return 0
		}
		return 1
	case bool:
		if v {
			return 3
		}
		return 2
	case json.Number:
		return 4
	case string:
		return 5
	case []any:
		return 6
	}
	return 7
}
