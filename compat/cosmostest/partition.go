package cosmostest

import (
	"cmp"
	"slices"
	"strconv"
)

// firstLSN is the log sequence number of a new partition: as in the service, it does not start at zero.
const firstLSN = 100

// partition is a physical partition of a container. The store's lock guards it.
type partition struct {
	id        string
	min, max  string   // its share of the hash space; one that only Place made lies behind the end of it
	parents   []string // the partitions that it came from by splits and merges, oldest first
	committed vector   // the writes that it has taken
	writer    int      // the site of its write region when that is not the hub; else noSite
	held      bool     // FailoverPartition put it where it is
	troubled  bool     // a fault has answered a write in its write region, and no write has succeeded there since
}

// hashed reports whether the partition has a share of the hash space.
func (p *partition) hashed() bool { return p.min < "G" } // hash positions are hex digits

// newPartitions cuts the hash space into n equal partitions.
func newPartitions(n, version int) []*partition {
	out := make([]*partition, 0, n)
	low := ""
	for i, high := range append(boundaries(n, version), "FF") {
		out = append(out, &partition{id: strconv.Itoa(i), min: low, max: high, writer: noSite})
		low = high
	}
	return out
}

// addPartitions puts new partitions in their places.
func (c *container) addPartitions(parts ...*partition) {
	c.parts = append(c.parts, parts...)
	slices.SortFunc(c.parts, func(a, b *partition) int { return cmp.Compare(a.min, b.min) })
	c.index()
}

// index makes byID again.
func (c *container) index() {
	c.byID = make(map[string]*partition, len(c.parts))
	c.shares = 0
	for _, p := range c.parts {
		c.byID[p.id] = p
		if p.hashed() {
			c.shares++
		}
	}
}

// ensure returns the partition with the given id and makes one without a share of the hash space if there is none.
func (c *container) ensure(id string) *partition {
	if p, ok := c.byID[id]; ok {
		return p
	}
	p := &partition{id: id, min: "G" + id, max: "G" + id + "~", writer: noSite}
	c.addPartitions(p)
	return p
}

// newID is an id that no partition of the container has or had.
func (c *container) newID() string {
	for {
		id := strconv.Itoa(c.nextID)
		c.nextID++
		if c.byID[id] == nil {
			return id
		}
	}
}

// partFor is the partition of a complete key.
func (c *container) partFor(key []any) *partition {
	if len(c.placed) > 0 {
		if at, ok := c.placed[canonical(key)]; ok {
			return at.part
		}
	}
	return c.hashPart(c.def.epk(key))
}

// placement is where Place put a key, and where its hash says.
type placement struct {
	part *partition
	epk  string
}

// hashPart is the partition that a position in the hash space falls into.
func (c *container) hashPart(epk string) *partition {
	i, found := slices.BinarySearchFunc(c.parts, epk, func(p *partition, epk string) int { return cmp.Compare(p.min, epk) })
	if !found {
		i--
	}
	return c.parts[i]
}

// home is the partition that an item lives in, by its hash or because Place put it there.
func (c *container) home(it *item) *partition {
	if at, ok := c.placed[it.key]; ok {
		return at.part
	}
	return c.hashPart(it.epk)
}

// position is where an item stands among the partitions, for continuation tokens: with its hash, or with the partition
// that Place put it into.
func (c *container) position(it *item) string {
	if at, ok := c.placed[it.key]; ok {
		return at.part.min
	}
	return it.epk
}
