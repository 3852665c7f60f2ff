package logging_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/logging"
)

func failover(region string, attempt int) policies.Event {
	return policies.Event{Kind: policies.EventFailover, Cause: policies.CauseServer, Region: region, Attempt: attempt, Reason: "the service failed"}
}

// A minute of 100,000 failovers, and one that stands out.
func TestStormIsSummedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer, page := newObserver(t, nil)
		for i := range 100_000 {
			e := failover("East US", i%3+1)
			e.Elapsed = time.Duration(i%50) * time.Millisecond
			observer.Observe(t.Context(), e)
			if i == 50_000 {
				observer.Observe(t.Context(), policies.Event{Kind: policies.EventGaveUp, Cause: policies.CauseServer, Region: "East US"})
			}
			time.Sleep(600 * time.Microsecond)
		}
		if err := observer.Close(); err != nil {
			t.Fatal(err)
		}
		lines := page.lines()
		const periods = 6
		if want := periods*(5+1) + 1; len(lines) != want {
			t.Fatalf("got %d entries, want %d:\n%s", len(lines), want, strings.Join(lines, "\n"))
		}
		total, errors := 0, 0
		for _, line := range lines {
			count := 1
			if _, rest, ok := strings.Cut(line, " count="); ok {
				if _, err := fmt.Sscan(rest, &count); err != nil {
					t.Fatal(err)
				}
			}
			if total += count; strings.HasPrefix(line, "level=ERROR") {
				errors++
			}
		}
		if total != 100_001 || errors != 1 {
			t.Errorf("the entries speak of %d events and %d errors, want 100001 and 1", total, errors)
		}
		wantLines(t, lines[5:6], `level=WARN msg="cosmos: failing over, and more of it" kind=failover cause=server region="East US" `+
			`count=16662 period=10s max_attempt=3 max_elapsed=49ms last_reason="the service failed"`)
	})
}

func TestPeriodsAreByKindCauseAndRegion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer, page := newObserver(t, &logging.Options{Burst: 1, Period: time.Second})
		throttled := policies.Event{Kind: policies.EventRetry, Cause: policies.CauseThrottling, Region: "East US", Wait: 50 * time.Millisecond}
		for range 3 {
			observer.Observe(t.Context(), failover("East US", 1))
			observer.Observe(t.Context(), failover("West US", 1))
			observer.Observe(t.Context(), throttled)
		}
		if lines := page.lines(); len(lines) != 3 {
			t.Fatalf("got %q, want one entry each", lines)
		}
		time.Sleep(time.Second - 1)
		observer.Observe(t.Context(), failover("North Europe", 1))
		if lines := page.lines(); len(lines) != 1 {
			t.Errorf("got %q before the periods are over, want the new region alone", lines)
		}
		time.Sleep(time.Nanosecond)
		observer.Observe(t.Context(), policies.Event{Kind: policies.EventCompleted}) // is not logged, but it is time
		wantLines(t, page.lines(),
			`level=WARN msg="cosmos: failing over, and more of it" kind=failover cause=server region="East US" count=2 period=1s max_attempt=1 last_reason="the service failed"`,
			`level=WARN msg="cosmos: failing over, and more of it" kind=failover cause=server region="West US" count=2 period=1s max_attempt=1 last_reason="the service failed"`,
			`level=WARN msg="cosmos: retrying in the same region, and more of it" kind=retry cause=throttling region="East US" count=2 period=1s max_wait=50ms`,
		)
		observer.Observe(t.Context(), failover("East US", 1)) // a new period
		if lines := page.lines(); len(lines) != 1 || strings.Contains(lines[0], "count") {
			t.Errorf("got %q, want an entry by itself", lines)
		}
		if err := observer.Close(); err != nil || page.lines() != nil {
			t.Error("there was nothing to sum up")
		}
	})
}

func TestNegativeBurstAndPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, allPage := newObserver(t, &logging.Options{Period: -1})
		sums, sumsPage := newObserver(t, &logging.Options{Burst: -1})
		for range 50 {
			all.Observe(t.Context(), failover("East US", 1))
			sums.Observe(t.Context(), failover("East US", 1))
		}
		if lines := allPage.lines(); len(lines) != 50 {
			t.Errorf("got %d entries, want every event", len(lines))
		}
		if lines := sumsPage.lines(); lines != nil {
			t.Errorf("got %q, want nothing before the period is over", lines)
		}
		if err := sums.Close(); err != nil {
			t.Fatal(err)
		}
		if lines := sumsPage.lines(); len(lines) != 1 || !strings.Contains(lines[0], "count=50") {
			t.Errorf("got %q, want a summary of 50", lines)
		}
	})
}

// Whatever stands in for a region, the memory stays bounded.
func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer, page := newObserver(t, &logging.Options{Burst: 1})
		for i := range 10_000 {
			observer.Observe(t.Context(), failover(fmt.Sprintf("host-%d.documents.azure.com:443", i), 1))
		}
		if err := observer.Close(); err != nil {
			t.Fatal(err)
		}
		lines := page.lines()
		if len(lines) != 256+1+1 {
			t.Fatalf("got %d entries, want 256 by themselves, one of the others and their summary", len(lines))
		}
		wantLines(t, lines[257:], `level=WARN msg="cosmos: failing over, and more of it" kind=failover count=9743 period=10s max_attempt=1 last_reason="the service failed"`)
	})
}

// stuck is a handler that does not return.
type stuck struct {
	slog.Handler
	entered, release chan struct{}
}

func (s stuck) Handle(context.Context, slog.Record) error {
	s.entered <- struct{}{}
	<-s.release
	return nil
}

func TestStuckHandlerDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := stuck{slog.DiscardHandler, make(chan struct{}, 100), make(chan struct{})}
		handler.Handler = slog.NewTextHandler(new(page), nil)
		observer, err := logging.New(slog.New(handler), nil)
		if err != nil {
			t.Fatal(err)
		}
		account := newAccount(t)
		container := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}})
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		start := time.Now()
		for range 100 {
			if err := read(t.Context(), container); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if took := time.Since(start); took != 0 || len(handler.entered) != 1 {
			t.Errorf("100 reads took %v while %d entries were stuck, want no time and one", took, len(handler.entered))
		}
		close(handler.release)
	})
}

// The summary carries the context of the last event that it sums up, so that a
// handler finds a trace to look at.
func TestSummaryHasTheContextOfAnEvent(t *testing.T) {
	type key struct{}
	var seen []any
	observer, err := logging.New(slog.New(contextual{slog.NewTextHandler(new(page), nil), func(ctx context.Context) { seen = append(seen, ctx.Value(key{})) }}), &logging.Options{Burst: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range []string{"a", "b", "c"} {
		observer.Observe(context.WithValue(t.Context(), key{}, trace), failover("East US", 1))
	}
	if err := observer.Close(); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(seen) != "[a c]" {
		t.Errorf("got %v, want a and c", seen)
	}
}

type contextual struct {
	slog.Handler
	see func(context.Context)
}

func (c contextual) Handle(ctx context.Context, r slog.Record) error {
	c.see(ctx)
	return c.Handler.Handle(ctx, r)
}
