package regioncache

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Cache is what the policies of one account share: its topology, the marks of
// its endpoints, and the health of its partitions. Requests read immutable
// snapshots; a change publishes a new one. It starts no goroutine except an
// on-demand account read while a request needs one.
//
// A Cache is safe for concurrent use, and clients of the same account can
// share one.
type Cache struct {
	endpoint *url.URL
	pinned   *Region // the endpoint itself, for PinEndpoint

	config     atomic.Pointer[Options]
	snapshot   atomic.Pointer[Snapshot]
	marks      atomic.Pointer[markSet]
	breakers   atomic.Pointer[breakerSet]
	overrides  atomic.Pointer[overrideSet]
	hubs       atomic.Pointer[[]*event.Hub]
	partitions *partitionMap

	// mu serialises the writers of snapshot and marks. It is never held across
	// I/O, a wait or a call into other code.
	mu       sync.Mutex
	reported map[string]bool // preferred names that were reported as unknown

	refresher refresher
	reads     accountReads
}

// New returns a cache for the account at endpoint, the URL that the client is
// made with. It does no I/O. Pass nil for the default options.
//
// An endpoint that is no http or https URL and a nameless region are errors
// that name the argument and what is allowed.
func New(endpoint string, o *Options) (*Cache, error) {
	u, err := parseEndpoint("endpoint", endpoint)
	if err != nil {
		return nil, fmt.Errorf("regioncache: %w", err)
	}
	if strings.Trim(u.Path, "/") != "" {
		// Requests below a path would not be recognised for what they do.
		return nil, errors.New("regioncache: endpoint has a path: want only scheme, host and port")
	}
	c := &Cache{
		endpoint:   u,
		pinned:     &Region{Scheme: u.Scheme, Host: u.Host, addr: hostPort(u.Scheme, u.Host)},
		partitions: newPartitionMap(),
		reported:   map[string]bool{},
	}
	if err := c.Configure(o); err != nil {
		return nil, err
	}
	return c, nil
}

// Configure replaces the options, for operations that start later. What the
// cache has learned stays, except what the new options switch off: marks and
// breakers are dropped with their mechanism. Pass nil for the defaults.
func (c *Cache) Configure(o *Options) error {
	cfg := o.withDefaults()
	if err := cfg.validate(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.config.Swap(&cfg)
	if old == nil || old.Breaker != cfg.Breaker {
		c.breakers.Store(newBreakerSet(cfg.Breaker.Capacity))
	}
	if old == nil || old.Breaker.Capacity != cfg.Breaker.Capacity {
		c.overrides.Store(newOverrideSet(cfg.Breaker.Capacity))
	}
	if cfg.UnavailableFor < 0 {
		c.marks.Store(nil)
	}
	if s := c.snapshot.Load(); s != nil {
		c.snapshot.Store(newSnapshot(s.topology, cfg.PreferredRegions, cfg.ExcludedRegions, s.Observed))
	}
	return nil
}

// Serves reports whether the cache is for the account at endpoint.
func (c *Cache) Serves(endpoint string) bool {
	u, err := parseEndpoint("endpoint", endpoint)
	return err == nil && hostPort(u.Scheme, u.Host) == c.pinned.addr
}

// EnableBreaker switches the partition circuit breaker on or off, for operations
// that start later, and keeps the other options.
func (c *Cache) EnableBreaker(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cfg := *c.config.Load()
	if cfg.Breaker.Disabled == !on {
		return
	}
	cfg.Breaker.Disabled = !on
	c.config.Store(&cfg)
	c.breakers.Store(newBreakerSet(cfg.Breaker.Capacity))
}

// Endpoint is the account endpoint that the cache was made for.
func (c *Cache) Endpoint() string { return c.endpoint.String() }

// Snapshot returns what is known of the account's regions now, nil before the
// first account read.
func (c *Cache) Snapshot() *Snapshot { return c.snapshot.Load() }

// MultiWrite reports whether every writable region takes item writes. It is
// false before the first account read.
func (c *Cache) MultiWrite() bool {
	s := c.snapshot.Load()
	return s != nil && s.MultiWrite
}

// BreakerEnabled reports whether partition failures are tracked. When not,
// failing answers mark the whole endpoint.
func (c *Cache) BreakerEnabled() bool { return !c.config.Load().Breaker.Disabled }

// Learn takes the account's topology from an account document that was asked
// for at the given time. A document that is not an account's is an error and
// changes nothing; one that is older than what is known is ignored.
func (c *Cache) Learn(document []byte, asked time.Time) error {
	t, err := parseAccount(document, c.endpoint.Scheme)
	if err != nil {
		return fmt.Errorf("regioncache: %w", err)
	}
	now := time.Now()
	c.mu.Lock()
	if s := c.snapshot.Load(); s != nil && asked.Before(s.Observed) {
		c.mu.Unlock()
		return nil
	}
	cfg := c.config.Load()
	s := newSnapshot(t, cfg.PreferredRegions, cfg.ExcludedRegions, asked)
	c.snapshot.Store(s)
	c.dropMarks(s, now)
	if !s.PPAF {
		c.overrides.Load().purge()
	}
	var unknown []string
	for _, name := range t.unknown(cfg.PreferredRegions) {
		if !c.reported[name] {
			c.reported[name] = true
			unknown = append(unknown, name)
		}
	}
	c.mu.Unlock()

	c.reads.keep(document, asked)
	for _, name := range unknown {
		cfg.Logger.Warn("cosmos: preferred region is not a region of the account and is skipped",
			"region", name, "endpoint", c.endpoint.Host)
	}
	return nil
}

// Answered tells the cache that host answered an operation with anything but a
// failure: its mark goes, its partition's failures are forgotten, and the
// answer may tell which physical partition gave it.
func (c *Cache) Answered(op *wire.Operation, host string, h http.Header) {
	c.clearMark(host, op.Writes())
	c.AnsweredMarked(op, host, h)
}

// AnsweredMarked is [Cache.Answered] for an answer that is about to mark the
// endpoint: a mark that it has already stays.
func (c *Cache) AnsweredMarked(op *wire.Operation, host string, h http.Header) {
	if op.Scope != wire.ScopeItem {
		return
	}
	p, located := c.partitions.learn(op, h)
	if b := c.breakers.Load(); b.size.Load() > 0 {
		if located {
			c.adopt(op, p)
		}
		b.succeed(breakerKey{partition: p, host: host, write: op.Writes()})
	}
}

// PartitionFailed counts a failure of the operation's partition in a region.
func (c *Cache) PartitionFailed(op *wire.Operation, host string) {
	cfg, s := c.config.Load(), c.snapshot.Load()
	if s == nil || !managed(cfg, s, op) {
		return
	}
	c.countFailure(cfg, breakerKey{partition: c.partitions.resolve(op), host: host, write: op.Writes()})
}

func (c *Cache) countFailure(cfg *Options, key breakerKey) {
	if c.breakers.Load().fail(key, &cfg.Breaker, time.Now()) {
		c.emitPartition(event.KindBreakerOpened, key, "too many failures in a row")
	}
}

// adopt counts the failures of a partition key value for the partition that it
// turned out to live in. Without that, the failure that came before the first
// answer would be lost, and each new key would leave one behind.
func (c *Cache) adopt(op *wire.Operation, p Partition) {
	cfg, s := c.config.Load(), c.snapshot.Load()
	if s == nil {
		return
	}
	logical := p
	logical.ID, logical.Logical, logical.value = "", true, c.partitions.hash(op.PartitionKey)
	for _, r := range union(s.topology.readable, s.topology.writable) {
		for _, write := range [2]bool{false, true} {
			n := c.breakers.Load().take(breakerKey{logical, r.Host, write}, cfg.Breaker.CounterReset, time.Now())
			for range n {
				c.countFailure(cfg, breakerKey{p, r.Host, write})
			}
		}
	}
}

// PartitionGone tells the cache that the container's partitions have changed.
func (c *Cache) PartitionGone(op *wire.Operation) { c.partitions.gone(op) }

// Reached takes the mark of an endpoint that answered at all, if badly.
func (c *Cache) Reached(op *wire.Operation, host string) {
	c.clearMark(host, op.Writes())
}

// MarkUnavailable puts an endpoint behind the others for a while.
func (c *Cache) MarkUnavailable(host string) { c.setMark(host, markUnreachable, time.Now()) }

// MarkAccountLost does so after 403/1008: the region no longer has the account.
func (c *Cache) MarkAccountLost(host string) { c.setMark(host, markAccountLost, time.Now()) }

// MarkWriteForbidden does so for writes only, after 403/3. On an account with
// PPAF that answer is about one partition, and must not send the writes of all
// others elsewhere: the override that the next success leaves says it all.
func (c *Cache) MarkWriteForbidden(host string) {
	if s := c.snapshot.Load(); s != nil && s.PPAF {
		return
	}
	c.setMark(host, markWriteForbidden, time.Now())
}

// WriteConfirmed tells the cache that host took a write of the operation's
// partition, or answered it with 409 or 412. On an account with PPAF, that
// region is where the partition's next write starts.
func (c *Cache) WriteConfirmed(op *wire.Operation, host string) {
	s := c.snapshot.Load()
	if s == nil || !s.PPAF || op.Scope != wire.ScopeItem || !op.Writes() {
		return
	}
	overrides, isHub := c.overrides.Load(), host == s.hub().Host
	switch {
	case isHub && overrides.empty():
	case isHub:
		if overrides.remove(c.partitions.resolve(op)) {
			c.moved(op, host, "the write region took the write")
		}
	default:
		p := c.partitions.resolve(op)
		moved := overrides.set(p, host)
		if c.snapshot.Load() != s {
			// The account may just have switched PPAF off, and dropped the others.
			overrides.remove(p)
			return
		}
		if moved {
			c.moved(op, host, "this region took the write")
		}
	}
}
