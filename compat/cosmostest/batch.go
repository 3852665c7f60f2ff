package cosmostest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// batchOp is one operation of a batch as it is sent.
type batchOp struct {
	OperationType string          `json:"operationType"`
	ID            string          `json:"id"`
	IfMatch       string          `json:"ifMatch"`
	IfNoneMatch   string          `json:"ifNoneMatch"`
	PartitionKey  string          `json:"partitionKey"` // of a bulk request, whose operations may have several
	ResourceBody  json.RawMessage `json:"resourceBody"`
}

// batchResult is one operation of a batch as it is answered.
type batchResult struct {
	StatusCode    int             `json:"statusCode"`
	SubStatusCode int             `json:"subStatusCode,omitempty"`
	RequestCharge float64         `json:"requestCharge"`
	ETag          string          `json:"eTag,omitempty"`
	ResourceBody  json.RawMessage `json:"resourceBody,omitempty"`
}

// maxBatchOps is the service's limit.
const maxBatchOps = 100

var batchTypes = map[string]op{
	"create": opCreate, "upsert": opUpsert, "replace": opReplace, "patch": opPatch, "delete": opDelete, "read": opRead,
}

// batch answers a transactional batch, or a bulk request (a batch that is not atomic, for one physical partition).
func (w *work) batch() (*answer, error) {
	var ops []batchOp
	if f := decode(w.rec.Body, &ops); f != nil {
		return nil, f
	}
	if n := len(ops); n == 0 || n > maxBatchOps {
		return nil, fail(http.StatusBadRequest, 0, "A batch has 1 to %d operations, this one has %d.", maxBatchOps, n)
	}
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	c, f := w.container()
	if f != nil {
		return nil, f
	}
	if strings.EqualFold(w.rec.Header.Get("X-Ms-Cosmos-Batch-Atomic"), "false") {
		return w.bulk(c, ops)
	}
	t, f := w.begin(c)
	if f != nil {
		return nil, f
	}
	if f := w.admit(c, t.part); f != nil {
		return w.refusal(c, t.part, f)
	}
	results, ok := w.runAtomic(t, ops)
	if ok {
		t.commit()
	}
	return w.batchAnswer(c, t.part, results), nil
}

// runAtomic carries out all operations or none: after the first failure the others are failed dependencies.
func (w *work) runAtomic(t *txn, ops []batchOp) ([]batchResult, bool) {
	results := make([]batchResult, len(ops))
	for i, o := range ops {
		results[i] = w.runOne(t, o)
		if results[i].StatusCode >= 400 {
			for j := range results {
				if j != i {
					results[j] = batchResult{StatusCode: http.StatusFailedDependency}
				}
			}
			return results, false
		}
	}
	return results, true
}

// bulk carries out operations one by one, each with its own partition key.
func (w *work) bulk(c *container, ops []batchOp) (*answer, error) {
	part, f := c.rangeByID(w.rec.Range)
	if f != nil {
		return nil, f
	}
	w.route(part)
	if f := w.admit(c, part); f != nil {
		return w.refusal(c, part, f)
	}
	results := make([]batchResult, len(ops))
	for i, o := range ops {
		header := o.PartitionKey
		if header == "" {
			header = w.rec.Header.Get(headerPartitionKey)
		}
		key, f := c.def.parseKey(header, false)
		if f != nil {
			results[i] = batchResult{StatusCode: f.status, SubStatusCode: f.subStatus}
			continue
		}
		t := w.beginAt(c, key)
		if t.part != part {
			results[i] = batchResult{StatusCode: http.StatusGone, SubStatusCode: 1002}
			continue
		}
		results[i] = w.runOne(t, o)
		t.commit()
	}
	return w.batchAnswer(c, part, results), nil
}

// runOne carries out one operation of a batch.
func (w *work) runOne(t *txn, b batchOp) batchResult {
	o := itemOp{op: batchTypes[strings.ToLower(b.OperationType)], id: b.ID, ifMatch: b.IfMatch, ifNoneMatch: b.IfNoneMatch}
	var f *failure
	switch o.op {
	case opNone:
		f = fail(http.StatusBadRequest, 0, "Batch operation type %q is none of Create, Upsert, Replace, Patch, Delete, Read.", b.OperationType)
	case opCreate, opUpsert, opReplace:
		o.doc, f = decodeObject(b.ResourceBody)
	case opPatch:
		o.patch, f = parsePatch(b.ResourceBody)
	}
	var res result
	if f == nil {
		res, f = t.do(o)
	}
	if f != nil {
		return batchResult{StatusCode: f.status, SubStatusCode: f.subStatus}
	}
	out := batchResult{StatusCode: res.status, RequestCharge: w.charge(o.op, len(res.item.raw))}
	if o.op != opDelete {
		out.ETag = res.item.etag
		if !w.minimal() || o.op == opRead {
			out.ResourceBody = res.item.raw
		}
	}
	return out
}

func (w *work) batchAnswer(c *container, p *partition, results []batchResult) *answer {
	ans := w.partitionAnswer(http.StatusOK, c, p)
	var charge float64
	for _, r := range results {
		charge += r.RequestCharge
		if r.StatusCode >= 400 {
			ans.status = http.StatusMultiStatus
		}
	}
	charge = max(failureCharge, charge)
	w.spend(c, p, charge)
	ans.header[headerCharge] = []string{formatCharge(charge)}
	ans.header[headerItemCount] = []string{string(encode(len(results)))}
	ans.body = encode(results)
	return ans
}
