package cosmostest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// store is everything the account keeps. A request takes the lock once and holds it for memory operations only.
type store struct {
	now func() time.Time // set once

	mu     sync.RWMutex
	seq    uint64 // of whatever was created or changed last: resource ids and etags derive from it
	dbs    map[string]*database
	offers map[string]*offer // by lower-case id

	// Regions are numbered in the order in which they joined the account; the number is called the site.
	sites    map[string]int // by region key
	names    []string
	present  []bool // the account is there
	down     []bool // nothing comes in and nothing goes out
	hub      int
	version  int  // of the set of regions, for session tokens
	multi    bool // every write region takes writes
	strong   bool // writes reach all regions at once
	throttle bool // all containers have limits

	lag     time.Duration
	links   map[[2]int]link // that are not as usual
	streams []*stream       // in order of opening
	graveyard
	nextDue atomic.Int64 // when settle has something to do, in nanoseconds
	busy    atomic.Bool  // something is on its way between regions
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

func newStore(now func() time.Time) *store {
	s := &store{
		now: now, dbs: map[string]*database{}, offers: map[string]*offer{},
		sites: map[string]int{}, hub: noSite, links: map[[2]int]link{},
	}
	s.nextDue.Store(never)
	return s
}

// arrive settles what is due, if anything is.
func (s *store) arrive() {
	if s.nextDue.Load() == never {
		return
	}
	if now := s.now().UnixNano(); s.nextDue.Load() <= now {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settle(now)
	}
}

// next returns the next sequence number. The caller holds the lock.
func (s *store) next() uint64 {
	s.seq++
	return s.seq
}

// etagFor is the etag of the change number seq at a time in seconds.
func etagFor(seq uint64, ts int64) string {
	return fmt.Sprintf(`"%08x-0000-0300-0000-%08x0000"`, uint32(seq), uint32(ts))
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
	r := resource{id: id, rid: rid, self: self, seq: seq, doc: doc}
	r.stamp(seq, s.now().Unix())
	return r
}

// stamp writes the system properties of change number seq into doc.
func (r *resource) stamp(seq uint64, ts int64) {
	r.etag = etagFor(seq, ts)
	r.doc["id"], r.doc["_rid"], r.doc["_self"], r.doc["_etag"] = r.id, r.rid, r.self, r.etag
	r.doc["_ts"] = json.Number(strconv.FormatInt(ts, 10))
}

// addContainer creates a container from a config, and its database when it is the first one in there. The caller holds
// the lock.
func (s *store) addContainer(c Container) {
	db, ok := s.dbs[c.Database]
	if !ok {
		db = s.addDatabase(c.Database, map[string]any{})
	}
	def := keyDef{paths: c.PartitionKey, kind: "Hash", version: c.HashVersion}
	if len(def.paths) > 1 {
		def.kind = "MultiHash"
	}
	properties := map[string]any{"partitionKey": def.document()}
	if c.DefaultTTL != 0 {
		properties["defaultTtl"] = c.DefaultTTL
	}
	if c.ConflictPath != "" {
		properties["conflictResolutionPolicy"] = map[string]any{"mode": "LastWriterWins", "conflictResolutionPath": c.ConflictPath}
	}
	ct := s.addCollection(db, c.ID, def, c.Partitions, decodedObject(properties))
	throughput := 400 * c.Partitions
	if c.Throughput > 0 {
		throughput, ct.limited = c.Throughput, true
	}
	ct.offer = s.addOffer(ct.resource, map[string]any{"offerThroughput": throughput})
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
