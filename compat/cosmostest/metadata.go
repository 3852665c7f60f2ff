package cosmostest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
)

// metadata answers a request for databases, containers, partition key ranges and offers. They live in a partition of
// their own, which has a session token, too.
func (w *work) metadata() (*answer, error) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	ans, err := w.answerMetadata()
	if err == nil {
		lsn := strconv.FormatUint(firstLSN+w.store.seq, 10)
		ans.header[headerSession] = []string{"0:-1#" + lsn}
		ans.header["Lsn"] = []string{lsn}
	}
	return ans, err
}

func (w *work) answerMetadata() (*answer, error) {
	switch w.to.kind {
	case "dbs":
		return w.databases()
	case "colls":
		return w.collections()
	case "pkranges":
		return w.pkranges()
	case "offers":
		return w.offers()
	}
	return nil, w.notServed()
}

// databases answers a request for databases. The store's lock is held here and in what follows.
func (w *work) databases() (*answer, error) {
	switch {
	case w.to.feed && (w.op == opReadFeed || w.op == opQuery):
		return w.list("", "Databases", slices.Collect(func(yield func(resource) bool) {
			for _, db := range w.store.dbs {
				if !yield(db.resource) {
					return
				}
			}
		}))
	case w.to.feed && w.op == opCreate:
		doc, id, f := w.newID()
		if f != nil {
			return nil, f
		}
		if w.store.dbs[id] != nil {
			return nil, fail(http.StatusConflict, 0, "Database %q already exists.", id)
		}
		db := w.store.addDatabase(id, doc)
		w.offerFromHeaders(db.resource)
		return w.resourceAnswer(http.StatusCreated, db.resource), nil
	}
	db := w.store.dbs[w.to.db]
	if db == nil {
		return nil, fail(http.StatusNotFound, 0, "Resource Not Found: database %q.", w.to.db)
	}
	switch w.op {
	case opRead:
		return w.readResource(db.resource), nil
	case opDelete:
		if f := w.etagMatches(db.resource); f != nil {
			return nil, f
		}
		delete(w.store.dbs, db.id)
		return newAnswer(http.StatusNoContent), nil
	}
	return nil, w.notServed()
}

// newID reads the body of a resource to create.
func (w *work) newID() (doc map[string]any, id string, f *failure) {
	if doc, f = decodeObject(w.rec.Body); f != nil {
		return nil, "", f
	}
	if f = validID(doc); f != nil {
		return nil, "", f
	}
	return doc, doc["id"].(string), nil
}

// list answers a feed or a query of resources.
func (w *work) list(rid, name string, all []resource) (*answer, error) {
	st, params := newStatement(), map[string]any(nil)
	if w.op == opQuery {
		var f *failure
		if st, params, f = w.parseBody(); f != nil {
			return nil, f
		}
	}
	if clause := st.local(); clause != "" {
		return nil, unsupported("%s in a query for %s", clause, name)
	}
	slices.SortFunc(all, func(a, b resource) int { return cmp.Compare(a.seq, b.seq) })
	docs := [][]byte{}
	for _, r := range all {
		if !matches(st.where, r.doc, params) {
			continue
		}
		if out, ok := st.project(r.doc, encode(r.doc)); ok {
			docs = append(docs, out)
		}
	}
	if st.aggregate != "" {
		docs = [][]byte{encode(len(docs))}
	}
	ans := newAnswer(http.StatusOK)
	ans.header[headerItemCount] = []string{strconv.Itoa(len(docs))}
	ans.body = feed(rid, name, docs)
	return ans, nil
}

// resourceAnswer is an answer with a resource in it.
func (w *work) resourceAnswer(status int, r resource) *answer {
	ans := newAnswer(status)
	ans.header["Etag"] = []string{r.etag}
	ans.header[headerContentPath] = []string{r.rid}
	ans.body = encode(r.doc)
	return ans
}

func (w *work) readResource(r resource) *answer {
	ans := w.resourceAnswer(http.StatusOK, r)
	if w.rec.Header.Get("If-None-Match") == r.etag {
		ans.status, ans.body = http.StatusNotModified, nil
	}
	return ans
}

func (w *work) etagMatches(r resource) *failure {
	if m := w.rec.Header.Get("If-Match"); m != "" && m != "*" && m != r.etag {
		return fail(http.StatusPreconditionFailed, 0, "One of the specified pre-condition is not met: the etag is %s.", r.etag)
	}
	return nil
}
