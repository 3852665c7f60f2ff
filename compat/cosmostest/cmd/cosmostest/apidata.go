package main

import (
	"net/http"
	"time"
)

// dataActions are those on items and on the partitions that they are in.
func (a *api) dataActions() {
	a.handle("POST /seed", a.seed)
	a.handle("GET /items", a.inContainer(a.items, "region"))
	a.handle("GET /conflicts", a.inContainer(a.conflicts))
	a.handle("GET /partitions", a.inContainer(func(q *query) (any, error) { return a.partitions(q.database, q.container) }))
	a.handle("POST /split", a.split)
	a.handle("POST /merge", a.merge)
	a.handle("POST /place", a.place)
}

// container names a container.
type container struct {
	Database  string `json:"database"`
	Container string `json:"container"`
}

func (c container) check() error { return required("database", c.Database, "container", c.Container) }

// query is what the query parameters of an action say.
type query struct {
	database, container string
	region              string
}

// inContainer is an action that looks into a container. more are parameters beside those that name it.
func (a *api) inContainer(do func(*query) (any, error), more ...string) action {
	return func(r *http.Request) (any, error) {
		values, err := parameters(r, append([]string{"database", "container"}, more...)...)
		if err != nil {
			return nil, err
		}
		q := &query{values.Get("database"), values.Get("container"), values.Get("region")}
		if err := (container{q.database, q.container}).check(); err != nil {
			return nil, err
		}
		return do(q)
	}
}

func (a *api) seed(r *http.Request) (any, error) {
	var order struct {
		container
		Items []map[string]any `json:"items"`
	}
	if err := read(r, &order); err != nil {
		return nil, err
	}
	if err := order.check(); err != nil {
		return nil, err
	}
	if err := a.account.Seed(order.Database, order.Container, order.Items...); err != nil {
		return nil, err
	}
	return map[string]int{"count": len(order.Items)}, nil
}

func (a *api) items(q *query) (any, error) {
	items, err := a.account.Items(q.database, q.container, q.region)
	return map[string]any{"count": len(items), "items": items}, err
}

// conflictState is a version of an item that lost.
type conflictState struct {
	ID       string         `json:"id"`
	Region   string         `json:"region"`
	Time     time.Time      `json:"time"`
	Item     map[string]any `json:"item"`
	Deleted  bool           `json:"deleted,omitempty"`
	Winner   map[string]any `json:"winner,omitempty"`
	Outage   bool           `json:"outage,omitempty"`
	Resolved bool           `json:"resolved,omitempty"`
}

func (a *api) conflicts(q *query) (any, error) {
	all, err := a.account.Conflicts(q.database, q.container)
	out := []conflictState{}
	for _, c := range all {
		out = append(out, conflictState{c.ID, c.Region, c.Time.UTC(), c.Item, c.Deleted, c.Winner, c.Outage, c.Resolved})
	}
	return map[string]any{"count": len(out), "conflicts": out}, err
}

// partitionState is a physical partition.
type partitionState struct {
	ID          string           `json:"id"`
	Min         string           `json:"min"`
	Max         string           `json:"max"`
	Parents     []string         `json:"parents,omitempty"`
	WriteRegion string           `json:"writeRegion"`
	LSN         map[string]int64 `json:"lsn"`
}

func (a *api) partitions(database, containerID string) (any, error) {
	all, err := a.account.Partitions(database, containerID)
	out := []partitionState{}
	for _, p := range all {
		out = append(out, partitionState(p))
	}
	return map[string]any{"count": len(out), "partitions": out}, err
}

func (a *api) split(r *http.Request) (any, error) {
	var order struct {
		container
		Range string `json:"range"`
	}
	if err := read(r, &order); err != nil {
		return nil, err
	}
	if err := required("database", order.Database, "container", order.Container, "range", order.Range); err != nil {
		return nil, err
	}
	children, err := a.account.Split(order.Database, order.Container, order.Range)
	return map[string]any{"children": children}, err
}

func (a *api) merge(r *http.Request) (any, error) {
	var order struct {
		container
		Ranges []string `json:"ranges"`
	}
	if err := read(r, &order); err != nil {
		return nil, err
	}
	if err := order.check(); err != nil {
		return nil, err
	}
	merged, err := a.account.Merge(order.Database, order.Container, order.Ranges...)
	return map[string]any{"merged": merged}, err
}

func (a *api) place(r *http.Request) (any, error) {
	var order struct {
		container
		PartitionKey any    `json:"partitionKey"`
		Range        string `json:"range"`
	}
	if err := read(r, &order); err != nil {
		return nil, err
	}
	if err := required("database", order.Database, "container", order.Container, "range", order.Range); err != nil {
		return nil, err
	}
	if err := a.account.Place(order.Database, order.Container, order.PartitionKey, order.Range); err != nil {
		return nil, err
	}
	return a.partitions(order.Database, order.Container)
}

// required takes names and values in turn and refuses the first value that is empty.
func required(namesAndValues ...string) error {
	for i := 0; i < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] == "" {
			return &fieldError{namesAndValues[i], "is missing", "a name"}
		}
	}
	return nil
}
