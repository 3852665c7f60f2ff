package regioncache

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// marking is a way to mark an endpoint.
type marking struct {
	set    func(c *Cache, host string)
	reason string
	writes bool // concerns writes alone
}

var markings = map[string]marking{
	"unavailable":     {(*Cache).MarkUnavailable, "unavailable", false},
	"account lost":    {(*Cache).MarkAccountLost, "account lost", false},
	"write forbidden": {(*Cache).MarkWriteForbidden, "write forbidden", true},
}

func TestMarkPutsBehind(t *testing.T) {
	for name, m := range markings {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(t, multi, nil)
				m.set(c, hostOf(east))
				for _, op := range []*wire.Operation{read("[1]"), metadata(wire.KindRead), write("[1]")} {
					want := []string{west, north, east}
					if m.writes && op.Reads() {
						want = accountOrder
					}
					equal(t, op.Scope.String()+" "+op.Kind.String(), route(c, context.Background(), op), want)
				}
				equal(t, "the only region of metadata writes", route(c, context.Background(), metadata(wire.KindCreate)), []string{east})
			})
		})
	}
}

func TestMarkEnds(t *testing.T) {
	for name, m := range markings {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(t, multi, nil)
				m.set(c, hostOf(east))
				until := time.Now().Add(60 * time.Second)
				equal(t, "marks", c.Marks(), []EndpointMark{{hostOf(east), east, m.reason, until}})
				time.Sleep(60*time.Second - 1)
				is(t, "just before its end", choose(t, c, write("[1]")), west)
				time.Sleep(time.Nanosecond)
				is(t, "at its end", choose(t, c, write("[1]")), east)
				is(t, "marks", len(c.Marks()), 0)
			})
		})
	}
}

func TestMarkAgainStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, multi, &Options{UnavailableFor: time.Second})
		c.MarkUnavailable(hostOf(east))
		time.Sleep(600 * time.Millisecond)
		c.MarkUnavailable(hostOf(east))
		time.Sleep(600 * time.Millisecond)
		is(t, "region", choose(t, c, read("[1]")), west)
	})
}

func TestMarkClearedBy(t *testing.T) {
	answers := map[string]func(c *Cache, op *wire.Operation, host string){
		"an answer":   func(c *Cache, op *wire.Operation, host string) { c.Answered(op, host, http.Header{}) },
		"any failure": func(c *Cache, op *wire.Operation, host string) { c.Reached(op, host) },
	}
	for markName, m := range markings {
		for answerName, answer := range answers {
			for _, op := range []*wire.Operation{read("[1]"), write("[1]"), metadata(wire.KindRead), metadata(wire.KindCreate)} {
				t.Run(markName+" by "+answerName+" to "+op.Scope.String()+" "+op.Kind.String(), func(t *testing.T) {
					c := newCache(t, multi, nil)
					m.set(c, hostOf(east))
					m.set(c, hostOf(north))
					answer(c, op, hostOf(west))
					is(t, "after one of another endpoint", len(c.Marks()), 2)
					answer(c, op, hostOf(east))
					want := 1
					if m.writes && op.Reads() {
						want = 2
					}
					is(t, "after its own", len(c.Marks()), want)
				})
			}
		}
	}
}

// TestMarkStaysWhenAnswerMarks has an answer come that is about to mark.
func TestMarkStaysWhenAnswerMarks(t *testing.T) {
	c := newCache(t, multi, nil)
	c.MarkAccountLost(hostOf(east))
	fail(c, read("[1]"), east, 9)
	c.AnsweredMarked(read("[1]"), hostOf(east), from("0"))
	is(t, "marks", len(c.Marks()), 1)
	is(t, "its partition is learned", partition(c, read("[1]")), "0")
	is(t, "and counts as answered", len(c.Unhealthy()), 0)
}

func TestMarkReplaced(t *testing.T) {
	c := newCache(t, multi, nil)
	c.MarkUnavailable(hostOf(east))
	c.MarkWriteForbidden(hostOf(east))
	is(t, "an answer that forbids writes shows that reads arrive", choose(t, c, read("[1]")), east)
	c.MarkUnavailable(hostOf(east))
	is(t, "and the reverse", choose(t, c, read("[1]")), west)
	is(t, "marks", len(c.Marks()), 1)
}

func TestMarkAllIsMarkNone(t *testing.T) {
	c := newCache(t, multi, nil)
	for _, region := range accountOrder {
		c.MarkUnavailable(hostOf(region))
	}
	equal(t, "route", route(c, context.Background(), read("[1]")), accountOrder)
}

// TestMarkBeforeExcluded prefers a region in trouble to one that the caller rules out.
func TestMarkBeforeExcluded(t *testing.T) {
	c := newCache(t, multi, nil)
	c.MarkUnavailable(hostOf(east))
	ctx := WithExcludedRegions(context.Background(), west, north)
	equal(t, "route", route(c, ctx, read("[1]")), []string{east})
}

func TestMarkOff(t *testing.T) {
	c := newCache(t, multi, nil)
	c.MarkUnavailable(hostOf(east))
	configure(t, c, &Options{UnavailableFor: -1})
	is(t, "marks after they were switched off", len(c.Marks()), 0)
	for _, m := range markings {
		m.set(c, hostOf(east))
	}
	is(t, "marks", len(c.Marks()), 0)
	is(t, "region", choose(t, c, write("[1]")), east)
}

// TestMarkSparesOtherPartitions has the region refuse the writes of one
// partition, on an account whose partitions fail over one by one.
func TestMarkSparesOtherPartitions(t *testing.T) {
	c := newCache(t, ppaf, nil)
	c.WriteConfirmed(write("[1]"), hostOf(west))
	c.MarkWriteForbidden(hostOf(east))
	is(t, "the partition", choose(t, c, write("[1]")), west)
	is(t, "another one", choose(t, c, write("[2]")), east)
	is(t, "marks", len(c.Marks()), 0)
}

func TestMarkDroppedWithRegion(t *testing.T) {
	c := newCache(t, multi, nil)
	for _, host := range []string{hostOf(east), hostOf(west), "acct.documents.azure.com:443"} {
		c.MarkUnavailable(host)
	}
	learn(t, c, account{readable: []string{east, north}, writable: []string{east, north}, multiWrite: true})
	left := c.Marks()
	is(t, "marks", len(left), 1)
	is(t, "of", left[0].Region, east)
	learn(t, c, multi)
	is(t, "region", choose(t, c, read("[1]")), west)
}

// TestMarkConcurrentSafe has a read that was answered meet a write
// that was forbidden: whichever comes first, the mark stays.
func TestMarkConcurrentSafe(t *testing.T) {
	for range 200 {
		c := newCache(t, single, nil)
		c.MarkUnavailable(hostOf(east))
		done := make(chan struct{})
		go func() {
			defer close(done)
			together(4, func() { c.Answered(read("[1]"), hostOf(east), nil) })
		}()
		c.MarkWriteForbidden(hostOf(east))
		<-done
		is(t, "marks", len(c.Marks()), 1)
	}
}
