package cosmostest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// Conflicts returns the versions of items in a container that lost, oldest first: those that conflicts cost, resolved or
// not, and those that a failover lost. Clients see those that are not resolved in the container's conflict feed, and can
// delete them there.
func (a *Account) Conflicts(database, containerID string) ([]Conflict, error) {
	s := a.store
	s.arrive()
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, f := s.container(database, containerID)
	if f != nil {
		return nil, fmt.Errorf("cosmostest: conflicts: %w", f)
	}
	out := slices.Clone(c.conflicts.entries)
	for i := range out {
		out[i].Item, _ = copyJSON(out[i].Item).(map[string]any)
		out[i].item = nil
		if out[i].Winner != nil {
			out[i].Winner = copyJSON(out[i].Winner).(map[string]any)
		}
	}
	return out, nil
}

// conflictFeed answers a request for the conflict feed: the list of it, one conflict, or the deletion of one.
func (w *work) conflictFeed() (*answer, error) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	c, f := w.container()
	if f != nil {
		return nil, f
	}
	if w.to.feed {
		if w.op != opReadFeed && w.op != opQuery {
			return nil, w.notServed()
		}
		docs := [][]byte{}
		for _, entry := range c.conflicts.entries {
			if !entry.Resolved {
				docs = append(docs, c.conflictDocument(entry))
			}
		}
		ans := newAnswer(http.StatusOK)
		ans.header[headerItemCount] = []string{strconv.Itoa(len(docs))}
		ans.body = feed(c.rid, "Conflicts", docs)
		return ans, nil
	}
	i := slices.IndexFunc(c.conflicts.entries, func(e Conflict) bool { return e.ID == w.to.id && !e.Resolved })
	switch {
	case i < 0:
		return nil, fail(http.StatusNotFound, 0, "Resource Not Found: conflict %q.", w.to.id)
	case w.op == opRead:
		ans := newAnswer(http.StatusOK)
		ans.body = c.conflictDocument(c.conflicts.entries[i])
		return ans, nil
	case w.op == opDelete:
		c.conflicts.entries[i].Resolved = true
		return newAnswer(http.StatusNoContent), nil
	}
	return nil, w.notServed()
}

// conflictDocument is a conflict as the service shows it.
func (c *container) conflictDocument(e Conflict) []byte {
	operation := "replace"
	switch {
	case e.Deleted:
		operation = "delete"
	case e.item.clock.total() == 1:
		operation = "create"
	}
	return encode(map[string]any{
		"id": e.ID, "_rid": e.ID, "_self": c.self + "conflicts/" + e.ID + "/", "_etag": e.item.etag, "_ts": e.Time.Unix(),
		"operationType": operation, "resourceType": "document", "resourceId": e.Item["_rid"], "content": string(e.item.raw),
	})
}
