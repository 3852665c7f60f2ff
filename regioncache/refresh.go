package regioncache

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
)

// refresher runs the on-demand account reads: one at a time, and after one that
// succeeded none for the refresh interval.
type refresher struct {
	mu      sync.Mutex
	running chan struct{} // closed at the end of the read under way
	last    time.Time     // start of the last read that succeeded and counts
	tried   time.Time     // start of the last read
	failed  time.Time     // end of the last one, when it failed
	misses  int           // failures in a row
}

// freeMisses is how many reads in a row may fail before the next one has to wait
// for a second: a failure leaves the interval free, but in an outage every
// request would begin the next read.
const freeMisses = 3

// Refresh begins an account read, unless one is under way or the last one is
// younger than the refresh interval, and returns a channel that is closed when
// the read under way ends. It returns nil when there is none to wait for, which
// is always so without an [AccountReader].
//
// The global endpoint is asked first, then every readable region, excluded ones
// too, 5 s each. A read that fails changes nothing and leaves the interval
// free; an answer older than what is known is ignored. Refresh itself never
// blocks (retry specification, "403 — Forbidden").
func (c *Cache) Refresh() <-chan struct{} {
	return c.refreshSince(func(r *refresher) time.Time { return r.last }, true)
}

// LookAround is [Cache.Refresh] for an endpoint that could not be reached: it
// may be gone because the account has moved its write region. The service does
// not say so, and in an outage many requests ask; so a read that failed counts
// for the interval, too.
func (c *Cache) LookAround() <-chan struct{} {
	return c.refreshSince(func(r *refresher) time.Time { return r.tried }, false)
}

// refreshSince begins a read unless the last one, as last tells it, is too young.
// counts says that it takes the interval of [Cache.Refresh], which a mere look
// around must not.
func (c *Cache) refreshSince(last func(*refresher) time.Time, counts bool) <-chan struct{} {
	cfg := c.config.Load()
	if cfg.Account == nil || cfg.RefreshInterval < 0 {
		return nil
	}
	now := time.Now()
	r := &c.refresher
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running != nil {
		return r.running
	}
	if at := last(r); !at.IsZero() && now.Sub(at) < cfg.RefreshInterval {
		return nil
	}
	if r.misses >= freeMisses && now.Sub(r.failed) < min(cfg.RefreshInterval, reuseFailure) {
		return nil
	}
	r.tried = now
	r.running = make(chan struct{})
	go c.refresh(cfg, r.running, counts)
	return r.running
}

func (c *Cache) refresh(cfg *Options, done chan struct{}, counts bool) {
	started := time.Now()
	ok := false
	defer func() {
		r := &c.refresher
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case ok && counts:
			r.last, r.misses = started, 0
		case ok:
			r.misses = 0
		default:
			r.failed, r.misses = time.Now(), r.misses+1
		}
		r.running = nil
		close(done)
	}()
	var err error
	for _, endpoint := range c.refreshEndpoints() {
		if err = c.readAccount(cfg, endpoint); err == nil {
			ok = true
			c.emit(event.KindRefreshed, "", "read from "+endpoint)
			return
		}
	}
	cause, _, _ := strings.Cut(err.Error(), "\n") // a response error prints its whole response
	c.emitEvent(event.Event{Kind: event.KindRefreshed, Failed: true, Reason: "no endpoint told the account's regions: " + cause})
}

// refreshEndpoints lists whom to ask for the account: the global endpoint,
// then the readable regions.
func (c *Cache) refreshEndpoints() []string {
	endpoints := []string{c.endpoint.String()}
	if s := c.snapshot.Load(); s != nil {
		for _, r := range s.topology.readable {
			if r.addr != c.pinned.addr {
				endpoints = append(endpoints, r.Endpoint())
			}
		}
	}
	return endpoints
}

func (c *Cache) readAccount(cfg *Options, endpoint string) error {
	// Not under the context of the request that asked: the answer serves all.
	ctx, cancel := context.WithTimeout(context.Background(), cfg.AccountTimeout)
	defer cancel()
	asked := time.Now()
	document, err := callReader(ctx, cfg.Account, endpoint)
	if err != nil {
		return err
	}
	return c.Learn(document, asked)
}

// callReader keeps a reader that panics from ending the process: it runs in a
// goroutine that the program does not know of.
func callReader(ctx context.Context, read AccountReader, endpoint string) (document []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the account reader panicked: %v", p)
		}
	}()
	return read(ctx, endpoint)
}
