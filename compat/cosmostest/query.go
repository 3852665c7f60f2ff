package cosmostest

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// defaultPage is how many items a page has when the client does not say.
const defaultPage = 100

// continuation is where the next page begins.
type continuation struct {
	rangeID string
	after   uint64 // sequence number of the last item returned
}

// String is the token that the client sends back.
func (c continuation) String() string {
	return string(encode(map[string]any{"range": c.rangeID, "after": c.after}))
}

// parseContinuation reads a token; what it cannot read is the start.
func parseContinuation(token string) continuation {
	var v struct {
		Range string `json:"range"`
		After uint64 `json:"after"`
	}
	_ = json.Unmarshal([]byte(token), &v)
	return continuation{v.Range, v.After}
}

// queryText is the body of a query.
type queryText struct {
	Query      string `json:"query"`
	Parameters []struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	} `json:"parameters"`
}

// parseBody reads the query of a request.
func (w *work) parseBody() (*statement, map[string]any, *failure) {
	var text queryText
	if f := decode(w.rec.Body, &text); f != nil {
		return nil, nil, f
	}
	st, f := parseQuery(text.Query)
	if f != nil {
		return nil, nil, f
	}
	params := map[string]any{}
	for _, p := range text.Parameters {
		params[p.Name] = p.Value
	}
	return st, params, nil
}

// query answers a query for items.
func (w *work) query() (*answer, error) {
	st, params, f := w.parseBody()
	if f != nil {
		return nil, f
	}
	return w.page(st, params)
}

// readItems answers the list of items, a query for everything.
func (w *work) readItems() (*answer, error) { return w.page(&statement{top: -1}, nil) }

// page answers one page of a query. A page comes from one physical partition; COUNT goes over all of them.
func (w *work) page(st *statement, params map[string]any) (*answer, error) {
	w.store.mu.RLock()
	defer w.store.mu.RUnlock()
	c, f := w.store.container(w.to.db, w.to.coll)
	if f != nil {
		return nil, f
	}
	sc, f := c.scopeOf(w.rec)
	if f != nil {
		return nil, f
	}
	r := c.replicas[w.region]
	if f := w.checkSession(r, sc.first()); f != nil {
		return w.partitionAnswer(f.status, c, sc.first()), f
	}
	docs, at, next := w.collect(c, r, sc, st, params)
	if st.count {
		docs = [][]byte{encode(len(docs))}
	}
	ans := w.partitionAnswer(http.StatusOK, c, at)
	if next != nil {
		ans.header[headerContinuation] = []string{next.String()}
	}
	ans.header[headerItemCount] = []string{strconv.Itoa(len(docs))}
	ans.header[headerCharge] = []string{formatCharge(2.5 + 0.1*float64(len(docs)))}
	ans.body = feed(c.rid, "Documents", docs)
	return ans, nil
}

// collect gathers the results of a page, the partition they come from, and where the next page begins (nil: nowhere).
func (w *work) collect(c *container, r *replica, sc scope, st *statement, params map[string]any) (docs [][]byte, at string, next *continuation) {
	from := parseContinuation(w.rec.Header.Get(headerContinuation))
	limit := w.pageSize()
	for i, rangeID := range sc.ranges {
		at = rangeID
		var last uint64
		for _, it := range c.scan(r, sc, rangeID) {
			if rangeID == from.rangeID && it.seq <= from.after || !matches(st.where, it.doc, params) {
				continue
			}
			if st.top >= 0 && len(docs) >= st.top {
				return docs, at, nil
			}
			if len(docs) >= limit && !st.count && st.top < 0 {
				return docs, at, &continuation{rangeID, last}
			}
			if doc, ok := st.project(it); ok {
				docs = append(docs, doc)
			}
			last = it.seq
		}
		if len(docs) > 0 && !st.count && st.top < 0 && i+1 < len(sc.ranges) {
			return docs, at, &continuation{sc.ranges[i+1], 0}
		}
	}
	return docs, at, nil
}

// pageSize is the largest number of items in a page.
func (w *work) pageSize() int {
	n, err := strconv.Atoi(w.rec.Header.Get(headerMaxItems))
	switch {
	case err != nil || n == 0:
		return defaultPage
	case n < 0:
		return 1 << 30 // "dynamic": everything
	}
	return n
}

// project is what the query selects of an item; false when it is undefined.
func (st *statement) project(it *item) ([]byte, bool) {
	if len(st.fields) == 0 {
		return it.raw, true
	}
	if st.value {
		v, ok := st.fields[0].path.eval(it.doc, nil)
		return encode(v), ok
	}
	out := map[string]any{}
	for _, fd := range st.fields {
		if v, ok := fd.path.eval(it.doc, nil); ok {
			out[fd.name] = v
		}
	}
	return encode(out), true
}

// queryPlan answers a client that wants to distribute a query itself: nothing needs to be merged, in all of the space.
func (w *work) queryPlan() (*answer, error) {
	if _, _, f := w.parseBody(); f != nil {
		return nil, f
	}
	ans := newAnswer(http.StatusOK)
	ans.body = encode(map[string]any{
		"partitionedQueryExecutionInfoVersion": 2,
		"queryInfo": map[string]any{
			"distinctType": "None", "top": nil, "offset": nil, "limit": nil, "orderBy": []any{}, "orderByExpressions": []any{},
			"groupByExpressions": []any{}, "groupByAliases": []any{}, "aggregates": []any{},
			"groupByAliasToAggregateType": map[string]any{}, "rewrittenQuery": "", "hasSelectValue": false,
		},
		"queryRanges": []any{map[string]any{"min": "", "max": "FF", "isMinInclusive": true, "isMaxInclusive": false}},
	})
	return ans, nil
}
