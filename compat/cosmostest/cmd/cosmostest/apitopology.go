package main

import (
	"net/http"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// topologyActions are those on the account and its regions.
func (a *api) topologyActions() {
	a.handle("GET /account", func(*http.Request) (any, error) { return a.state(), nil })
	a.handle("PUT /account", a.changeAccount)
	a.handle("POST /failover", a.failover)
	a.handle("POST /regions/{name}", a.onRegion(a.account.AddRegion, nil))
	a.handle("DELETE /regions/{name}", a.onRegion(a.account.RemoveRegion, a.present))
	a.handle("POST /regions/{name}/stop", a.onRegion(a.move(a.account.Stop, true), a.known))
	a.handle("POST /regions/{name}/start", a.onRegion(a.move(a.account.Start, false), a.known))
}

// accountState is the account as it is.
type accountState struct {
	Name         string        `json:"name"`
	Endpoint     string        `json:"endpoint"`
	Stopped      bool          `json:"stopped,omitempty"` // the global endpoint is
	Regions      []regionState `json:"regions"`
	WriteRegions []string      `json:"writeRegions"`
	MultiWrite   bool          `json:"multiWrite"`
	PPAF         bool          `json:"ppaf"`
	Consistency  string        `json:"consistency"`
	LogLimit     int           `json:"logLimit"`

	ReplicationLag    duration `json:"replicationLag"`
	TopologyDelay     duration `json:"topologyDelay"`
	EnforceThroughput bool     `json:"enforceThroughput"`
}

func (a *api) state() accountState {
	cfg := a.account.Config()
	state := accountState{
		Name: cfg.Name, Endpoint: a.account.Endpoint(), Stopped: a.isStopped("global"), Regions: regionStates(a.account),
		WriteRegions: cfg.WriteRegions, MultiWrite: cfg.MultiWrite, PPAF: cfg.PPAF, Consistency: cfg.Consistency,
		LogLimit: cfg.LogLimit, ReplicationLag: duration(cfg.ReplicationLag), TopologyDelay: duration(cfg.TopologyDelay),
		EnforceThroughput: cfg.EnforceThroughput,
	}
	for i := range state.Regions {
		state.Regions[i].Stopped = a.isStopped(state.Regions[i].Name)
	}
	return state
}

// accountChange is what PUT /account can change. What is absent stays.
type accountChange struct {
	Regions      *[]string `json:"regions"`
	WriteRegions *[]string `json:"writeRegions"`
	MultiWrite   *bool     `json:"multiWrite"`
	PPAF         *bool     `json:"ppaf"`
	Tokens       *[]string `json:"tokens"`
	Consistency  *string   `json:"consistency"`
	LogLimit     *int      `json:"logLimit"`

	ReplicationLag    *duration `json:"replicationLag"`
	TopologyDelay     *duration `json:"topologyDelay"`
	EnforceThroughput *bool     `json:"enforceThroughput"`
}

func (a *api) changeAccount(r *http.Request) (any, error) {
	var change accountChange
	if err := read(r, &change); err != nil {
		return nil, err
	}
	if err := a.account.Update(change.apply); err != nil {
		return nil, namedAsInJSON(err)
	}
	return a.state(), nil
}

func (c *accountChange) apply(cfg *cosmostest.Config) error {
	set(&cfg.Regions, c.Regions)
	set(&cfg.WriteRegions, c.WriteRegions)
	set(&cfg.MultiWrite, c.MultiWrite)
	set(&cfg.PPAF, c.PPAF)
	set(&cfg.Tokens, c.Tokens)
	set(&cfg.Consistency, c.Consistency)
	set(&cfg.LogLimit, c.LogLimit)
	set((*duration)(&cfg.ReplicationLag), c.ReplicationLag)
	set((*duration)(&cfg.TopologyDelay), c.TopologyDelay)
	set(&cfg.EnforceThroughput, c.EnforceThroughput)
	return nil
}

// set changes a field if there is something to change it to.
func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// failover moves the write region of the account, or of one partition.
func (a *api) failover(r *http.Request) (any, error) {
	var order struct {
		To        string `json:"to"`
		Database  string `json:"database"`
		Container string `json:"container"`
		Range     string `json:"range"`
	}
	if err := read(r, &order); err != nil {
		return nil, err
	}
	if err := a.present(order.To); err != nil {
		return nil, &fieldError{"to", "is " + quoted(order.To), listed(a.account.Config().Regions)}
	}
	if order.Database+order.Container+order.Range == "" {
		err := a.account.Failover(order.To)
		return a.state(), err
	}
	if err := required("database", order.Database, "container", order.Container, "range", order.Range); err != nil {
		return nil, err
	}
	if err := a.account.FailoverPartition(order.Database, order.Container, order.Range, order.To); err != nil {
		return nil, err
	}
	return a.partitions(order.Database, order.Container)
}

// onRegion is an action on the region that the path names, if check has nothing against it.
func (a *api) onRegion(do, check func(string) error) action {
	return func(r *http.Request) (any, error) {
		if err := nobody(r); err != nil {
			return nil, err
		}
		name := r.PathValue("name")
		if check != nil {
			if err := check(name); err != nil {
				return nil, err
			}
		}
		if err := do(name); err != nil {
			return nil, namedAsInJSON(err)
		}
		return a.state(), nil
	}
}

// present fails unless the account has a region.
func (a *api) present(name string) error {
	regions := a.account.Config().Regions
	for _, region := range regions {
		if sameRegion(region, name) {
			return nil
		}
	}
	return notFound("there is no region %s; allowed: %s", quoted(name), listed(regions))
}

// known fails unless the account has, or had, a region, or the name is that of the global endpoint.
func (a *api) known(name string) error {
	if knows(a.account, name) {
		return nil
	}
	return notFound(`there is no region %s; allowed: "global", %s`, quoted(name), listed(a.account.Config().Regions))
}

// move stops or starts a region, and keeps in mind which are stopped.
func (a *api) move(do func(string) error, stop bool) func(string) error {
	return func(name string) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		if err := do(name); err != nil {
			return &statusError{http.StatusInternalServerError, err}
		}
		a.stopped[squeezed(name)] = stop
		return nil
	}
}

func (a *api) isStopped(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stopped[squeezed(name)]
}
