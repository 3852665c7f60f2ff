package cosmostest

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// txn is a set of item operations on one logical partition that become visible together or not at all. A single item
// operation is a txn of one. It lives while the store's lock is held.
type txn struct {
	store   *store
	c       *container
	site    int // of the region that serves the request
	now     time.Time
	key     []any
	keyText string
	part    *partition
	staged  []*item // in order of writing
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
	lsn    int64 // that it has
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
	p := c.partFor(key)
	w.route(p)
	return &txn{store: w.store, c: c, site: w.site, now: w.store.now(), key: key, keyText: canonical(key), part: p}
}

// get returns an item as the txn sees it, nil when it is not there, and its position in the log.
func (t *txn) get(id string) (*item, int64) {
	for _, it := range slices.Backward(t.staged) {
		if it.id == id {
			if it.deleted {
				it = nil
			}
			return it, t.next()
		}
	}
	it, r := t.c.get(t.site, t.keyText, id, t.now.Unix())
	return it, r.lsn
}

// next is the position in the log that the txn will have.
func (t *txn) next() int64 { return t.c.lsn(t.part, t.site) + 1 }

// commit makes the staged changes visible, the last one of each item.
func (t *txn) commit() {
	if len(t.staged) == 0 {
		return
	}
	items := t.staged
	if len(items) > 1 {
		items = slices.DeleteFunc(items, func(it *item) bool {
			for _, later := range slices.Backward(t.staged) {
				if later.id == it.id {
					return later != it
				}
			}
			return false
		})
	}
	t.store.commit(t.c, t.part, t.site, items, t.now)
	t.part.troubled = false
}

// do carries out one operation.
func (t *txn) do(o itemOp) (result, *failure) {
	if o.op == opCreate || o.op == opUpsert {
		if f := validID(o.doc); f != nil {
			return result{}, f
		}
		o.id = o.doc["id"].(string)
	}
	old, lsn := t.get(o.id)
	if f := precondition(o, old); f != nil {
		return result{}, f
	}
	switch o.op {
	case opRead:
		if o.ifNoneMatch != "" && o.ifNoneMatch == old.etag {
			return result{http.StatusNotModified, old, lsn}, nil
		}
		return result{http.StatusOK, old, lsn}, nil
	case opDelete:
		t.staged = append(t.staged, t.store.deletion(old))
		return result{http.StatusNoContent, old, t.next()}, nil
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
	t.staged = append(t.staged, it)
	if old == nil {
		return result{http.StatusCreated, it, t.next()}, nil
	}
	return result{http.StatusOK, it, t.next()}, nil
}

func validID(doc map[string]any) *failure {
	id, ok := doc["id"].(string)
	if !ok || id == "" || len(id) > 1023 || strings.ContainsAny(id, `/\?#`) {
		return fail(http.StatusBadRequest, 0, "The input content is invalid because the required property 'id' is "+
			`missing or no string, or has one of the characters / \ ? #.`)
	}
	return nil
}
