package cosmostest

import (
	"net/http"
	"strings"
)

// txn is a set of item operations on one logical partition that become visible together or not at all. A single item
// operation is a txn of one. It lives while the store's lock is held.
type txn struct {
	store   *store
	c       *container
	replica *replica // of the region that serves the request
	key     []any
	keyText string
	rangeID string
	staged  map[string]*item // nil: deleted
	order   []string         // ids in order of their last write
}

// itemOp is one operation of a txn.
type itemOp struct {
	op                   op
	id                   string
	doc                  map[string]any // of create, upsert and replace
	patch                *patch
	ifMatch, ifNoneMatch string
}

// result is how an itemOp that did not fail ended.
type result struct {
	status int
	item   *item // the item as it is now; the last version for a delete
}

// begin opens a txn on the key of a request. The caller holds the store's lock.
func (w *work) begin(c *container) (*txn, *failure) {
	if w.rec.Header.Get(headerPartitionKey) == "" {
		return nil, fail(http.StatusBadRequest, 0, "PartitionKey value must be supplied for this operation.")
	}
	sc, f := c.scopeOf(w.rec)
	if f != nil {
		return nil, f
	}
	if !sc.full {
		return nil, fail(http.StatusBadRequest, 1001, "The partition key supplied has fewer components than defined in the collection.")
	}
	return w.beginAt(c, sc.key), nil
}

func (w *work) beginAt(c *container, key []any) *txn {
	return &txn{
		store: w.store, c: c, replica: c.replicas[w.region], key: key, keyText: canonical(key),
		rangeID: c.rangeFor(key), staged: map[string]*item{},
	}
}

func (t *txn) get(id string) *item {
	if it, ok := t.staged[id]; ok {
		return it
	}
	return t.replica.get(t.keyText, id)
}

func (t *txn) stage(id string, it *item) {
	t.staged[id] = it
	t.order = append(t.order, id)
}

// commit makes the staged changes visible.
func (t *txn) commit() {
	if len(t.order) == 0 {
		return
	}
	changes := make([]change, 0, len(t.staged))
	for i, id := range t.order {
		last := true
		for _, later := range t.order[i+1:] {
			last = last && later != id
		}
		if last {
			changes = append(changes, change{key: t.keyText, id: id, item: t.staged[id]})
		}
	}
	t.c.commit(t.rangeID, changes)
}

// do carries out one operation.
func (t *txn) do(o itemOp) (result, *failure) {
	if o.op == opCreate || o.op == opUpsert {
		if f := validID(o.doc); f != nil {
			return result{}, f
		}
		o.id = o.doc["id"].(string)
	}
	old := t.get(o.id)
	if f := precondition(o, old); f != nil {
		return result{}, f
	}
	switch o.op {
	case opRead:
		if o.ifNoneMatch != "" && o.ifNoneMatch == old.etag {
			return result{http.StatusNotModified, old}, nil
		}
		return result{http.StatusOK, old}, nil
	case opDelete:
		t.stage(o.id, nil)
		return result{http.StatusNoContent, old}, nil
	case opPatch:
		doc, f := o.patch.apply(old.doc)
		if f != nil {
			return result{}, f
		}
		o.doc = doc
	}
	return t.write(o, old)
}

// precondition checks whether the item is there or not, as the operation needs, and its etag.
func precondition(o itemOp, old *item) *failure {
	switch {
	case o.op == opCreate && old != nil:
		return fail(http.StatusConflict, 0, "Entity with the specified id already exists in the system.")
	case o.op == opUpsert && o.ifNoneMatch == "*" && old != nil:
		return fail(http.StatusPreconditionFailed, 0, "One of the specified pre-condition is not met: the item exists.")
	case o.op != opCreate && o.op != opUpsert && old == nil:
		return fail(http.StatusNotFound, 0, "Entity with the specified id does not exist in the system.")
	case o.op != opRead && old != nil && o.ifMatch != "" && o.ifMatch != "*" && o.ifMatch != old.etag:
		return fail(http.StatusPreconditionFailed, 0, "One of the specified pre-condition is not met: the etag is %s.", old.etag)
	}
	return nil
}

// write stages a new version of an item.
func (t *txn) write(o itemOp, old *item) (result, *failure) {
	if f := validID(o.doc); f != nil {
		return result{}, f
	}
	if o.doc["id"] != o.id {
		return result{}, fail(http.StatusBadRequest, 0, "The id of the item, %q, cannot change to %q.", o.id, o.doc["id"])
	}
	if key, ok := t.c.def.of(o.doc); !ok || canonical(key) != t.keyText {
		return result{}, fail(http.StatusBadRequest, 1001, "PartitionKey extracted from document doesn't match the one specified in the header.")
	}
	it := t.store.newItem(t.c, t.key, o.doc, old)
	t.stage(o.id, it)
	if old == nil {
		return result{http.StatusCreated, it}, nil
	}
	return result{http.StatusOK, it}, nil
}

func validID(doc map[string]any) *failure {
	id, ok := doc["id"].(string)
	if !ok || id == "" || len(id) > 1023 || strings.ContainsAny(id, `/\?#`) {
		return fail(http.StatusBadRequest, 0, "The input content is invalid because the required property 'id' is "+
			`missing or no string, or has one of the characters / \ ? #.`)
	}
	return nil
}
