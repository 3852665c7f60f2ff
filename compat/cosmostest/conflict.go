package cosmostest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Conflict is a version of an item that lost: two regions changed the item without knowing of each other, or the region
// that took the write was gone for good before the write had reached the one that took over.
type Conflict struct {
	// ID is the id of the conflict in its container's conflict feed.
	ID string
	// Region is where the loss was noticed; for a write that an outage lost, the region that had taken it.
	Region string
	// Time is when.
	Time time.Time
	// Item is the version that lost; for a lost deletion the item that was deleted.
	Item map[string]any
	// Deleted says that the version that lost was a deletion.
	Deleted bool
	// Winner is the version that stayed; nil when that is a deletion, and for a write that an outage lost.
	Winner map[string]any
	// Outage says that the write was lost by a failover, not in a conflict.
	Outage bool
	// Resolved says that the last writer won and there is nothing left to do. The service lists only the others.
	Resolved bool

	item *item
}

// conflictLog is what a container knows of its conflicts.
type conflictLog struct {
	entries []Conflict
	known   map[*item]bool
}

// lose notes a version that lost; each region comes to the same result, and the first one is told.
func (c *container) lose(s *store, site int, lost, winner *item) {
	l := &c.conflicts
	if l.known[lost] {
		return
	}
	if l.known == nil {
		l.known = map[*item]bool{}
	}
	l.known[lost] = true
	entry := Conflict{
		ID: fmt.Sprintf("conflict-%d", len(l.entries)+1), Region: s.names[site], Time: s.now(),
		Item: lost.doc, Deleted: lost.deleted, Outage: winner == nil, item: lost,
	}
	if winner != nil {
		entry.Resolved = !c.wins.custom
		if !winner.deleted {
			entry.Winner = winner.doc
		}
	}
	l.entries = append(l.entries, entry)
}

// rule tells which of two versions stays.
type rule struct {
	custom bool     // nobody resolves conflicts: the earlier write stays, and the feed has the other one
	path   []string // of the number that decides; the higher one stays
}

// conflictRule reads the conflict resolution policy of a container.
func conflictRule(doc map[string]any) rule {
	policy, _ := doc["conflictResolutionPolicy"].(map[string]any)
	mode, _ := policy["mode"].(string)
	path, _ := policy["conflictResolutionPath"].(string)
	if path == "" {
		path = "/_ts"
	}
	return rule{custom: strings.EqualFold(mode, "Custom"), path: strings.Split(strings.Trim(path, "/"), "/")}
}

// stays reports whether a stays and b goes. A deletion stays whatever else was written.
func (r rule) stays(a, b *item) bool {
	switch {
	case r.custom:
		return a.write < b.write
	case a.deleted != b.deleted:
		return a.deleted
	}
	x, okX := r.number(a)
	y, okY := r.number(b)
	switch {
	case okX != okY:
		return okX
	case x != y:
		return x > y
	}
	return a.write > b.write
}

func (r rule) number(it *item) (float64, bool) {
	v, _ := lookup(it.doc, r.path)
	n, ok := v.(json.Number)
	x, err := n.Float64()
	return x, ok && err == nil
}

// add returns the row with version v in it, and the versions that thereby lost. The result does not depend on the order
// in which versions arrive: what a version knows of is superseded by it, and among the others the rule decides.
func (r row) add(v *item, wins rule) (after row, lost []*item) {
	if r.item == nil || len(r.rivals) == 0 && v.clock.covers(r.item.clock) {
		return row{item: v, lsn: r.lsn}, nil
	}
	heads := append([]*item{r.item}, r.rivals...)
	for _, h := range heads {
		if h.clock.covers(v.clock) {
			return r, nil
		}
	}
	heads = slices.DeleteFunc(heads, func(h *item) bool { return v.clock.covers(h.clock) })
	heads = append(heads, v)
	best := 0
	for i, h := range heads {
		if wins.stays(h, heads[best]) {
			best = i
		}
	}
	after = row{item: heads[best], lsn: r.lsn}
	after.rivals = slices.Delete(heads, best, best+1)
	switch {
	case after.item != v:
		lost = []*item{v}
	case slices.Contains(after.rivals, r.item):
		lost = []*item{r.item}
	}
	return after, lost
}
