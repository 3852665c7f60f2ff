package regioncache

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Regions of the account that most tests use, in account order.
const (
	east  = "East US"
	west  = "West US"
	north = "North Europe"
)

const (
	endpoint  = "https://acct.documents.azure.com:443/"
	container = "dbs/d/colls/c"
)

// account describes an account document.
type account struct {
	readable, writable []string
	multiWrite, ppaf   bool
}

var (
	single = account{readable: []string{east, west, north}, writable: []string{east}}
	ppaf   = account{readable: []string{east, west, north}, writable: []string{east}, ppaf: true}
	multi  = account{readable: []string{east, west, north}, writable: []string{east, west, north}, multiWrite: true}
)

// hostOf is the host of a region, as the account documents of these tests spell it.
func hostOf(region string) string {
	return "acct-" + regionKey(region) + ".documents.azure.com:443"
}

func hostsOf(regions ...string) []string {
	hosts := make([]string, len(regions))
	for i, r := range regions {
		hosts[i] = hostOf(r)
	}
	return hosts
}

func (a account) document() []byte {
	locations := func(names []string) []accountLocation {
		list := []accountLocation{}
		for _, name := range names {
			list = append(list, accountLocation{Name: name, Endpoint: "https://" + hostOf(name) + "/"})
		}
		return list
	}
	b, err := json.Marshal(accountDocument{
		ReadableLocations: locations(a.readable), WritableLocations: locations(a.writable),
		EnableMultipleWriteLocations: a.multiWrite, EnablePerPartitionFailover: a.ppaf,
	})
	if err != nil {
		panic(err)
	}
	return b
}

// newCache makes a cache that knows an account.
func newCache(tb testing.TB, a account, o *Options) *Cache {
	tb.Helper()
	c := emptyCache(tb, o)
	learn(tb, c, a)
	return c
}

// emptyCache makes a cache that knows nothing yet, and keeps its warnings to
// itself unless the options have a logger.
func emptyCache(tb testing.TB, o *Options) *Cache {
	tb.Helper()
	quiet := Options{}
	if o != nil {
		quiet = *o
	}
	if quiet.Logger == nil {
		quiet.Logger = slog.New(slog.DiscardHandler)
	}
	c, err := New(endpoint, &quiet)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func learn(tb testing.TB, c *Cache, a account) {
	tb.Helper()
	if err := c.Learn(a.document(), time.Now()); err != nil {
		tb.Fatal(err)
	}
}

func read(pk string) *wire.Operation  { return item(wire.KindRead, pk) }
func write(pk string) *wire.Operation { return item(wire.KindUpsert, pk) }

func item(kind wire.Kind, pk string) *wire.Operation {
	return &wire.Operation{Kind: kind, Scope: wire.ScopeItem, Collection: container, PartitionKey: pk}
}

func metadata(kind wire.Kind) *wire.Operation {
	return &wire.Operation{Kind: kind, Scope: wire.ScopeMetadata, Collection: container}
}

// from is the header of an answer that a physical partition gave.
func from(id string) http.Header { return http.Header{wire.HeaderPartitionKeyRangeID: {id}} }

// located teaches the cache that a key lives in a physical partition.
func located(c *Cache, pk, id string) { c.Answered(read(pk), hostOf(east), from(id)) }

// choose returns the name of the region that an operation's next attempt goes
// to, and fails the test when the attempt is a probe.
func choose(tb testing.TB, c *Cache, op *wire.Operation, failed ...string) string {
	tb.Helper()
	choice := c.Choose(context.Background(), op, hostsOf(failed...))
	if choice.Probe != nil {
		choice.Probe.Released()
		tb.Errorf("the attempt is a probe of %s", choice.Region.Name)
	}
	return nameOf(choice.Region)
}

func nameOf(r *Region) string {
	if r == nil {
		return ""
	}
	return r.Name
}

// fail counts n failures of an operation's partition in a region.
func fail(c *Cache, op *wire.Operation, region string, n int) {
	for range n {
		c.PartitionFailed(op, hostOf(region))
	}
}

// probe takes the probe of an operation's partition in a region, nil when none is due.
func probe(c *Cache, op *wire.Operation, region string) *Probe {
	return c.breakers.Load().probe(breakerKey{c.partitions.resolve(op), hostOf(region), op.Writes()})
}

// route lists the regions that an operation visits when each fails in turn,
// until it comes to one again.
func route(c *Cache, ctx context.Context, op *wire.Operation) []string {
	var names, failed []string
	for {
		choice := c.Choose(ctx, op, failed)
		if choice.Probe != nil {
			choice.Probe.Released()
		}
		if choice.Again || slices.Contains(failed, choice.Region.Host) {
			return names
		}
		names = append(names, choice.Region.Name)
		failed = append(failed, choice.Region.Host)
	}
}

func equal[T comparable](tb testing.TB, what string, got, want []T) {
	tb.Helper()
	if !slices.Equal(got, want) {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func is[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// key is the partition key header of the nth document.
func key(n int) string { return fmt.Sprintf(`["tenant-%07d"]`, n) }

func long(n int) string { return `["` + strings.Repeat("x", n) + `"]` }
