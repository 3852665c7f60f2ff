package regioncache

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// reader is an account reader that tells whom it was asked to ask.
type reader struct {
	mu    sync.Mutex
	asked []string // "global", or the name of the region
	read  func(ctx context.Context, endpoint string) ([]byte, error)
}

func (r *reader) account(ctx context.Context, endpoint string) ([]byte, error) {
	r.mu.Lock()
	name := "global"
	for _, region := range accountOrder {
		if strings.Contains(endpoint, hostOf(region)) {
			name = region
		}
	}
	r.asked = append(r.asked, name)
	r.mu.Unlock()
	return r.read(ctx, endpoint)
}

func (r *reader) took() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := r.asked
	r.asked = nil
	return asked
}

func answer(a account) func(context.Context, string) ([]byte, error) {
	return func(context.Context, string) ([]byte, error) { return a.document(), nil }
}

// byRegion has one region alone answer.
func byRegion(good string) func(context.Context, string) ([]byte, error) {
	return func(_ context.Context, endpoint string) ([]byte, error) {
		if strings.Contains(endpoint, hostOf(good)) {
			return multi.document(), nil
		}
		return nil, errRead
	}
}

func hangs(ctx context.Context, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func fails(context.Context, string) ([]byte, error) { return nil, errRead }

// refresh waits for a refresh to end, and reports whether there was one.
func refresh(c *Cache) bool {
	done := c.Refresh()
	if done == nil {
		return false
	}
	<-done
	return true
}

func TestRefreshLearns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{read: answer(multi)}
		c := newCache(t, single, &Options{Account: r.account})
		is(t, "refreshed", refresh(c), true)
		is(t, "multi-write", c.Snapshot().MultiWrite, true)
		equal(t, "asked", r.took(), []string{"global"})
	})
}

func TestRefreshAsks(t *testing.T) {
	everybody := []string{"global", east, west, north}
	for name, test := range map[string]struct {
		read  func(context.Context, string) ([]byte, error)
		o     Options
		want  []string
		learn bool
		took  time.Duration
	}{
		"the global endpoint first":   {answer(multi), Options{}, everybody[:1], true, 0},
		"then the readable regions":   {byRegion(west), Options{}, everybody[:3], true, 0},
		"excluded ones too":           {byRegion(north), Options{ExcludedRegions: accountOrder}, everybody, true, 0},
		"in account order":            {byRegion(north), Options{PreferredRegions: []string{north}}, everybody, true, 0},
		"all of them, each once":      {fails, Options{}, everybody, false, 0},
		"past documents that are bad": {func(context.Context, string) ([]byte, error) { return []byte("{}"), nil }, Options{}, everybody, false, 0},
		"past a panic":                {func(context.Context, string) ([]byte, error) { panic("reader") }, Options{}, everybody, false, 0},
		"five seconds each":           {hangs, Options{}, everybody, false, 20 * time.Second},
		"as long as the option says":  {hangs, Options{AccountTimeout: time.Second}, everybody, false, 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &reader{read: test.read}
				test.o.Account = r.account
				c := newCache(t, single, &test.o)
				start := time.Now()
				is(t, "refreshed", refresh(c), true)
				equal(t, "asked", r.took(), test.want)
				is(t, "learned", c.Snapshot().MultiWrite, test.learn)
				is(t, "elapsed", time.Since(start), test.took)
			})
		})
	}
}

// TestRefreshAsksAnEndpointOnce has the account's endpoint be that of a region.
func TestRefreshAsksAnEndpointOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		c := emptyCache(t, &Options{Account: func(context.Context, string) ([]byte, error) { reads++; return nil, errRead }})
		emulator := document(locations(east, "https://ACCT.documents.azure.com/"), "[]", "")
		if err := c.Learn([]byte(emulator), time.Now()); err != nil {
			t.Fatal(err)
		}
		refresh(c)
		is(t, "reads", reads, 1)
	})
}

// TestRefreshInterval has nothing but an on-demand read that succeeds keep the
// next one waiting.
func TestRefreshInterval(t *testing.T) {
	for name, test := range map[string]struct {
		first func(r *reader, c *Cache)
		after time.Duration
		want  bool
	}{
		"after a success":                   {func(_ *reader, c *Cache) { refresh(c) }, 5*time.Second - 1, false},
		"long after a success":              {func(_ *reader, c *Cache) { refresh(c) }, 5 * time.Second, true},
		"after a failure":                   {func(r *reader, c *Cache) { r.read = fails; refresh(c); r.read = answer(single) }, 0, true},
		"after a read that was observed":    {func(*reader, *Cache) {}, 0, true},
		"after a slow one, from its start":  {func(r *reader, c *Cache) { slowly(r, 3*time.Second); refresh(c) }, 2 * time.Second, true},
		"after a slow one, from its start.": {func(r *reader, c *Cache) { slowly(r, 3*time.Second); refresh(c) }, 2*time.Second - 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &reader{read: answer(single)}
				c := newCache(t, single, &Options{Account: r.account})
				test.first(r, c)
				time.Sleep(test.after)
				is(t, "refreshed", refresh(c), test.want)
			})
		})
	}
}

func slowly(r *reader, d time.Duration) {
	read := r.read
	r.read = func(ctx context.Context, endpoint string) ([]byte, error) { time.Sleep(d); return read(ctx, endpoint) }
}

// lookAround is refresh for an endpoint that could not be reached.
func lookAround(c *Cache) bool {
	done := c.LookAround()
	if done == nil {
		return false
	}
	<-done
	return true
}

// TestLookAroundInterval has any read that was tried keep the next look around
// waiting, and no look around a refresh.
func TestLookAroundInterval(t *testing.T) {
	for name, test := range map[string]struct {
		first func(*Cache) bool
		read  func(context.Context, string) ([]byte, error)
		then  func(*Cache) bool
		after time.Duration
		want  bool
	}{
		"soon after a refresh":                  {refresh, answer(single), lookAround, 5*time.Second - 1, false},
		"long after a refresh":                  {refresh, answer(single), lookAround, 5 * time.Second, true},
		"soon after a refresh that failed":      {refresh, fails, lookAround, 5*time.Second - 1, false},
		"soon after a look around":              {lookAround, answer(single), lookAround, 5*time.Second - 1, false},
		"soon after a look around that failed":  {lookAround, fails, lookAround, 5*time.Second - 1, false},
		"a refresh after a look around":         {lookAround, answer(single), refresh, 0, true},
		"a refresh after one that failed":       {lookAround, fails, refresh, 0, true},
		"a refresh soon after the other's":      {refresh, answer(single), refresh, 5*time.Second - 1, false},
		"the first look around after the start": {func(*Cache) bool { return true }, answer(single), lookAround, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(t, single, &Options{Account: test.read})
				is(t, "the first", test.first(c), true)
				time.Sleep(test.after)
				is(t, "the next", test.then(c), test.want)
			})
		})
	}
}

// TestRefreshSlowsDown has reads fail until each waits a second for the next.
func TestRefreshSlowsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{read: fails}
		c := newCache(t, single, &Options{Account: r.account})
		for range freeMisses {
			is(t, "a failure leaves the interval free", refresh(c), true)
		}
		for range 3 {
			time.Sleep(time.Second - 1)
			is(t, "within a second after many", refresh(c), false)
			time.Sleep(time.Nanosecond)
			is(t, "after a second", refresh(c), true)
		}
		r.read = answer(single)
		time.Sleep(time.Second)
		is(t, "when it works again", refresh(c), true)
		r.read = fails
		time.Sleep(5 * time.Second)
		for range freeMisses {
			is(t, "failures are free again", refresh(c), true)
		}
	})
}

func TestRefreshOff(t *testing.T) {
	is(t, "without a reader", refresh(newCache(t, single, nil)), false)
	is(t, "a look around without a reader", lookAround(newCache(t, single, nil)), false)
	off := &Options{Account: answer(single), RefreshInterval: -1}
	is(t, "by option", refresh(newCache(t, single, off)), false)
}

// TestRefreshConcurrentSafe has 1,000 requests want a refresh: they share one,
// and none of them waits in the call.
func TestRefreshConcurrentSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{read: answer(multi)}
		slowly(r, time.Second)
		c := newCache(t, single, &Options{Account: r.account})
		var waited atomic.Int32
		together(1000, func() {
			start := time.Now()
			done := c.Refresh()
			is(t, "Refresh took", time.Since(start), 0)
			if <-done; c.Snapshot().MultiWrite {
				waited.Add(1)
			}
		})
		is(t, "who saw its result", waited.Load(), 1000)
		equal(t, "asked", r.took(), []string{"global"})
	})
}

// TestRefreshOlderAnswer has a read that began first end last.
func TestRefreshOlderAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{read: answer(single)}
		slowly(r, 2*time.Second)
		c := newCache(t, single, &Options{Account: r.account})
		done := c.Refresh()
		time.Sleep(time.Second)
		learn(t, c, multi)
		<-done
		is(t, "multi-write", c.Snapshot().MultiWrite, true)
		is(t, "the read counts all the same", refresh(c), false)
	})
}

// TestRefreshDropsMarks has the account lose a region that was marked.
func TestRefreshDropsMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		without := account{readable: []string{west, north}, writable: []string{west}}
		c := newCache(t, single, &Options{Account: answer(without)})
		c.MarkAccountLost(hostOf(east))
		c.MarkUnavailable(hostOf(west))
		refresh(c)
		marks := c.Marks()
		is(t, "marks", len(marks), 1)
		is(t, "of", marks[0].Region, west)
		if slices.Contains(route(c, context.Background(), read("[1]")), east) {
			t.Error("the lost region is still used")
		}
	})
}
