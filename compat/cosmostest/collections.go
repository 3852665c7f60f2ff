package cosmostest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

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
	c.offer = w.offerFromHeaders(c.resource)
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
		if _, ok := doc[k]; !ok && (strings.HasPrefix(k, "_") || k == "indexingPolicy" || k == "conflictResolutionPolicy") {
			doc[k] = v
		}
	}
	c.doc = doc
	c.stamp(w.store.next(), w.store.now().Unix())
	c.readPolicies()
	return w.collectionAnswer(w.resourceAnswer(http.StatusOK, c.resource), db), nil
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

// collectionAnswer adds the owner of a container.
func (w *work) collectionAnswer(ans *answer, db *database) *answer {
	ans.header[headerContentPath] = []string{db.rid}
	ans.header[headerAltPath] = []string{"dbs/" + db.id}
	return ans
}
