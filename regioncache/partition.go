package regioncache

import (
	"hash/maphash"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"unique"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Partition names the physical partition that an operation works on. It is
// comparable.
type Partition struct {
	// Collection is the path of the container, "dbs/d/colls/c".
	Collection string
	// ID is the partition key range id. It is empty for an operation over the
	// whole container, and while it is unknown: then Logical is true and the
	// partition key value stands for it.
	ID      string
	Logical bool

	value      uint64 // hash of the partition key value, when Logical
	generation uint32 // tells a container from one that had its name before
}

const (
	partitionShards   = 32
	keysPerShard      = 2048 // 65,536 partition key values in all
	maxCollections    = 4096
	mixer             = 0x9E3779B97F4A7C15 // 2⁶⁴/φ: spreads consecutive salts over all bits
	headerContentName = "X-Ms-Alt-Content-Path"
)

// partitionMap remembers in which physical partition a partition key value
// lives, as earlier answers told it. It keeps hashes of the values, never the
// values, and forgets the least recently used ones.
// It is safe for concurrent use; a look-up takes one lock of 32.
type partitionMap struct {
	seed        maphash.Seed
	collections atomic.Pointer[map[string]*collection]
	mu          sync.Mutex // of writers of collections
	salts       atomic.Uint64
	shards      [partitionShards]*lru.Cache[uint64, unique.Handle[string]]
}

type collection struct {
	rid        atomic.Pointer[string]
	salt       atomic.Uint64 // part of every key; a new one forgets all keys
	generation atomic.Uint32 // how often it was created again; 0 also while it is unknown
}

func newPartitionMap() *partitionMap {
	m := &partitionMap{seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i], _ = lru.New[uint64, unique.Handle[string]](keysPerShard)
	}
	return m
}

// resolve names the partition of an operation as far as it is known.
func (m *partitionMap) resolve(op *wire.Operation) Partition {
	p := Partition{Collection: op.Collection, ID: op.PartitionKeyRangeID}
	c := m.collection(op.Collection)
	if c != nil {
		p.generation = c.generation.Load()
	}
	if p.ID != "" || op.PartitionKey == "" {
		return p
	}
	hash := m.hash(op.PartitionKey)
	if c != nil {
		key := hash ^ c.salt.Load()
		if id, ok := m.shard(key).Get(key); ok {
			p.ID = id.Value()
			return p
		}
	}
	p.Logical, p.value = true, hash
	return p
}

// learn takes from an answer which partition gave it, and names the partition
// as resolve would; located is set when the key's was unknown before. When the
// partition of a key has changed, after a split or a merge, every key of the
// container is forgotten, since its neighbours moved too. Only queries may come
// from several partitions without that, when their key is the prefix of a
// hierarchical one.
func (m *partitionMap) learn(op *wire.Operation, h http.Header) (p Partition, located bool) {
	c := m.collection(op.Collection)
	if c == nil {
		c = m.addCollection(op.Collection)
	}
	m.checkIdentity(c, op, h)
	id := wire.PartitionKeyRangeID(h)
	if id == "" || op.PartitionKey == "" || op.PartitionKeyRangeID != "" {
		return m.resolve(op), false
	}
	p = Partition{Collection: op.Collection, generation: c.generation.Load()}
	hash := m.hash(op.PartitionKey)
	key := hash ^ c.salt.Load()
	known, ok := m.shard(key).Get(key)
	if !ok || known.Value() != id {
		if ok && op.Kind != wire.KindQuery {
			m.forgetKeys(c)
			key = hash ^ c.salt.Load()
		}
		known = unique.Make(strings.Clone(id))
		m.shard(key).Add(key, known)
	}
	p.ID = known.Value()
	return p, !ok
}

// checkIdentity notices that a container was deleted and created again under
// its name: its resource id is another one, and its partitions are too.
func (m *partitionMap) checkIdentity(c *collection, op *wire.Operation, h http.Header) {
	rid := wire.Get(h, wire.HeaderCollectionRID)
	if rid == "" || wire.Get(h, headerContentName) != op.Collection {
		return
	}
	known := c.rid.Load()
	if known != nil && *known == rid {
		return
	}
	next := strings.Clone(rid)
	if c.rid.CompareAndSwap(known, &next) && known != nil {
		c.generation.Add(1)
		m.forgetKeys(c)
	}
}

// gone forgets the keys of a container whose partitions have changed (410/1002).
func (m *partitionMap) gone(op *wire.Operation) {
	if c := m.collection(op.Collection); c != nil {
		m.forgetKeys(c)
	}
}

func (m *partitionMap) forgetKeys(c *collection) { c.salt.Store(m.salts.Add(1) * mixer) }

func (m *partitionMap) collection(path string) *collection {
	if known := m.collections.Load(); known != nil {
		return (*known)[path]
	}
	return nil
}

func (m *partitionMap) addCollection(path string) *collection {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.collection(path); c != nil {
		return c
	}
	next := map[string]*collection{}
	// Past the limit all are forgotten: they are learned again within one
	// answer each, and the limit is beyond what a process works with at a time.
	if known := m.collections.Load(); known != nil && len(*known) < maxCollections {
		next = maps.Clone(*known)
	}
	c := new(collection)
	m.forgetKeys(c)
	next[strings.Clone(path)] = c
	m.collections.Store(&next)
	return c
}

func (m *partitionMap) hash(partitionKey string) uint64 {
	return maphash.String(m.seed, partitionKey)
}

func (m *partitionMap) shard(key uint64) *lru.Cache[uint64, unique.Handle[string]] {
	return m.shards[key%partitionShards]
}

// len is how many keys are remembered.
func (m *partitionMap) len() int {
	n := 0
	for _, s := range m.shards {
		n += s.Len()
	}
	return n
}
