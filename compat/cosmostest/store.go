package cosmostest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// store is everything the account keeps. A request takes the lock once and holds it for memory operations only.
type store struct {
	mu      sync.RWMutex
	seq     uint64   // of whatever was created or changed last: resource ids and etags derive from it
	regions []string // keys of the regions that have a replica, the one that others are copied from first
	dbs     map[string]*database
	offers  map[string]*offer // by lower-case id
}

type database struct {
	resource
	colls map[string]*container
}

// resource is what databases, containers and offers have in common. doc is never changed, only replaced.
type resource struct {
	id, rid, self string
	seq           uint64 // order of creation
	etag          string
	doc           map[string]any
}

func newStore() *store {
	return &store{dbs: map[string]*database{}, offers: map[string]*offer{}}
}

// setRegions makes sure that every region has a replica. Those that went away keep theirs.
func (s *store) setRegions(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		key := regionKey(name)
		if slices.Contains(s.regions, key) {
			continue
		}
		s.regions = append(s.regions, key)
		for _, db := range s.dbs {
			for _, c := range db.colls {
				c.addReplica(key)
			}
		}
	}
}

// next returns the next sequence number. The caller holds the lock.
func (s *store) next() uint64 {
	s.seq++
	return s.seq
}

// etagFor is the etag of the change number seq.
func etagFor(seq uint64) string {
	return fmt.Sprintf(`"%08x-0000-0300-0000-%08x0000"`, uint32(seq), uint32(time.Now().Unix()))
}

// rid encodes a resource id in the service's alphabet.
func rid(b []byte) string {
	return strings.ReplaceAll(base64.StdEncoding.EncodeToString(b), "/", "-")
}

// childRID is the resource id of child number n (of size bytes) of a parent.
func childRID(parent string, n uint64, size int) string {
	b, _ := base64.StdEncoding.DecodeString(strings.ReplaceAll(parent, "-", "/")) // made by rid
	if size == 8 {
		return rid(binary.LittleEndian.AppendUint64(b, n))
	}
	child := binary.BigEndian.AppendUint32(nil, uint32(n))
	if len(b) == 4 {
		child[0] |= 0x80 // tells a container from a user
	}
	return rid(append(b, child...))
}

// newResource fills in the system properties of doc. The caller holds the lock.
func (s *store) newResource(id, rid, self string, doc map[string]any) resource {
	seq := s.next()
	r := resource{id: id, rid: rid, self: self, seq: seq, etag: etagFor(seq), doc: doc}
	r.stamp()
	return r
}

// stamp writes the system properties into doc.
func (r *resource) stamp() {
	r.doc["id"], r.doc["_rid"], r.doc["_self"], r.doc["_etag"] = r.id, r.rid, r.self, r.etag
	r.doc["_ts"] = json.Number(strconv.FormatInt(time.Now().Unix(), 10))
}

// addContainer creates a container from a config, and its database when it is the first one in there.
func (s *store) addContainer(c Container) {
	s.mu.Lock()
	defer s.mu.Unlock()
	db, ok := s.dbs[c.Database]
	if !ok {
		db = s.addDatabase(c.Database, map[string]any{})
	}
	def := keyDef{paths: c.PartitionKey, kind: "Hash", version: c.HashVersion}
	if len(def.paths) > 1 {
		def.kind = "MultiHash"
	}
	doc := decoded(map[string]any{"partitionKey": def.document()})
	ct := s.addCollection(db, c.ID, def, c.Partitions, doc)
	s.addOffer(ct.resource, map[string]any{"offerThroughput": 400 * c.Partitions})
}

// addDatabase creates a database. The caller holds the lock and knows that there is none of that name.
func (s *store) addDatabase(id string, doc map[string]any) *database {
	r := childRID("", s.seq+1, 4)
	doc["_colls"], doc["_users"] = "colls/", "users/"
	db := &database{resource: s.newResource(id, r, "dbs/"+r+"/", doc), colls: map[string]*container{}}
	s.dbs[id] = db
	return db
}

// container finds a container. The caller holds the lock.
func (s *store) container(db, coll string) (*container, *failure) {
	d, ok := s.dbs[db]
	if !ok {
		return nil, fail(404, 1003, "Resource Not Found: owner resource database %q does not exist.", db)
	}
	c, ok := d.colls[coll]
	if !ok {
		return nil, fail(404, 1003, "Resource Not Found: owner resource container %q does not exist.", coll)
	}
	return c, nil
}

// rangeOf is the physical partition that a request is for, as far as its headers tell; empty for none.
func (s *store) rangeOf(rec *Request) string {
	to, err := parseTarget(rec.Path)
	if err != nil || to.kind != "docs" && to.kind != "sprocs" {
		return ""
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, f := s.container(to.db, to.coll)
	if f != nil {
		return ""
	}
	scope, f := c.scopeOf(rec)
	if f != nil {
		return ""
	}
	return scope.first()
}
