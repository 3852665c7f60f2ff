package cosmostest

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// replica is one region's copy of a container.
type replica struct {
	keys map[string]map[string]*item // canonical partition key → id → item
	lsn  map[string]int64            // by range id: of the last write it has seen
}

// item is one version of an item. It is never changed: a write puts a new one in its place.
type item struct {
	id, key string // key is canonical
	epk     string
	seq     uint64 // order of creation
	lsn     int64
	etag    string
	doc     map[string]any
	raw     []byte
}

// change is one write as it is replicated.
type change struct {
	rangeID, key, id string
	lsn              int64
	item             *item // nil: deleted
}

// addReplica gives a region a copy of what the first region has.
func (c *container) addReplica(region string) {
	r := &replica{keys: map[string]map[string]*item{}, lsn: maps.Clone(c.lsn)}
	for _, from := range c.replicas {
		for key, items := range from.keys {
			r.keys[key] = maps.Clone(items)
		}
		break // all are alike: replication is immediate
	}
	c.replicas[region] = r
}

func (r *replica) get(key, id string) *item { return r.keys[key][id] }

// apply makes a write visible in this replica.
func (r *replica) apply(ch change) {
	r.lsn[ch.rangeID] = max(r.lsn[ch.rangeID], ch.lsn)
	if ch.item == nil {
		delete(r.keys[ch.key], ch.id)
		return
	}
	if r.keys[ch.key] == nil {
		r.keys[ch.key] = map[string]*item{}
	}
	r.keys[ch.key][ch.id] = ch.item
}

// commit gives the changes of one write their place in the partition's log and replicates them.
func (c *container) commit(rangeID string, changes []change) {
	c.lsn[rangeID]++
	for _, ch := range changes {
		ch.rangeID, ch.lsn = rangeID, c.lsn[rangeID]
		if ch.item != nil {
			ch.item.lsn = ch.lsn
		}
		c.replicate(ch)
	}
}

// replicate hands a change to every region.
func (c *container) replicate(ch change) {
	for _, r := range c.replicas {
		r.apply(ch)
	}
}

// newItem stamps doc with the system properties. old is the version that it replaces, or nil. doc becomes the item's.
func (s *store) newItem(c *container, key []any, doc map[string]any, old *item) *item {
	seq := s.next()
	it := &item{id: doc["id"].(string), key: canonical(key), epk: c.def.epk(key), seq: seq, etag: etagFor(seq), doc: doc}
	if old != nil {
		it.seq = old.seq
	}
	r := childRID(c.rid, it.seq, 8)
	doc["_rid"], doc["_self"], doc["_etag"] = r, c.self+"docs/"+r+"/", it.etag
	doc["_attachments"], doc["_ts"] = "attachments/", json.Number(strconv.FormatInt(time.Now().Unix(), 10))
	it.raw = encode(doc)
	return it
}

// time is the _ts of the item.
func (it *item) time() int64 {
	n, _ := it.doc["_ts"].(json.Number).Int64() // written by newItem
	return n
}

// scan returns the items of a scope that are in the given physical partition, oldest first.
func (c *container) scan(r *replica, sc scope, rangeID string) []*item {
	if sc.full {
		return oldestFirst(slices.Collect(maps.Values(r.keys[canonical(sc.key)])))
	}
	prefix := canonical(sc.key)
	return slices.DeleteFunc(r.all(), func(it *item) bool {
		return !strings.HasPrefix(it.key, prefix) || !c.holds(rangeID, it)
	})
}

// all returns every item, oldest first.
func (r *replica) all() []*item {
	var out []*item
	for _, items := range r.keys {
		out = slices.AppendSeq(out, maps.Values(items))
	}
	return oldestFirst(out)
}

func oldestFirst(items []*item) []*item {
	slices.SortFunc(items, func(a, b *item) int { return cmp.Compare(a.seq, b.seq) })
	return items
}

// holds reports whether a partition has the item, by its hash or because Place put it there.
func (c *container) holds(rangeID string, it *item) bool {
	if id, ok := c.placed[it.key]; ok {
		return id == rangeID
	}
	return c.hashRange(it.epk) == rangeID
}
