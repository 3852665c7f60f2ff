package cosmostest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// firstLSN is the log sequence number of a new partition: as in the service, it does not start at zero.
const firstLSN = 100

// container is a container with its physical partitions and one replica of its items per region.
type container struct {
	resource
	db       string
	def      keyDef
	ranges   []keyRange        // in key order, without gaps
	placed   map[string]string // canonical key → range id that Place gave it
	lsn      map[string]int64  // by range id: of the last write anywhere
	replicas map[string]*replica
}

// keyRange is a physical partition: its share of the hash space.
type keyRange struct{ id, min, max string }

// newRanges cuts the hash space into n equal ranges.
func newRanges(n, version int) []keyRange {
	out := make([]keyRange, 0, n)
	low := ""
	for i, high := range append(boundaries(n, version), "FF") {
		out = append(out, keyRange{strconv.Itoa(i), low, high})
		low = high
	}
	return out
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
		db:       db.id, def: def, ranges: newRanges(partitions, def.version),
		placed: map[string]string{}, lsn: map[string]int64{}, replicas: map[string]*replica{},
	}
	for _, kr := range c.ranges {
		c.lsn[kr.id] = firstLSN
	}
	for _, key := range s.regions {
		c.addReplica(key)
	}
	db.colls[id] = c
	return c
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

// rangeFor is the id of the physical partition of a complete key.
func (c *container) rangeFor(key []any) string {
	if id, ok := c.placed[canonical(key)]; ok {
		return id
	}
	return c.hashRange(c.def.epk(key))
}

// hashRange is the id of the range that an effective partition key falls into.
func (c *container) hashRange(epk string) string {
	i, found := slices.BinarySearchFunc(c.ranges, epk, func(r keyRange, epk string) int { return strings.Compare(r.min, epk) })
	if !found {
		i--
	}
	return c.ranges[i].id
}

// rangeIDs are the ids of all partitions, those that only Place made last.
func (c *container) rangeIDs() []string {
	ids := make([]string, 0, len(c.lsn))
	for _, r := range c.ranges {
		ids = append(ids, r.id)
	}
	for _, id := range slices.Sorted(maps.Keys(c.lsn)) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// scope is what part of a container a request is for.
type scope struct {
	key    []any // complete or, for a query, the first components of a hierarchical one; nil: no key given
	full   bool  // the key is complete
	ranges []string
}

// first is the physical partition that the request goes to first.
func (s scope) first() string {
	if len(s.ranges) == 0 {
		return ""
	}
	return s.ranges[0]
}

// scopeOf reads the scope of a request for items from its headers. The caller holds the store's lock.
func (c *container) scopeOf(rec *Request) (scope, *failure) {
	if header := rec.Header.Get(headerPartitionKey); header != "" {
		key, f := c.def.parseKey(header, true)
		if f != nil {
			return scope{}, f
		}
		if len(key) == len(c.def.paths) {
			return scope{key: key, full: true, ranges: []string{c.rangeFor(key)}}, nil
		}
		return scope{key: key, ranges: c.prefixRanges(key)}, nil
	}
	ranges := c.rangeIDs()
	if id := rec.Header.Get(headerRangeID); id != "" {
		_, id, _ = lastCut(id, ",") // "collection rid,range id" is allowed, too
		if !slices.Contains(ranges, id) {
			return scope{}, fail(http.StatusGone, 1002, "The requested resource is no longer available at the server: partition key range %s.", id)
		}
		ranges = []string{id}
	}
	if token := rec.Header.Get(headerContinuation); token != "" {
		if i := slices.Index(ranges, parseContinuation(token).rangeID); i > 0 {
			ranges = ranges[i:]
		}
	}
	return scope{ranges: ranges}, nil
}

// prefixRanges are the partitions that can hold keys which begin with prefix.
func (c *container) prefixRanges(prefix []any) []string {
	low := c.def.epk(prefix)
	var ids []string
	for _, r := range c.ranges {
		if r.min < low+"FF" && low < r.max {
			ids = append(ids, r.id)
		}
	}
	for _, id := range slices.Sorted(maps.Values(c.placed)) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// lastCut is strings.Cut at the last separator; without one, all of s is after it.
func lastCut(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}
