package regioncache

import (
	"cmp"
	"context"
	"slices"

	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// ReportTo tells one more hub of every change of the cache's state. A nil hub
// is none. Package policies calls it; several clients may share a cache, which
// then reports to all of them for as long as it lives.
func (c *Cache) ReportTo(hub *event.Hub) {
	if hub == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var hubs []*event.Hub
	if known := c.hubs.Load(); known != nil {
		hubs = slices.Clone(*known)
	}
	hubs = append(hubs, hub)
	c.hubs.Store(&hubs)
}

// emit tells the hubs of a change; host becomes the region. No lock is held.
func (c *Cache) emit(kind event.Kind, host, reason string) {
	c.emitEvent(event.Event{Kind: kind, Region: host, Reason: reason})
}

func (c *Cache) emitPartition(kind event.Kind, key breakerKey, reason string) {
	if c.hubs.Load() == nil {
		return
	}
	e := event.Event{Kind: kind, Region: key.host, Reason: reason, Operation: operationName(key.write)}
	e.Collection, e.Partition, _ = c.shown(key.partition)
	c.emitEvent(e)
}

func (c *Cache) emitEvent(e event.Event) {
	hubs := c.hubs.Load()
	if hubs == nil {
		return
	}
	if e.Region != "" {
		e.Region = cmp.Or(c.regionNames()[e.Region], e.Region)
	}
	for _, hub := range *hubs {
		hub.Emit(context.Background(), e)
	}
}

func operationName(write bool) string {
	if write {
		return "writes"
	}
	return "reads"
}

// moved tells that the writes of an operation's partition start elsewhere.
func (c *Cache) moved(op *wire.Operation, host, reason string) {
	c.emitPartition(event.KindOverrideMoved, breakerKey{partition: c.partitions.resolve(op), host: host, write: true}, reason)
}
