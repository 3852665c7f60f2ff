package main

import "net/http"

// replicationActions are those on what regions send each other.
func (a *api) replicationActions() {
	a.handle("GET /replication", a.backlogs)
	a.handle("PUT /replication", a.setLag)
	a.handle("POST /replication/pause", a.onLink(a.account.PauseReplication))
	a.handle("POST /replication/resume", a.onLink(a.account.ResumeReplication))
	a.handle("POST /replication/flush", func(r *http.Request) (any, error) {
		if err := nobody(r); err != nil {
			return nil, err
		}
		a.account.Replicate()
		return a.backlogs(r)
	})
}

// link is the way from one region to another. "*" is every region.
type link struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// linkState is what waits on a link.
type linkState struct {
	link
	Backlog int `json:"backlog"`
}

func (a *api) backlogs(*http.Request) (any, error) {
	out := []linkState{}
	regions := a.account.Config().Regions
	for _, from := range regions {
		for _, to := range regions {
			if from == to {
				continue
			}
			n, err := a.account.ReplicationBacklog(from, to)
			if err != nil {
				return nil, err
			}
			out = append(out, linkState{link{from, to}, n})
		}
	}
	return map[string]any{"links": out}, nil
}

func (a *api) setLag(r *http.Request) (any, error) {
	var order struct {
		link
		Lag *duration `json:"lag"`
	}
	if err := read(r, &order); err != nil {
		return nil, err
	}
	if order.Lag == nil {
		return nil, &fieldError{"lag", "is missing", order.Lag.allowed()}
	}
	if err := a.checkLink(order.link); err != nil {
		return nil, err
	}
	if err := a.account.SetReplicationLag(order.From, order.To, order.Lag.value()); err != nil {
		return nil, err
	}
	return a.backlogs(r)
}

// onLink is an action on a link.
func (a *api) onLink(do func(from, to string) error) action {
	return func(r *http.Request) (any, error) {
		var order link
		if err := read(r, &order); err != nil {
			return nil, err
		}
		if err := a.checkLink(order); err != nil {
			return nil, err
		}
		if err := do(order.From, order.To); err != nil {
			return nil, err
		}
		return a.backlogs(r)
	}
}

func (a *api) checkLink(l link) error {
	for name, region := range map[string]string{"from": l.From, "to": l.To} {
		if region != "*" && a.present(region) != nil {
			return &fieldError{name, "is " + quoted(region), `"*", ` + listed(a.account.Config().Regions)}
		}
	}
	return nil
}
