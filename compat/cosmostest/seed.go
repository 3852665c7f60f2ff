package cosmostest

import "fmt"

// Seed puts items into a container, in every region, past faults, limits and the log; items with the same id and
// partition key are replaced. It does not wait for the replication lag; only where other writes to the partition are
// under way, it comes behind them. The error of a bad item names it, and then nothing is put.
func (a *Account) Seed(database, containerID string, items ...map[string]any) error {
	s := a.store
	s.mu.Lock()
	defer s.mu.Unlock()
	c, f := s.container(database, containerID)
	if f != nil {
		return fmt.Errorf("cosmostest: seed: %w", f)
	}
	now := s.now()
	s.settle(now.UnixNano())
	w := &work{store: s, op: opUpsert, site: s.hub}
	txns := make([]*txn, 0, len(items))
	for i, given := range items {
		doc, f := decodeObject(encode(given))
		if f != nil {
			return fmt.Errorf("cosmostest: seed: item %d: %w", i, f)
		}
		key, ok := c.def.of(doc)
		if !ok {
			return fmt.Errorf("cosmostest: seed: item %d has no valid partition key at %q", i, c.def.paths)
		}
		t := w.beginAt(c, key)
		if _, f := t.do(itemOp{op: opUpsert, doc: doc}); f != nil {
			return fmt.Errorf("cosmostest: seed: item %d: %w", i, f)
		}
		txns = append(txns, t)
	}
	lag, links := s.lag, s.links
	s.lag, s.links = 0, nil
	for _, t := range txns {
		t.commit()
	}
	s.lag, s.links = lag, links
	s.tidy()
	return nil
}

// Items returns the items that a region has in a container, oldest first, past faults and the log: what a test compares
// with what it believes to have written. An empty region means the hub.
func (a *Account) Items(database, containerID, region string) ([]map[string]any, error) {
	top := a.top.Load()
	if region == "" {
		region = top.hub
	}
	s := a.store
	s.arrive()
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, f := s.container(database, containerID)
	if f != nil {
		return nil, fmt.Errorf("cosmostest: items: %w", f)
	}
	site := top.site(region)
	if site == noSite || c.replicas[site] == nil {
		return nil, fmt.Errorf("cosmostest: items: no region %q; allowed: one of %q", region, top.cfg.Regions)
	}
	out := []map[string]any{}
	for _, it := range c.items(site, s.now().Unix()) {
		out = append(out, copyJSON(it.doc).(map[string]any))
	}
	return out, nil
}

// Place puts a partition key value into the physical partition with the given id, against the hash; the id is made if
// there is none. The value is a string, number, bool or nil, or a []any of them for a hierarchical key. Items that the
// key has already move along. A client that computes hashes itself (to read many items, say) does not know of it.
func (a *Account) Place(database, containerID string, partitionKey any, rangeID string) error {
	s := a.store
	s.mu.Lock()
	defer s.mu.Unlock()
	c, f := s.container(database, containerID)
	if f != nil {
		return fmt.Errorf("cosmostest: place: %w", f)
	}
	if rangeID == "" {
		return fmt.Errorf("cosmostest: place: rangeID is empty; allowed: the id of a physical partition, such as \"1\"")
	}
	if _, ok := partitionKey.([]any); !ok {
		partitionKey = []any{partitionKey}
	}
	key, f := c.def.parseKey(string(encode(partitionKey)), false)
	if f != nil {
		return fmt.Errorf("cosmostest: place: %w", f)
	}
	c.placed[canonical(key)] = placement{c.ensure(rangeID), c.def.epk(key)}
	return nil
}
