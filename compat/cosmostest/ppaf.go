package cosmostest

import (
	"fmt"
	"maps"
	"slices"
)

// claim lets a partition of an account with per-partition failover move to the region that the request came to; one that
// is held in its write region does so only when that cannot serve it.
func (a *Account) claim(w *work) *failure {
	s := w.store
	s.mu.RLock()
	p, writer := s.writeRegion(w)
	var name string
	var troubled, held bool
	if p != nil {
		name, troubled, held = s.names[writer], p.troubled, p.held || w.top.cfg.StrictPPAF
	}
	s.mu.RUnlock()
	switch {
	case p == nil || writer == w.site:
		return nil
	case held && a.reachable(name) && !troubled && !a.sick(w.rec, name):
		return w.forbidden()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, f := w.container()
	if f != nil {
		return f
	}
	if now, at := s.writeRegion(w); now == p && at == writer {
		s.moveWriter(c, p, writer, w.site)
		p.writer = w.site
	}
	return nil
}

// writeRegion is the partition that a request is for, nil for none, and its write region.
func (s *store) writeRegion(w *work) (p *partition, writer int) {
	c, f := s.container(w.to.db, w.to.coll)
	if f != nil {
		return nil, noSite // which is told later
	}
	if p = c.byID[w.rec.Range]; p == nil {
		return nil, noSite
	}
	return p, s.writerOf(p)
}

// trouble notes that a fault has answered a write in the write region of its partition.
func (x *exchange) trouble() {
	if !x.top.cfg.PPAF || !x.op.write() || x.rec.Range == "" {
		return
	}
	s := x.account.store
	s.mu.Lock()
	defer s.mu.Unlock()
	c, f := s.container(x.to.db, x.to.coll)
	if f != nil {
		return
	}
	if p := c.byID[x.rec.Range]; p != nil && s.writerOf(p) == x.top.site(x.rec.Region) {
		p.troubled = true
	}
}

// FailoverPartition makes a region the write region of one physical partition, as the service does with
// [Config.PPAF] when the partition is sick where it is; the hub takes it back in the same way. The new region catches
// up first, whatever the lag; when the old one is stopped, what that has not sent is lost (see [Account.Conflicts]).
// From then on the partition is held there as [Config.StrictPPAF] holds all of them: writes to it are answered 403/3
// everywhere else. It is an error on accounts with several write regions and without PPAF.
func (a *Account) FailoverPartition(database, containerID, rangeID, to string) error {
	top := a.top.Load()
	if !top.cfg.PPAF || top.multi() {
		return fmt.Errorf("cosmostest: failover of a partition: Config.PPAF is %t and there are %d write regions; "+
			"allowed: true and 1", top.cfg.PPAF, len(top.cfg.WriteRegions))
	}
	if !a.reachable(to) {
		return fmt.Errorf("cosmostest: failover of a partition: region %q is stopped", to)
	}
	s := a.store
	s.mu.Lock()
	defer s.mu.Unlock()
	c, p, err := s.partition(database, containerID, rangeID)
	if err != nil {
		return fmt.Errorf("cosmostest: failover of a partition: %w", err)
	}
	site, ok := s.sites[regionKey(to)]
	if !ok || !s.present[site] {
		return fmt.Errorf("cosmostest: failover of a partition: no region %q; allowed: one of %q", to, top.cfg.Regions)
	}
	s.settle(s.now().UnixNano())
	if from := s.writerOf(p); from != site {
		s.moveWriter(c, p, from, site)
	}
	p.writer, p.held = site, true
	return nil
}

// partition finds a partition by its id.
func (s *store) partition(database, containerID, rangeID string) (*container, *partition, error) {
	c, f := s.container(database, containerID)
	if f != nil {
		return nil, nil, f
	}
	p, ok := c.byID[rangeID]
	if !ok {
		return nil, nil, fmt.Errorf("no partition %q; allowed: one of %q", rangeID, slices.Sorted(maps.Keys(c.byID)))
	}
	return c, p, nil
}
