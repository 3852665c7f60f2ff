package debug

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// overview is the page itself, and its JSON.
type overview struct {
	Now       time.Time
	Clients   []clientView
	Decisions []policies.Event
}

type clientView struct {
	Name, Endpoint string
	MultiWrite     bool
	PPAF           bool
	BreakerEnabled bool
	// Observed is when the regions were learned, zero while they are unknown.
	Observed  time.Time
	Reads     []regionView
	Writes    []regionView
	Marks     []regioncache.EndpointMark
	Unhealthy []regioncache.PartitionHealth
	Overrides []regioncache.PartitionOverride
	Budget    *budgetView
	// Dropped counts the events that observers have missed.
	Dropped  int64
	Settings []policies.Setting
}

type regionView struct{ Name, Endpoint string }

type budgetView struct {
	Left    float64
	Refused int64
}

func viewOf(c client) clientView {
	cache := c.set.Cache()
	v := clientView{
		Name: c.name, Endpoint: cache.Endpoint(), BreakerEnabled: cache.BreakerEnabled(),
		Marks: cache.Marks(), Unhealthy: cache.Unhealthy(), Overrides: cache.Overrides(),
		Dropped: c.set.Dropped(), Settings: c.set.InForce(),
	}
	if s := cache.Snapshot(); s != nil {
		v.MultiWrite, v.PPAF, v.Observed = s.MultiWrite, s.PPAF, s.Observed
		v.Reads, v.Writes = regions(s.Reads()), regions(s.Writes())
	}
	if b := c.set.Budget(); b != nil {
		v.Budget = new(budgetView)
		v.Budget.Left, v.Budget.Refused = b.Left()
	}
	return v
}

func regions(list []regioncache.Region) []regionView {
	views := make([]regionView, len(list))
	for i := range list {
		views[i] = regionView{list[i].Name, list[i].Endpoint()}
	}
	return views
}

func (p *Page) serveOverview(w http.ResponseWriter, r *http.Request) {
	clients, decisions := p.snapshot()
	o := overview{Now: time.Now().UTC(), Clients: []clientView{}, Decisions: decisions}
	for _, c := range clients {
		o.Clients = append(o.Clients, viewOf(c))
	}
	render(w, r, http.StatusOK, "overview", o)
}

func (p *Page) serveSettings(w http.ResponseWriter, r *http.Request) {
	c, ok := p.client(r.FormValue("client"))
	if !ok {
		fail(w, r, http.StatusNotFound, "there is no client of that name: want ?client= and the name of one on the page")
		return
	}
	render(w, r, http.StatusOK, "settings", viewOf(c))
}

// explanation is the answer to "why would this key go where?".
type explanation struct {
	Client, Collection, PartitionKey string
	Write                            bool
	*regioncache.Explanation
}

func (p *Page) serveExplain(w http.ResponseWriter, r *http.Request) {
	c, ok := p.client(r.FormValue("client"))
	if !ok {
		fail(w, r, http.StatusNotFound, "there is no client of that name: want ?client= and the name of one on the page")
		return
	}
	e := explanation{
		Client: c.name, Collection: strings.Trim(r.FormValue("collection"), "/ "),
		PartitionKey: r.FormValue("key"), Write: r.FormValue("write") != "",
	}
	if parts := strings.Split(e.Collection, "/"); len(parts) != 4 || parts[0] != "dbs" || parts[2] != "colls" {
		fail(w, r, http.StatusBadRequest, "collection must be the path of a container: dbs/<database>/colls/<container>")
		return
	}
	key, err := keyHeader(e.PartitionKey)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	if e.Explanation = c.set.Cache().Explain(r.Context(), e.Collection, key, e.Write); e.Explanation == nil {
		fail(w, r, http.StatusConflict, "the account's regions are not known yet: the client has made no request")
		return
	}
	render(w, r, http.StatusOK, "explain", e)
}

// keyHeader turns what was typed in into what the partition key header carries:
// a JSON array is taken as it is, anything else as one string.
func keyHeader(typed string) (string, error) {
	switch {
	case typed == "":
		return "", nil
	case strings.HasPrefix(typed, "["):
		var values []any
		if err := json.Unmarshal([]byte(typed), &values); err != nil {
			return "", fmt.Errorf("key begins with [ but is no JSON array: %w", err)
		}
		return typed, nil
	}
	header, err := json.Marshal([]string{typed})
	return string(header), err
}

// maxSettings is far more than settings can need.
const maxSettings = 64 << 10

func (p *Page) applySettings(w http.ResponseWriter, r *http.Request) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if p.options.Token == "" || !ok || subtle.ConstantTimeCompare([]byte(token), []byte(p.options.Token)) != 1 {
		fail(w, r, http.StatusForbidden, "the page is read-only without the token of its options")
		return
	}
	c, found := p.client(r.URL.Query().Get("client"))
	if !found {
		fail(w, r, http.StatusNotFound, "there is no client of that name: want ?client= and the name of one on the page")
		return
	}
	document, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSettings))
	if err != nil {
		fail(w, r, http.StatusRequestEntityTooLarge, err.Error())
		return
	}
	settings, err := policies.ParseSettings(document)
	if err == nil {
		err = c.set.Apply(settings)
	}
	if err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	render(w, r, http.StatusOK, "settings", viewOf(c))
}
