package regioncache

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"
)

const (
	// reuseAnswer is how long the answer to an account read serves later ones.
	reuseAnswer = 5 * time.Second
	// reuseFailure is how long a failed account read is not repeated. azcosmos
	// 1.4.1 starts one for every request while the account cannot be read, under
	// a lock that all requests need.
	reuseFailure = time.Second
)

// errAbandoned is the result of a read whose leader went away without one.
var errAbandoned = errors.New("the account read was abandoned")

// accountReads lets the account reads that the client makes by itself share
// one request.
type accountReads struct {
	mu       sync.Mutex
	running  *accountRead
	document []byte
	asked    time.Time
	err      error
	failed   time.Time
}

type accountRead struct {
	done     chan struct{}
	document []byte
	err      error
}

// keep remembers the latest answer, from whatever read.
func (r *accountReads) keep(document []byte, asked time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !asked.Before(r.asked) {
		r.document, r.asked, r.err = document, asked, nil
	}
}

// join returns a result that is fresh enough, or the read under way, or a read
// that the caller must make itself (lead).
func (r *accountReads) join(now time.Time) (read *accountRead, lead bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.document != nil && now.Sub(r.asked) < reuseAnswer:
		return finished(r.document, nil), false
	case r.err != nil && now.Sub(r.failed) < reuseFailure:
		return finished(nil, r.err), false
	case r.running != nil:
		return r.running, false
	}
	r.running = &accountRead{done: make(chan struct{})}
	return r.running, true
}

func finished(document []byte, err error) *accountRead {
	read := &accountRead{done: make(chan struct{}), document: document, err: err}
	close(read.done)
	return read
}

func (r *accountReads) end(read *accountRead, document []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && err != errAbandoned {
		r.err, r.failed = err, time.Now()
	}
	r.running = nil
	read.document, read.err = document, err
	close(read.done)
}

// SharedAccountRead makes an account read with the given function, or shares
// the result of one: the one under way, an answer less than 5 s old, or a
// failure less than 1 s old. The document must be valid for [Cache.Learn],
// which SharedAccountRead does not call. It returns early when ctx is done.
func (c *Cache) SharedAccountRead(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	for {
		flight, lead := c.reads.join(time.Now())
		if lead {
			return c.leadAccountRead(ctx, flight, read)
		}
		select {
		case <-flight.done:
			if flight.err != errAbandoned {
				return flight.document, flight.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *Cache) leadAccountRead(ctx context.Context, flight *accountRead, read func() ([]byte, error)) ([]byte, error) {
	var document []byte
	result := errAbandoned
	defer func() { c.reads.end(flight, document, result) }()
	document, err := read()
	if err != nil && ctx.Err() != nil {
		// The leader's own context says nothing about the account.
		return nil, err
	}
	result = err
	return document, err
}

// AccountHosts lists whom an account read that the client addressed to
// scheme://host may ask, in order and each once: the host itself, then the
// known readable regions; while none are known, the regional endpoints that
// belong to the preferred regions of an account in the public naming scheme.
func (c *Cache) AccountHosts(scheme, host string) []Region {
	hosts := []Region{{Scheme: scheme, Host: host}}
	if r := c.asked(scheme, host); r != nil {
		hosts[0] = *r
	}
	cfg := c.config.Load()
	if cfg.PinEndpoint {
		return hosts
	}
	seen := map[string]bool{hostPort(scheme, host): true}
	add := func(r Region) {
		if addr := hostPort(r.Scheme, r.Host); !seen[addr] {
			seen[addr] = true
			hosts = append(hosts, r)
		}
	}
	if s := c.snapshot.Load(); s != nil {
		for _, r := range prefer(s.topology.readable, cfg.PreferredRegions) {
			add(*r)
		}
		return hosts
	}
	for _, r := range regionalHosts(scheme, host, cfg.PreferredRegions) {
		add(r)
	}
	return hosts
}

// asked names the region of a host, when the topology tells.
func (c *Cache) asked(scheme, host string) *Region {
	if s := c.snapshot.Load(); s != nil {
		return s.byAddr(hostPort(scheme, host))
	}
	return nil
}

// regionalHosts builds the regional endpoints of an account from its host:
// acct.documents.azure.com and "East US" make acct-eastus.documents.azure.com.
// A host that is a regional endpoint itself is recognised. Addresses and
// one-word hosts follow no naming scheme and give none. It is pure.
func regionalHosts(scheme, host string, preferred []string) []Region {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	account, domain, ok := strings.Cut(name, ".")
	if !ok || net.ParseIP(name) != nil {
		return nil
	}
	for _, region := range preferred {
		if base, found := strings.CutSuffix(account, "-"+regionKey(region)); found && base != "" {
			account = base
			break
		}
	}
	regions := []Region{}
	if base := account + "." + domain; base != name {
		regions = append(regions, Region{Scheme: scheme, Host: withPort(base, port)})
	}
	for _, region := range preferred {
		host := withPort(account+"-"+regionKey(region)+"."+domain, port)
		regions = append(regions, Region{Name: region, Scheme: scheme, Host: host})
	}
	return regions
}

func withPort(host, port string) string {
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}
