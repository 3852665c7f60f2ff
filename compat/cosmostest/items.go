package cosmostest

import (
	"net/http"
	"strconv"
)

// documents answers a request for items.
func (w *work) documents() (*answer, error) {
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
	c, f := w.store.container(w.to.db, w.to.coll)
	if f != nil {
		return nil, f
	}
	t, f := w.begin(c)
	if f != nil {
		return nil, f
	}
	if f := w.checkSession(t.replica, t.rangeID); f != nil {
		return w.partitionAnswer(f.status, c, t.rangeID), f
	}
	res, f := t.do(o)
	if f != nil {
		return w.partitionAnswer(f.status, c, t.rangeID), f
	}
	t.commit()
	return w.itemAnswer(c, t.rangeID, res), nil
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
func (w *work) itemAnswer(c *container, rangeID string, res result) *answer {
	ans := w.partitionAnswer(res.status, c, rangeID)
	ans.header[headerCharge] = []string{formatCharge(w.op.charge(len(res.item.raw)))}
	if w.op == opDelete {
		return ans
	}
	ans.header["Etag"] = []string{res.item.etag}
	ans.header["X-Ms-Item-Lsn"] = []string{strconv.FormatInt(res.item.lsn, 10)}
	if res.status != http.StatusNotModified && !(w.op.write() && w.minimal()) {
		ans.body = res.item.raw
	}
	return ans
}

// minimal reports whether the client wants no resource back.
func (w *work) minimal() bool { return w.rec.Header.Get("Prefer") == "return=minimal" }

// partitionAnswer starts the answer of one physical partition: where it is and how far it has come.
func (w *work) partitionAnswer(status int, c *container, rangeID string) *answer {
	ans := newAnswer(status)
	ans.rangeID = rangeID
	lsn := strconv.FormatInt(c.replicas[w.region].lsn[rangeID], 10)
	h := ans.header
	h[headerSession] = []string{rangeID + ":-1#" + lsn}
	h["Lsn"] = []string{lsn}
	h["X-Ms-Cosmos-Llsn"] = []string{lsn}
	h["X-Ms-Quorum-Acked-Lsn"] = []string{lsn}
	h["X-Ms-Global-Committed-Lsn"] = []string{lsn}
	h[headerContentPath] = []string{c.rid}
	h[headerAltPath] = []string{"dbs/" + c.db + "/colls/" + c.id}
	return ans
}

// charge is what an operation on an item of a size costs, in request units.
func (o op) charge(size int) float64 {
	kib := float64(1 + size/1024)
	if o.write() {
		return 5.5 * kib
	}
	return kib
}

func formatCharge(ru float64) string { return strconv.FormatFloat(ru, 'f', -1, 64) }
