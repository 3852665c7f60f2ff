package cosmostest

import (
	"net/http"
	"strconv"
)

// defaultPage is how many items a page has when the client does not say.
const defaultPage = 100

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
func (w *work) readItems() (*answer, error) { return w.page(newStatement(), nil) }

// page answers one page of a query. A page comes from one physical partition; COUNT(1) goes over all of them.
func (w *work) page(st *statement, params map[string]any) (*answer, error) {
	w.store.mu.RLock()
	defer w.store.mu.RUnlock()
	c, f := w.container()
	if f != nil {
		return nil, f
	}
	sc, f := c.scopeOf(w.rec)
	if f != nil {
		return nil, f
	}
	if len(sc.parts) == 0 {
		return nil, fail(http.StatusNotFound, 0, "No partition has such a partition key.")
	}
	if f := w.checkSession(c, sc.parts...); f != nil {
		return w.refusal(c, sc.first(), f)
	}
	if f := w.admit(c, sc.first()); f != nil {
		return w.refusal(c, sc.first(), f)
	}
	res, f := w.evaluate(c, sc, st, params)
	if f != nil {
		return w.partitionAnswer(f.status, c, sc.first()), f
	}
	charge := w.pageChargeFor(res.docs)
	w.spend(c, res.at, charge)
	ans := w.partitionAnswer(http.StatusOK, c, res.at)
	if res.next != nil {
		ans.header[headerContinuation] = []string{res.next.String()}
	}
	ans.header[headerItemCount] = []string{strconv.Itoa(len(res.docs))}
	ans.header[headerCharge] = []string{formatCharge(charge)}
	ans.body = feed(c.rid, "Documents", res.docs)
	return ans, nil
}

// results is one page of results, the partition that they come from, and where the next page begins (nil: nowhere).
type results struct {
	docs [][]byte
	at   *partition
	next *continuation
}

// evaluate gathers the results of a page.
func (w *work) evaluate(c *container, sc scope, st *statement, params map[string]any) (results, *failure) {
	if clause := st.local(); clause != "" && len(sc.parts) > 1 {
		return results{}, fail(http.StatusBadRequest, 0, "Cross partition query with %s is not served by the gateway: it needs a "+
			"partition key, the id of one partition key range, or a client that merges the results of all partitions.", clause)
	}
	switch {
	case st.aggregate != "":
		return w.aggregated(c, sc, st, params), nil
	case st.order != nil || st.limit >= 0:
		return w.ordered(c, sc, st, params), nil
	}
	return w.collect(c, sc, st, params), nil
}

// collect gathers results in the order of the items.
func (w *work) collect(c *container, sc scope, st *statement, params map[string]any) (res results) {
	from := parseContinuation(w.rec.Header.Get(headerContinuation))
	limit := w.pageSize()
	for i, p := range sc.parts {
		res.at = p
		var last uint64
		for _, r := range c.scan(w.site, sc, p, w.now) {
			it := r.item
			if from.done(c.position(it), it.seq) || !matches(st.where, it.doc, params) {
				continue
			}
			switch {
			case st.top >= 0 && len(res.docs) >= st.top:
				return res
			case st.top < 0 && len(res.docs) >= limit:
				res.next = from.advance(p, last, false)
				return res
			}
			if doc, ok := st.project(it.doc, it.raw); ok {
				res.docs = append(res.docs, doc)
			}
			last = it.seq
		}
		if len(res.docs) > 0 && st.top < 0 && i+1 < len(sc.parts) {
			res.next = from.advance(p, 0, true)
			return res
		}
	}
	return res
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
func (st *statement) project(doc map[string]any, raw []byte) ([]byte, bool) {
	if len(st.fields) == 0 {
		return raw, true
	}
	if st.value {
		v, ok := st.fields[0].path.eval(doc, nil)
		return encode(v), ok
	}
	out := map[string]any{}
	for _, fd := range st.fields {
		if v, ok := fd.path.eval(doc, nil); ok {
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
