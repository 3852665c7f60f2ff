package cosmostest

import (
	"encoding/json"
	"strconv"
)

// item is one version of an item. It is never changed once it is committed: a write puts a new one in its place.
type item struct {
	id, key string // key is canonical
	epk     string
	seq     uint64 // order of creation
	write   uint64 // order of writing, in the whole account
	clock   vector // the writes to the item that this version knows of
	deleted bool   // the version that says so
	ts, ttl int64  // when it was written, in seconds, and its own time to live: 0 for the container's, -1 for ever
	etag    string
	doc     map[string]any
	raw     []byte
}

// newItem stamps doc with the system properties. old is the version that it replaces, or nil. doc becomes the item's.
func (s *store) newItem(c *container, key []any, doc map[string]any, old *item) *item {
	seq, ts := s.next(), s.now().Unix()
	it := &item{
		id: doc["id"].(string), key: canonical(key), epk: c.def.epk(key), seq: seq, write: seq,
		ts: ts, ttl: integer(doc["ttl"]), etag: etagFor(seq, ts), doc: doc,
	}
	if old != nil {
		it.seq = old.seq
	}
	r := childRID(c.rid, it.seq, 8)
	doc["_rid"], doc["_self"], doc["_etag"] = r, c.self+"docs/"+r+"/", it.etag
	doc["_attachments"], doc["_ts"] = "attachments/", json.Number(strconv.FormatInt(ts, 10))
	it.raw = encode(doc)
	return it
}

// deletion is the version that says that old is gone.
func (s *store) deletion(old *item) *item {
	return &item{
		id: old.id, key: old.key, epk: old.epk, seq: old.seq, write: s.next(), deleted: true, ts: s.now().Unix(),
		etag: old.etag, doc: old.doc, raw: old.raw,
	}
}

// there reports whether the item is neither deleted nor expired at a time in seconds.
func (c *container) there(it *item, now int64) bool {
	if it == nil || it.deleted {
		return false
	}
	ttl := it.ttl
	if ttl == 0 {
		ttl = c.ttl
	}
	return c.ttl == 0 || ttl <= 0 || now < it.ts+ttl
}

// integer is a decoded JSON number as an integer, 0 for anything else.
func integer(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}
