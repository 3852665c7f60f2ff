package regioncache

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

func TestOptionsDefaults(t *testing.T) {
	want := Options{
		UnavailableFor: 60 * time.Second, RefreshInterval: 5 * time.Second, AccountTimeout: 5 * time.Second,
		Breaker: BreakerOptions{ReadFailures: 10, WriteFailures: 5, CounterReset: 5 * time.Minute, UnavailableFor: 5 * time.Second, Capacity: 8192},
	}
	for name, o := range map[string]*Options{
		"nil": nil, "zero": {}, "negative where that means the default": {AccountTimeout: -1, Breaker: BreakerOptions{UnavailableFor: -1, Capacity: -1}},
	} {
		got := o.withDefaults()
		if got.Logger == nil {
			t.Errorf("%s: no logger", name)
		}
		is(t, name+": UnavailableFor", got.UnavailableFor, want.UnavailableFor)
		is(t, name+": RefreshInterval", got.RefreshInterval, want.RefreshInterval)
		is(t, name+": AccountTimeout", got.AccountTimeout, want.AccountTimeout)
		is(t, name+": Breaker", got.Breaker, want.Breaker)
	}
}

func TestOptionsAreCopied(t *testing.T) {
	o := &Options{PreferredRegions: []string{north}, ExcludedRegions: []string{west}, Logger: slog.New(slog.DiscardHandler)}
	c := newCache(t, multi, o)
	o.PreferredRegions[0], o.ExcludedRegions[0], o.Breaker.Disabled, o.PinEndpoint = east, east, true, true
	learn(t, c, multi)
	equal(t, "route", route(c, context.Background(), read("[1]")), []string{north, east})
	is(t, "breaker", c.BreakerEnabled(), true)
}

func TestNewErrors(t *testing.T) {
	for name, test := range map[string]struct {
		endpoint string
		o        Options
		names    string
	}{
		"no endpoint":            {"", Options{}, "endpoint"},
		"no URL":                 {"https://acct .com", Options{}, "endpoint"},
		"no scheme":              {"acct.documents.azure.com", Options{}, "want https"},
		"a host and a port":      {"acct.documents.azure.com:443", Options{}, "want https"},
		"another scheme":         {"ftp://acct", Options{}, `has the scheme "ftp"`},
		"no host":                {"https://", Options{}, "has no host"},
		"a connection string":    {"AccountEndpoint=https://acct;AccountKey=secret", Options{}, "want https"},
		"one without a colon":    {"AccountEndpoint=acct;AccountKey=secret", Options{}, "want https"},
		"a path":                 {endpoint + "secret", Options{}, "has a path"},
		"a user":                 {"https://user:secret@acct/", Options{}, "user information"},
		"a nameless preference":  {endpoint, Options{PreferredRegions: []string{east, " "}}, "PreferredRegions[1]"},
		"a nameless exclusion":   {endpoint, Options{ExcludedRegions: []string{""}}, "ExcludedRegions[0]"},
		"a name that is a comma": {endpoint, Options{ExcludedRegions: []string{"-_-"}}, "ExcludedRegions[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(test.endpoint, &test.o)
			if err == nil || c != nil {
				t.Fatalf("%v, %v: want an error", c, err)
			}
			if !strings.HasPrefix(err.Error(), "regioncache: ") || !strings.Contains(err.Error(), test.names) {
				t.Errorf("error %q does not name %q", err, test.names)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("error %q tells the secret", err)
			}
		})
	}
}

func TestUnknownPreferredRegionIsReportedOnce(t *testing.T) {
	var log bytes.Buffer
	c := newCache(t, single, &Options{
		PreferredRegions: []string{"Mars", west, "mars", "Moon"}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	learn(t, c, single)
	if n := strings.Count(log.String(), "Mars"); n != 1 {
		t.Errorf("Mars is reported %d times:\n%s", n, &log)
	}
	for _, name := range []string{"Moon", "acct.documents.azure.com"} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log does not name %q:\n%s", name, &log)
		}
	}
	if strings.Contains(log.String(), "West") {
		t.Errorf("a region of the account is reported:\n%s", &log)
	}
	log.Reset()
	configure(t, c, &Options{PreferredRegions: []string{"Mars", "Venus"}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	learn(t, c, single)
	if got := log.String(); strings.Contains(got, "Mars") || !strings.Contains(got, "Venus") {
		t.Errorf("after a change: %s", got)
	}
}

func TestConfigureBreaker(t *testing.T) {
	c := newCache(t, multi, nil)
	op := read("[1]")
	fail(c, op, east, 10)
	c.MarkUnavailable(hostOf(north))
	configure(t, c, &Options{UnavailableFor: time.Second})
	is(t, "a change elsewhere leaves it open", choose(t, c, op), west)

	configure(t, c, &Options{Breaker: BreakerOptions{Disabled: true}})
	is(t, "switched off", choose(t, c, op), east)
	is(t, "BreakerEnabled", c.BreakerEnabled(), false)
	fail(c, op, east, 1000)
	is(t, "it counts no more", len(c.Unhealthy()), 0)
	is(t, "marks stay", len(c.Marks()), 1)

	configure(t, c, nil)
	is(t, "switched on", c.BreakerEnabled(), true)
	is(t, "it starts afresh", choose(t, c, op), east)
	fail(c, op, east, 10)
	is(t, "and works", choose(t, c, op), west)
}

func TestEnableBreaker(t *testing.T) {
	c := newCache(t, multi, &Options{PreferredRegions: []string{west}, Breaker: BreakerOptions{ReadFailures: 2}})
	fail(c, read("[1]"), west, 2)
	c.EnableBreaker(true)
	is(t, "as it was: it stays open", choose(t, c, read("[1]")), east)
	c.EnableBreaker(false)
	is(t, "off", choose(t, c, read("[1]")), west)
	is(t, "BreakerEnabled", c.BreakerEnabled(), false)
	c.EnableBreaker(true)
	is(t, "on: it starts afresh", choose(t, c, read("[1]")), west)
	fail(c, read("[1]"), west, 2)
	is(t, "with its other options", choose(t, c, read("[1]")), east)
}

func TestServes(t *testing.T) {
	c := emptyCache(t, nil)
	for other, want := range map[string]bool{
		endpoint: true, "https://ACCT.documents.azure.com": true, "https://acct.documents.azure.com:443": true,
		"https://other.documents.azure.com:443/": false, "https://acct.documents.azure.com:8443/": false,
		"http://acct.documents.azure.com/": false, "": false, "acct": false,
	} {
		is(t, other, c.Serves(other), want)
	}
}

func TestConfigureKeepsWhatIsKnown(t *testing.T) {
	c := newCache(t, ppaf, nil)
	located(c, "[1]", "0")
	c.WriteConfirmed(write("[1]"), hostOf(west))
	configure(t, c, &Options{PreferredRegions: []string{north}, Breaker: BreakerOptions{ReadFailures: 3}})
	equal(t, "reads", route(c, context.Background(), read("[1]")), []string{north, east, west})
	equal(t, "writes", route(c, context.Background(), write("[1]")), []string{west, east, north})
	is(t, "partition", partition(c, read("[1]")), "0")
	configure(t, c, &Options{Breaker: BreakerOptions{Capacity: 1}})
	is(t, "overrides after a change of the capacity", len(c.Overrides()), 0)
}

func TestConfigureErrorChangesNothing(t *testing.T) {
	c := newCache(t, multi, &Options{PreferredRegions: []string{north}})
	if err := c.Configure(&Options{PreferredRegions: []string{""}, Breaker: BreakerOptions{Disabled: true}}); err == nil {
		t.Fatal("no error")
	}
	is(t, "region", choose(t, c, read("[1]")), north)
	is(t, "breaker", c.BreakerEnabled(), true)
}

func TestPinEndpoint(t *testing.T) {
	c := newCache(t, multi, &Options{PinEndpoint: true})
	op := read("[1]")
	c.MarkUnavailable("acct.documents.azure.com:443")
	choice := c.Choose(context.Background(), op, []string{"acct.documents.azure.com:443"})
	is(t, "host", choice.Region.Host, "acct.documents.azure.com:443")
	is(t, "endpoints", c.Endpoints(context.Background(), op), 1)
	is(t, "hub", c.Hub(context.Background()), nil)
	is(t, "belongs", c.Belongs(context.Background(), "https", hostOf(east)), nil)
	configure(t, c, nil)
	is(t, "pinned no more", choose(t, c, op), east)
}

func TestNothingKnown(t *testing.T) {
	c := emptyCache(t, nil)
	ctx, op := context.Background(), read("[1]")
	is(t, "region", c.Choose(ctx, op, nil).Region, nil)
	is(t, "endpoints", c.Endpoints(ctx, op), 1)
	is(t, "hub", c.Hub(ctx), nil)
	is(t, "belongs", c.Belongs(ctx, "https", hostOf(east)), nil)
	is(t, "snapshot", c.Snapshot(), nil)
	is(t, "multi-write", c.MultiWrite(), false)
	is(t, "endpoint", c.Endpoint(), endpoint)
	c.Answered(op, hostOf(east), from("0"))
	c.PartitionGone(op)
	learn(t, c, single)
	is(t, "multi-write, single-write account", c.MultiWrite(), false)
	learn(t, c, multi)
	is(t, "multi-write, multi-write account", c.MultiWrite(), true)
	account := &wire.Operation{Scope: wire.ScopeAccount}
	is(t, "the account read", c.Choose(ctx, account, nil).Region, nil)
}

func TestHubAndBelongs(t *testing.T) {
	c := newCache(t, single, &Options{ExcludedRegions: []string{north}})
	ctx := context.Background()
	is(t, "hub", nameOf(c.Hub(ctx)), east)
	is(t, "hub, excluded", nameOf(c.Hub(WithExcludedRegions(ctx, "eastus"))), "")
	for host, want := range map[string]string{
		hostOf(west): west, "ACCT-WestUS.documents.azure.com": west, hostOf(north): "",
		"acct.documents.azure.com:443": "", "acct-westus.documents.azure.com:8443": "", "evil.example": "",
	} {
		is(t, host, nameOf(c.Belongs(ctx, "https", host)), want)
	}
	is(t, "another scheme, hence another port", nameOf(c.Belongs(ctx, "http", "acct-westus.documents.azure.com")), "")
	is(t, "excluded by context", nameOf(c.Belongs(WithExcludedRegions(ctx, west), "https", hostOf(west))), "")
	configure(t, c, &Options{ExcludedRegions: []string{east}})
	is(t, "hub, excluded for all", nameOf(c.Hub(ctx)), "")
}

func TestWithExcludedRegions(t *testing.T) {
	c := newCache(t, multi, nil)
	outer := WithExcludedRegions(context.Background(), "EAST-us", "Mars", "", " ")
	inner := WithExcludedRegions(outer, west, east)
	sibling := WithExcludedRegions(outer, north)
	equal(t, "outer", route(c, outer, read("[1]")), []string{west, north})
	equal(t, "inner adds", route(c, inner, read("[1]")), []string{north})
	equal(t, "a sibling is another one", route(c, sibling, read("[1]")), []string{west})
	is(t, "no regions: the same context", WithExcludedRegions(outer), outer)
	is(t, "endpoints", c.Endpoints(inner, read("[1]")), 1)
}

// TestConcurrentSafe changes everything while requests are routed and end.
func TestConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, multi, &Options{Account: answer(multi), RefreshInterval: time.Millisecond})
		accounts := []account{single, multi, ppaf}
		configurations := []*Options{nil, {Breaker: BreakerOptions{Disabled: true}}, {PreferredRegions: []string{north}}, {UnavailableFor: -1}}
		var n int
		change := func() {
			learn(t, c, accounts[n%len(accounts)])
			configure(t, c, configurations[n%len(configurations)])
			c.Unhealthy()
			c.Marks()
			c.Overrides()
			c.Refresh()
			n++
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 300 {
				change()
				time.Sleep(100 * time.Millisecond)
			}
		}()
		together(8, func() { use(c, done) })
	})
}

// use routes operations until done, and has some of each end in each way.
func use(c *Cache, done <-chan struct{}) {
	ctx := WithExcludedRegions(context.Background(), west)
	for n := 0; ; n++ {
		op := []*wire.Operation{read(key(n % 50)), write(key(n % 50)), metadata(wire.KindRead)}[n%3]
		choice := c.Choose(ctx, op, nil)
		host := choice.Region.Host
		switch n % 7 {
		case 0, 1:
			c.PartitionFailed(op, host)
		case 2:
			c.MarkUnavailable(host)
		case 3:
			c.WriteConfirmed(op, host)
		default:
			c.Answered(op, host, from([]string{"0", "1"}[n%2]))
		}
		if choice.Probe != nil {
			[]func(){choice.Probe.Succeeded, choice.Probe.Released, func() { choice.Probe.Failed(time.Now()) }}[n%3]()
		}
		select {
		case <-done:
			return
		default:
			if n%50 == 0 {
				time.Sleep(time.Second)
			}
		}
	}
}
