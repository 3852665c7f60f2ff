package debug

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/cosmosretry/cosmosretry/policies"
)

// Options configures a [Page]. Nil and the zero value mean the defaults. New
// copies it.
type Options struct {
	// Keep is how many decisions the page remembers. Default: 200; at most 10,000.
	// Negative: none.
	Keep int
	// Token lets whoever sends it as "Authorization: Bearer …" change the
	// settings, with a POST of their JSON, up to 64 KiB, to the path settings. The
	// document takes the place of all settings, for operations that start later, as
	// Set.Apply does; it does not outlive the program, nor the next change of a
	// watched file. Empty, the default: the page is read-only. A token has 16
	// characters or more.
	Token string
}

// Page is the handler, and the observer that fills its list of decisions.
// It is safe for concurrent use.
type Page struct {
	options Options

	mu        sync.Mutex
	clients   []client
	decisions []policies.Event // oldest first
}

type client struct {
	name string
	set  *policies.Set
}

var (
	_ http.Handler               = (*Page)(nil)
	_ policies.InstalledObserver = (*Page)(nil)
	_ policies.SelectiveObserver = (*Page)(nil)
)

// New returns a page without clients. Pass nil for the default options. It is an
// error when an option is out of its range.
func New(o *Options) (*Page, error) {
	p := new(Page)
	if o != nil {
		p.options = *o
	}
	switch {
	case p.options.Keep == 0:
		p.options.Keep = 200
	case p.options.Keep > 10_000:
		return nil, errors.New("debug: Options.Keep is too large: want 1 to 10000 (0 for the default, negative for none)")
	}
	if n := len(p.options.Token); n > 0 && n < 16 {
		return nil, errors.New("debug: Options.Token is too short: want 16 characters or more (empty for a read-only page)")
	}
	return p, nil
}

// Add puts a client's policies on the page, under a name of the program's
// choice. A client that has the page among its observers is there already, under
// the host of its account, and gets the name.
func (p *Page) Add(name string, set *policies.Set) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.clients {
		if p.clients[i].set == set {
			p.clients[i].name = name
			return
		}
	}
	p.clients = append(p.clients, client{name, set})
}

// Installed implements [policies.InstalledObserver].
func (p *Page) Installed(set *policies.Set) {
	name := set.Cache().Endpoint()
	if u, err := url.Parse(name); err == nil {
		name = u.Host
	}
	p.Add(name, set)
}

// Wants implements [policies.SelectiveObserver]: that an operation has ended is no
// decision.
func (p *Page) Wants(e policies.Event) bool { return e.Kind != policies.EventCompleted }

// Observe implements [policies.Observer]: it remembers a decision.
func (p *Page) Observe(_ context.Context, e policies.Event) {
	if !p.Wants(e) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decisions = append(p.decisions, e)
	if extra := len(p.decisions) - max(p.options.Keep, 0); extra > 0 {
		p.decisions = slices.Delete(p.decisions, 0, extra)
	}
}

func (p *Page) snapshot() (clients []client, decisions []policies.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clients, decisions = slices.Clone(p.clients), slices.Clone(p.decisions)
	slices.Reverse(decisions)
	return clients, decisions
}

func (p *Page) client(name string) (client, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.clients {
		if c.name == name || name == "" && len(p.clients) == 1 {
			return c, true
		}
	}
	return client{}, false
}

// ServeHTTP implements [http.Handler]. Register the page under a path that ends
// in a slash; the last segment of a request's path says what is asked for. The
// answer is 400 for a question or settings that make no sense, 403 without the
// token, 404 for a client that is not on the page, and 409 while the account's
// regions are not known.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	path := r.URL.Path
	switch last := path[strings.LastIndexByte(path, '/')+1:]; {
	case last == "settings" && r.Method == http.MethodPost:
		p.applySettings(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		fail(w, r, http.StatusMethodNotAllowed, "the page is read with GET")
	case last == "":
		p.serveOverview(w, r)
	case last == "settings":
		p.serveSettings(w, r)
	case last == "explain":
		p.serveExplain(w, r)
	default:
		fail(w, r, http.StatusNotFound, "there is nothing here: want the page itself, settings or explain")
	}
}
