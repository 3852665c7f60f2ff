package cosmostest

import (
	"net/http"
	"strings"
)

// container is a container with its physical partitions and one replica of its items per region.
type container struct {
	resource
	db, path string // of the database, and of this in URLs
	def      keyDef
	swept    int64                 // when expired items were forgotten last, in seconds
	ttl      int64                 // default time to live of items in seconds, -1 for ever, 0 when items never expire
	parts    []*partition          // in order of min; those with a share of the hash space have no gaps
	byID     map[string]*partition // of parts
	shares   int                   // how many of parts have a share of the hash space
	nextID   int                   // of the next split or merge
	version  uint64                // grows with every split and merge
	placed   map[string]placement  // by canonical key
	replicas []*replica            // by site; nil where the account is not
	offer    *offer                // nil: it shares that of its database
	limited  bool                  // its throughput is enforced
	ledger   ledger
	wins     rule // which of two conflicting versions stays

	conflicts conflictLog
}

// addCollection creates a container in db. The caller holds the store's lock and knows that there is none of that name.
func (s *store) addCollection(db *database, id string, def keyDef, partitions int, doc map[string]any) *container {
	r := childRID(db.rid, s.seq+1, 4)
	for k, v := range defaultProperties() {
		if _, ok := doc[k]; !ok {
			doc[k] = v
		}
	}
	c := &container{
		resource: s.newResource(id, r, db.self+"colls/"+r+"/", doc),
		db:       db.id, path: "dbs/" + db.id + "/colls/" + id, def: def, nextID: partitions, placed: map[string]placement{},
	}
	c.readPolicies()
	c.addPartitions(newPartitions(partitions, def.version)...)
	for _, present := range s.present {
		var rep *replica
		if present {
			rep = newReplica()
		}
		c.replicas = append(c.replicas, rep)
	}
	db.colls[id] = c
	return c
}

// readPolicies takes over what the container's document says about its items.
func (c *container) readPolicies() {
	c.ttl = integer(c.doc["defaultTtl"])
	c.wins = conflictRule(c.doc)
}

func defaultProperties() map[string]any {
	return map[string]any{
		"indexingPolicy": map[string]any{
			"indexingMode": "consistent", "automatic": true,
			"includedPaths": []any{map[string]any{"path": "/*"}},
			"excludedPaths": []any{map[string]any{"path": `/"_etag"/?`}},
		},
		"conflictResolutionPolicy": map[string]any{
			"mode": "LastWriterWins", "conflictResolutionPath": "/_ts", "conflictResolutionProcedure": "",
		},
		"geospatialConfig": map[string]any{"type": "Geography"},
		"_docs":            "docs/", "_sprocs": "sprocs/", "_triggers": "triggers/", "_udfs": "udfs/", "_conflicts": "conflicts/",
	}
}

// scope is what part of a container a request is for.
type scope struct {
	key   []any // complete or, for a query, the first components of a hierarchical one; nil: no key given
	full  bool  // the key is complete
	parts []*partition
}

// first is the physical partition that the request goes to first; nil for none.
func (s scope) first() *partition {
	if len(s.parts) == 0 {
		return nil
	}
	return s.parts[0]
}

// scopeOf reads the scope of a request for items from its headers. The caller holds the store's lock.
func (c *container) scopeOf(rec *Request) (scope, *failure) {
	if header := rec.Header.Get(headerPartitionKey); header != "" {
		key, f := c.def.parseKey(header, true)
		if f != nil {
			return scope{}, f
		}
		if len(key) == len(c.def.paths) {
			return scope{key: key, full: true, parts: []*partition{c.partFor(key)}}, nil
		}
		return scope{key: key, parts: c.prefixParts(key)}, nil
	}
	parts := c.parts
	if id := rec.Header.Get(headerRangeID); id != "" {
		p, f := c.rangeByID(id)
		if f != nil {
			return scope{}, f
		}
		parts = []*partition{p}
	}
	if token := rec.Header.Get(headerContinuation); token != "" {
		next := parseContinuation(token)
		for len(parts) > 1 && parts[0].max <= next.From {
			parts = parts[1:]
		}
	}
	return scope{parts: parts}, nil
}

// rangeByID finds the partition that a request names. One that was split or merged is gone.
func (c *container) rangeByID(id string) (*partition, *failure) {
	_, id, _ = lastCut(id, ",") // "collection rid,range id" is allowed, too
	p, ok := c.byID[id]
	if !ok {
		return nil, fail(http.StatusGone, 1002, "The requested resource is no longer available at the server: partition key range %s.", id)
	}
	return p, nil
}

// prefixParts are the partitions that can hold keys which begin with prefix.
func (c *container) prefixParts(prefix []any) []*partition {
	low := c.def.epk(prefix)
	var parts []*partition
	for _, p := range c.parts {
		if p.min < low+"FF" && low < p.max || c.hasPlaced(p) {
			parts = append(parts, p)
		}
	}
	return parts
}

// hasPlaced reports whether Place put a key into the partition.
func (c *container) hasPlaced(p *partition) bool {
	for _, at := range c.placed {
		if at.part == p {
			return true
		}
	}
	return false
}

// lastCut is strings.Cut at the last separator; without one, all of s is after it.
func lastCut(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}
