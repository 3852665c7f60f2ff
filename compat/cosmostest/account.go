package cosmostest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// TB is the part of *testing.T, *testing.B and *testing.F that [New] uses. It is spelled out here so that programs which
// use this package do not link the testing package.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Account is a Cosmos DB account that exists for as long as the process does. Make one with [New] or [NewAccount]; the
// zero value is not usable. All methods are safe for concurrent use.
type Account struct {
	top    atomic.Pointer[topology]
	faults atomic.Pointer[faultSet]
	store  *store
	log    requestLog

	activities atomic.Uint64 // for activity ids
	ca         func() (*authority, error)
	network    atomic.Pointer[network] // nil until Listen
	admin      chan struct{}           // holds one element while sockets are opened or closed

	mu      sync.Mutex // guards what follows; never held across I/O or a wait
	stopped map[string]bool
	gates   map[string]*gate  // by region key; nil until Listen; replaced, never changed
	clients []*http.Transport // made by Client, to make them forget idle connections
	closed  bool
}

// NewAccount makes an account. Pass nil to accept the default values. The error for a bad config names the field and
// what is allowed.
func NewAccount(c *Config) (*Account, error) {
	cfg := c.clone()
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	top, err := newTopology(cfg, nil, nil, now())
	if err != nil {
		return nil, err
	}
	a := &Account{store: newStore(now), stopped: map[string]bool{}, admin: make(chan struct{}, 1)}
	a.ca = sync.OnceValues(func() (*authority, error) { return newAuthority("cosmostest " + top.cfg.Name) })
	a.faults.Store(&faultSet{})
	a.store.mu.Lock()
	defer a.store.mu.Unlock()
	a.publish(top)
	for _, ct := range top.cfg.Containers {
		a.store.addContainer(ct)
	}
	return a, nil
}

// publish puts a topology in force. The caller holds the store's lock.
func (a *Account) publish(top *topology) {
	a.store.adopt(top)
	top.sites = maps.Clone(a.store.sites)
	a.top.Store(top)
}

// New makes an account for a test: a bad config fails the test, and the account is closed when the test ends.
func New(tb TB, c *Config) *Account {
	tb.Helper()
	a, err := NewAccount(c)
	if err != nil {
		tb.Fatalf("%v", err)
		return nil
	}
	tb.Cleanup(func() { _ = a.Close() })
	return a
}

// Endpoint is the URL of the global endpoint: "https://acct.documents.azure.com:443/" in process, a loopback URL after
// [Account.Listen].
func (a *Account) Endpoint() string { return a.top.Load().endpoints[globalName] }

// RegionEndpoint is the URL of one region, such as "https://acct-eastus.documents.azure.com:443/", or its loopback URL
// after [Account.Listen]. It is empty for a region that the account never had.
func (a *Account) RegionEndpoint(region string) string {
	return a.top.Load().endpoints[regionKey(region)]
}

// Config returns the account's config as it is now, with all defaults filled in.
func (a *Account) Config() Config {
	cfg := a.top.Load().cfg
	return cfg.clone()
}

// Update changes the account at run time: change gets a copy of the config as it was last given (defaults not filled
// in), and the next account read tells the result. Name and Containers cannot change, and a new Now is ignored. A region
// that goes away still answers: 403/1008, the account is not there. When another Update comes between, change is called again with the newer
// config. [Account.Failover], [Account.AddRegion] and [Account.RemoveRegion] do the same with what is usual there.
func (a *Account) Update(change func(*Config) error) error { return a.update(change, 0) }

// update is Update with a result that account reads tell only after a delay.
func (a *Account) update(change func(*Config) error, delay time.Duration) error {
	for {
		before := a.top.Load()
		cfg := before.raw.clone()
		if err := change(&cfg); err != nil {
			return err
		}
		after, err := a.newTopology(cfg, before, delay)
		if err != nil {
			return err
		}
		if a.replace(before, after) {
			return nil
		}
	}
}

// replace publishes a topology, unless it is not made from the one that is in force.
func (a *Account) replace(before, after *topology) bool {
	a.store.mu.Lock()
	defer a.store.mu.Unlock()
	if a.top.Load() != before {
		return false
	}
	a.publish(after)
	return true
}

// newTopology checks what may not change, and opens the listeners of new regions.
func (a *Account) newTopology(cfg Config, before *topology, delay time.Duration) (*topology, error) {
	from := a.store.now().Add(delay)
	after, err := newTopology(cfg, before, nil, from)
	if err != nil {
		return nil, err
	}
	if after.cfg.Name != before.cfg.Name {
		return nil, configError("Name", cfg.Name, "the name it was made with, "+before.cfg.Name)
	}
	if len(after.cfg.Containers) != len(before.cfg.Containers) {
		return nil, configError("Containers", len(cfg.Containers), "no change; create containers with a client")
	}
	if n := a.network.Load(); n != nil {
		if err := n.openGates(after.cfg.Regions); err != nil {
			return nil, err
		}
		return newTopology(cfg, before, a.listening(), from)
	}
	return after, nil
}

// Stop makes a region ("global" for the global endpoint) unreachable: its connections are refused until
// [Account.Start]. On listeners the port is closed and live connections are cut. The region is cut off from the other
// regions, too: writes that it has not sent yet stay where they are, and those of the others wait for it. (For a region
// whose network in front of it fails, use a [Fault].)
func (a *Account) Stop(region string) error { return a.setStopped(region, true) }

// Start makes a stopped region reachable again, on the same port, and lets it catch up with the other regions. Starting a
// region that is not stopped does nothing.
func (a *Account) Start(region string) error { return a.setStopped(region, false) }

func (a *Account) setStopped(region string, stopped bool) error {
	key := regionKey(region)
	top := a.top.Load()
	if _, ok := top.names[key]; !ok {
		return fmt.Errorf("cosmostest: no region %q; allowed: %q or one of %q", region, globalName, top.cfg.Regions)
	}
	if a.network.Load() != nil {
		defer a.administer()()
		if err := a.moveGate(key, stopped); err != nil {
			return err
		}
	}
	a.mu.Lock()
	a.stopped[key] = stopped
	a.mu.Unlock()
	if site, ok := top.sites[key]; ok {
		a.store.mu.Lock()
		defer a.store.mu.Unlock()
		a.store.setDown(site, stopped)
	}
	return nil
}

// moveGate closes or opens the listener of a region.
func (a *Account) moveGate(key string, stop bool) error {
	g := a.allGates()[key]
	if g == nil {
		return nil
	}
	if stop {
		a.forgetIdle()
		g.stop()
		return nil
	}
	a.mu.Lock()
	closed := a.closed
	a.mu.Unlock()
	if closed {
		return errors.New("cosmostest: start: the account is closed")
	}
	if err := g.open(); err != nil {
		return fmt.Errorf("cosmostest: start %s: %w", g.name, err)
	}
	return nil
}

// reachable reports whether the named region takes connections.
func (a *Account) reachable(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.stopped[regionKey(name)]
}

// locate is topology.locate plus Stop.
func (a *Account) locate(u *url.URL) (name string, reachable bool) {
	name, reachable = a.top.Load().locate(u)
	return name, reachable && a.reachable(name)
}

// Close ends the account: listeners are closed, live connections are cut, and their goroutines are gone when it
// returns. In process there is nothing to release. Closing twice is fine; the error is always nil.
func (a *Account) Close() error {
	if a.network.Load() == nil {
		return nil
	}
	defer a.administer()()
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	for _, g := range a.allGates() {
		g.close()
		g.release()
	}
	return nil
}
