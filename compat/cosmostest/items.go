package cosmostest

import (
	"net/http"
	"strconv"
)

// documents answers a request for items.
func (w *work) documents() (*answer, error) {
	if f := w.readLevel(); f != nil {
		return nil, f
	}
	w.freshen()
	switch w.op {
	case opRead, opCreate, opUpsert, opReplace, opPatch, opDelete:
		return w.single()
	case opBatch:
		return w.batch()
	case opQuery:
		return w.query()
	case opQueryPlan:
		return w.queryPlan()
	case opReadFeed:
		if w.rec.Header.Get("A-Im") != "" {
			return w.changeFeed()
		}
		return w.readItems()
	}
	return nil, w.notServed()
}

// single answers a point operation.
func (w *work) single() (*answer, error) {
	o, f := w.itemOp()
	if f != nil {
		return nil, f
	}
	if w.op.write() {
		w.store.mu.Lock()
		defer w.store.mu.Unlock()
	} else {
		w.store.mu.RLock()
		defer w.store.mu.RUnlock()
	}
	c, f := w.container()
	if f != nil {
		return nil, f
	}
	t, f := w.begin(c)
	if f != nil {
		return nil, f
	}
	if f := w.admit(c, t.part); f != nil {
		return w.refusal(c, t.part, f)
	}
	res, f := t.do(o)
	if f != nil {
		w.spend(c, t.part, failureCharge)
		return w.partitionAnswer(f.status, c, t.part), f
	}
	t.commit()
	return w.itemAnswer(c, t.part, res), nil
}

// admit checks whether the region serves a request to a partition at all, apart from its kind.
func (w *work) admit(c *container, p *partition) *failure {
	if f := w.hubOnly(p); f != nil {
		return f
	}
	if f := w.checkSession(c, p); f != nil {
		return f
	}
	return w.throttled(c, p)
}

// refusal is the answer of a partition that does not serve the request.
func (w *work) refusal(c *container, p *partition, f *failure) (*answer, error) {
	ans := w.partitionAnswer(f.status, c, p)
	if f.retryAfter > 0 {
		ans.header["X-Ms-Retry-After-Ms"] = []string{strconv.FormatInt(f.retryAfter.Milliseconds(), 10)}
	}
	return ans, f
}

// itemOp reads the operation from the request.
func (w *work) itemOp() (itemOp, *failure) {
	h := w.rec.Header
	o := itemOp{op: w.op, id: w.to.id, ifMatch: h.Get("If-Match"), ifNoneMatch: h.Get("If-None-Match")}
	var f *failure
	switch w.op {
	case opCreate, opUpsert, opReplace:
		o.doc, f = decodeObject(w.rec.Body)
	case opPatch:
		o.patch, f = parsePatch(w.rec.Body)
	}
	return o, f
}

// itemAnswer is the answer to a point operation.
func (w *work) itemAnswer(c *container, p *partition, res result) *answer {
	ans := w.partitionAnswer(res.status, c, p)
	charge := w.charge(w.op, len(res.item.raw))
	w.spend(c, p, charge)
	ans.header[headerCharge] = []string{formatCharge(charge)}
	if w.op == opDelete {
		return ans
	}
	ans.header["Etag"] = []string{res.item.etag}
	ans.header["X-Ms-Item-Lsn"] = []string{strconv.FormatInt(res.lsn, 10)}
	if res.status != http.StatusNotModified && !(w.op.write() && w.minimal()) {
		ans.body = res.item.raw
	}
	return ans
}

// minimal reports whether the client wants no resource back.
func (w *work) minimal() bool { return w.rec.Header.Get("Prefer") == "return=minimal" }

// partitionAnswer starts the answer of one physical partition: where it is and how far it has come in this region.
func (w *work) partitionAnswer(status int, c *container, p *partition) *answer {
	ans := newAnswer(status)
	ans.rangeID = p.id
	seen := c.seen(p, w.site)
	lsn := strconv.FormatInt(firstLSN+seen.total(), 10)
	h := ans.header
	h[headerSession] = []string{w.sessionToken(p, seen)}
	h["Lsn"] = []string{lsn}
	h["X-Ms-Cosmos-Llsn"] = []string{lsn}
	h["X-Ms-Quorum-Acked-Lsn"] = []string{lsn}
	h["X-Ms-Global-Committed-Lsn"] = []string{lsn}
	if w.store.busy.Load() {
		h["X-Ms-Global-Committed-Lsn"] = []string{strconv.FormatInt(c.everywhere(p), 10)}
	}
	h[headerContentPath] = []string{c.rid}
	h[headerAltPath] = []string{c.path}
	return ans
}
