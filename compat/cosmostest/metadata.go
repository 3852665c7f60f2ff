package cosmostest

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// metadata answers a request for databases, containers, partition key ranges and offers.
func (w *work) metadata() (*answer, error) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
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

// collections answers a request for containers.
func (w *work) collections() (*answer, error) {
	db := w.store.dbs[w.to.db]
	if db == nil {
		return nil, fail(http.StatusNotFound, 1003, "Owner resource does not exist: database %q.", w.to.db)
	}
	switch {
	case w.to.feed && (w.op == opReadFeed || w.op == opQuery):
		return w.list(db.rid, "DocumentCollections", slices.Collect(func(yield func(resource) bool) {
			for _, c := range db.colls {
				if !yield(c.resource) {
					return
				}
			}
		}))
	case w.to.feed && w.op == opCreate:
		return w.createCollection(db)
	}
	c := db.colls[w.to.id]
	if c == nil {
		return nil, fail(http.StatusNotFound, 0, "Resource Not Found: container %q.", w.to.id)
	}
	if w.op == opRead {
		return w.collectionAnswer(w.readResource(c.resource), db), nil
	}
	if f := w.etagMatches(c.resource); f != nil {
		return nil, f
	}
	switch w.op {
	case opReplace:
		return w.replaceCollection(db, c)
	case opDelete:
		delete(db.colls, c.id)
		return w.collectionAnswer(newAnswer(http.StatusNoContent), db), nil
	}
	return nil, w.notServed()
}

// createCollection makes a container with one physical partition per 10,000 RU/s, as the service does.
func (w *work) createCollection(db *database) (*answer, error) {
	doc, id, f := w.newID()
	if f != nil {
		return nil, f
	}
	def, f := readKeyDef(doc)
	if f != nil {
		return nil, f
	}
	if db.colls[id] != nil {
		return nil, fail(http.StatusConflict, 0, "Container %q already exists.", id)
	}
	throughput, _ := strconv.Atoi(w.rec.Header.Get("X-Ms-Offer-Throughput"))
	partitions := min(max(1, (throughput+9999)/10000), maxPartitions)
	c := w.store.addCollection(db, id, def, partitions, doc)
	w.offerFromHeaders(c.resource)
	return w.collectionAnswer(w.resourceAnswer(http.StatusCreated, c.resource), db), nil
}

// replaceCollection changes everything but the id and the partition key.
func (w *work) replaceCollection(db *database, c *container) (*answer, error) {
	doc, id, f := w.newID()
	if f != nil {
		return nil, f
	}
	def, f := readKeyDef(doc)
	if f != nil {
		return nil, f
	}
	if id != c.id || !slices.Equal(def.paths, c.def.paths) {
		return nil, fail(http.StatusBadRequest, 0, "The id and the partition key of a container cannot change.")
	}
	for k, v := range c.doc {
		if _, ok := doc[k]; !ok && (strings.HasPrefix(k, "_") || k == "indexingPolicy") {
			doc[k] = v
		}
	}
	c.doc, c.etag = doc, etagFor(w.store.next())
	c.stamp()
	return w.collectionAnswer(w.resourceAnswer(http.StatusOK, c.resource), db), nil
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

// readKeyDef reads the partition key definition of a container.
func readKeyDef(doc map[string]any) (keyDef, *failure) {
	m, _ := doc["partitionKey"].(map[string]any)
	paths, _ := m["paths"].([]any)
	def := keyDef{kind: "Hash", version: 1} // what the service assumes without a version
	for _, p := range paths {
		s, _ := p.(string)
		def.paths = append(def.paths, s)
	}
	if kind, ok := m["kind"].(string); ok {
		def.kind = kind
	}
	if m["version"] != nil {
		def.version, _ = strconv.Atoi(strings.Trim(string(encode(m["version"])), `"`))
	}
	asConfig := Container{Database: "db", ID: "c", PartitionKey: def.paths, Partitions: 1, HashVersion: def.version}
	if len(def.paths) == 0 || asConfig.validate("") != nil || (def.kind == "MultiHash") != (len(def.paths) > 1) && def.kind != "MultiHash" {
		return def, fail(http.StatusBadRequest, 0, "The partition key definition %s is invalid: 1 path with kind Hash, or 1 to 3 "+
			"paths with kind MultiHash and version 2.", encode(doc["partitionKey"]))
	}
	return def, nil
}

// list answers a feed or a query of resources.
func (w *work) list(rid, name string, all []resource) (*answer, error) {
	st, params := &statement{top: -1}, map[string]any(nil)
	if w.op == opQuery {
		var f *failure
		if st, params, f = w.parseBody(); f != nil {
			return nil, f
		}
	}
	slices.SortFunc(all, func(a, b resource) int { return cmp.Compare(a.seq, b.seq) })
	docs := [][]byte{}
	for _, r := range all {
		doc := maps.Clone(r.doc)
		if doc["_ts"] != nil && matches(st.where, doc, params) {
			if out, ok := st.project(&item{doc: doc, raw: encode(doc)}); ok {
				docs = append(docs, out)
			}
		}
	}
	if st.count {
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

// collectionAnswer adds the owner of a container.
func (w *work) collectionAnswer(ans *answer, db *database) *answer {
	ans.header[headerContentPath] = []string{db.rid}
	ans.header[headerAltPath] = []string{"dbs/" + db.id}
	return ans
}

func (w *work) etagMatches(r resource) *failure {
	if m := w.rec.Header.Get("If-Match"); m != "" && m != "*" && m != r.etag {
		return fail(http.StatusPreconditionFailed, 0, "One of the specified pre-condition is not met: the etag is %s.", r.etag)
	}
	return nil
}
