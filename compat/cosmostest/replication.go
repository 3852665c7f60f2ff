package cosmostest

import (
	"fmt"
	"time"
)

// anyRegion stands for every region in the replication methods.
const anyRegion = "*"

// SetReplicationLag sets how long writes take from one region to another, in place of [Config.ReplicationLag]; 0 is not
// at all. "*" is every region that the account has now. Writes under way come under it, too, counted from when they were
// made, and their order does not change. Accounts with strong consistency have no lag. A region that the account does not
// have and a negative lag are errors.
func (a *Account) SetReplicationLag(from, to string, lag time.Duration) error {
	if lag < 0 {
		return fmt.Errorf("cosmostest: replication lag is %v; allowed: 0 and more", lag)
	}
	return a.changeLinks(from, to, func(l *link) { l.lag = lag })
}

// PauseReplication keeps writes from getting from one region to another until [Account.ResumeReplication]; they wait.
// "*" is every region that the account has now. Accounts with strong consistency replicate all the same.
func (a *Account) PauseReplication(from, to string) error {
	return a.changeLinks(from, to, func(l *link) { l.paused = true })
}

// ResumeReplication ends [Account.PauseReplication]. What has waited for longer than the lag arrives at once.
func (a *Account) ResumeReplication(from, to string) error {
	return a.changeLinks(from, to, func(l *link) { l.paused = false })
}

// Replicate lets all writes that are under way arrive now, whatever the lag is and whether replication is paused, but
// for those from or to a region that is stopped.
func (a *Account) Replicate() {
	a.store.mu.Lock()
	defer a.store.mu.Unlock()
	a.store.catchUp()
}

// ReplicationBacklog is how many transactions that one region has taken have not reached another one yet. "*" is every
// region.
func (a *Account) ReplicationBacklog(from, to string) (int, error) {
	s := a.store
	s.arrive()
	s.mu.RLock()
	defer s.mu.RUnlock()
	senders, receivers, err := s.ends(from, to)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, st := range s.streams {
		if senders[st.via] && receivers[st.to] {
			n += len(st.waiting)
		}
	}
	return n, nil
}

// changeLinks changes the links between some regions. What was due before arrives before.
func (a *Account) changeLinks(from, to string, change func(*link)) error {
	s := a.store
	s.mu.Lock()
	defer s.mu.Unlock()
	senders, receivers, err := s.ends(from, to)
	if err != nil {
		return err
	}
	s.settle(s.now().UnixNano())
	for i := range senders {
		for j := range receivers {
			if i != j {
				l := s.link(i, j)
				change(&l)
				s.links[[2]int{i, j}] = l
			}
		}
	}
	s.settle(s.now().UnixNano())
	return nil
}

// ends finds the two ends of a link.
func (s *store) ends(from, to string) (senders, receivers map[int]bool, err error) {
	if senders, err = s.regionsCalled(from); err == nil {
		receivers, err = s.regionsCalled(to)
	}
	if err == nil && from != anyRegion && regionKey(from) == regionKey(to) {
		err = fmt.Errorf("cosmostest: replication from %q to itself; allowed: two regions", from)
	}
	return senders, receivers, err
}

// regionsCalled are the regions that a name stands for.
func (s *store) regionsCalled(name string) (map[int]bool, error) {
	out := map[int]bool{}
	for site, region := range s.names {
		if s.present[site] && (name == anyRegion || regionKey(region) == regionKey(name)) {
			out[site] = true
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("cosmostest: replication: no region %q; allowed: %q or one of %q", name, anyRegion, s.names)
	}
	return out, nil
}
