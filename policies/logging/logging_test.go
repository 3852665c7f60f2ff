package logging_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/logging"
)

// page is what a text handler writes, without the time of the entries.
type page struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

// lines returns the entries so far, and forgets them.
func (p *page) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.TrimSuffix(p.b.String(), "\n")
	p.b.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func newLogger(p *page, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(p, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func newObserver(tb testing.TB, o *logging.Options) (*logging.Observer, *page) {
	tb.Helper()
	p := new(page)
	observer, err := logging.New(newLogger(p, slog.LevelInfo), o)
	if err != nil {
		tb.Fatal(err)
	}
	return observer, p
}

func wantLines(tb testing.TB, got []string, want ...string) {
	tb.Helper()
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		tb.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

func newClient(tb testing.TB, account *cosmostest.Account, o *policies.Options) *azcosmos.ContainerClient {
	tb.Helper()
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport()}}
	if _, err := policies.Install(options, account.Endpoint(), o); err != nil {
		tb.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		tb.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, options)
	if err != nil {
		tb.Fatal(err)
	}
	container, err := client.NewContainer("db", "c")
	if err != nil {
		tb.Fatal(err)
	}
	return container
}

func newAccount(tb testing.TB) *cosmostest.Account {
	tb.Helper()
	account := cosmostest.New(tb, &cosmostest.Config{Containers: []cosmostest.Container{{Database: "db", ID: "c"}}})
	if err := account.Seed("db", "c", map[string]any{"id": "i", "pk": "secret-key"}); err != nil {
		tb.Fatal(err)
	}
	return account
}

func read(ctx context.Context, c *azcosmos.ContainerClient) error {
	_, err := c.ReadItem(ctx, azcosmos.NewPartitionKeyString("secret-key"), "i", nil)
	return err
}

func TestClientsTroubleIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer, page := newObserver(t, nil)
		container := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}})
		account.SetFaults(
			cosmostest.Fault{Region: "East US", Status: 410, SubStatus: 1022, Times: 1},
			cosmostest.Fault{Region: "West US", Status: 429, Header: http.Header{"Retry-After": {"2"}}, Times: 1},
		)
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		account.SetFaults(cosmostest.Fault{Region: "*", Status: 500, Delay: time.Second})
		if err := read(t.Context(), container); err == nil {
			t.Fatal("got a success")
		}
		synctest.Wait()
		lines := page.lines()
		const where = "operation=read container=dbs/db/colls/c "
		for i, want := range []string{
			`level=WARN msg="cosmos: failing over" kind=failover cause=server ` + where + `region="East US" target="West US" status=410 sub_status=1022 attempt=1 reason=`,
			`level=WARN msg="cosmos: retrying in the same region" kind=retry cause=throttling ` + where + `region="West US" target="West US" status=429 attempt=2 wait=2s reason=`,
			`level=WARN msg="cosmos: failing over" kind=failover cause=server ` + where + `region="East US" target="West US" status=500 attempt=1 elapsed=1s reason=`,
			`level=WARN msg="cosmos: failing over" kind=failover cause=server ` + where + `region="West US" target="North Europe" status=500 attempt=2 elapsed=2s reason=`,
			`level=WARN msg="cosmos: failing over" kind=failover cause=server ` + where + `region="North Europe" target="East US" status=500 attempt=3 elapsed=3s reason=`,
			`level=ERROR msg="cosmos: giving up" kind=gave_up cause=server ` + where + `region="East US" status=500 attempt=4 elapsed=4s reason=`,
			`level=WARN msg="cosmos: operation needed long" kind=completed cause=server ` + where + `region="East US" status=500 attempt=4 elapsed=4s reason=`,
		} {
			if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
				t.Fatalf("entry %d:\ngot  %q\nwant %q", i, lines, want)
			}
		}
		if len(lines) != 7 || strings.Contains(strings.Join(lines, ""), "secret") {
			t.Errorf("got %q, want 7 entries without the partition key", lines)
		}
	})
}

func TestLevelsTellTransientFaultsFromErrors(t *testing.T) {
	for kind, want := range map[policies.EventKind]string{
		policies.EventRetry: "WARN", policies.EventLocalRetry: "WARN", policies.EventFailover: "WARN", policies.EventSessionRetry: "WARN",
		policies.EventBudgetRefused: "WARN", policies.EventMarked: "WARN", policies.EventBreakerOpened: "WARN", policies.EventOverrideMoved: "WARN",
		policies.EventGaveUp: "ERROR", policies.EventLetterLost: "ERROR", policies.EventUnmarked: "INFO", policies.EventBreakerProbing: "INFO",
		policies.EventBreakerClosed: "INFO", policies.EventRefreshed: "INFO", "new": "INFO",
	} {
		observer, page := newObserver(t, nil)
		observer.Observe(t.Context(), policies.Event{Kind: kind})
		lines := page.lines()
		if len(lines) != 1 || !strings.HasPrefix(lines[0], "level="+want+` msg="cosmos: `) || !strings.HasSuffix(lines[0], "kind="+string(kind)) {
			t.Errorf("%s: got %q, want level %s", kind, lines, want)
		}
	}
	observer, page := newObserver(t, nil)
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventRefreshed, Failed: true})
	wantLines(t, page.lines(), `level=WARN msg="cosmos: topology refresh failed" kind=topology_refreshed`)
}

func TestOperationsThatEndAreLoggedBeyondTheThresholds(t *testing.T) {
	for _, test := range []struct {
		o        *logging.Options
		attempts int
		elapsed  time.Duration
		want     bool
	}{
		{nil, 4, 3 * time.Second, false},
		{nil, 5, 0, true},
		{nil, 1, 3*time.Second + 1, true},
		{&logging.Options{Attempts: 1, Slow: time.Hour}, 2, time.Minute, true},
		{&logging.Options{Attempts: -1, Slow: -1}, 122, time.Hour, false},
	} {
		observer, page := newObserver(t, test.o)
		observer.Observe(t.Context(), policies.Event{Kind: policies.EventCompleted, Attempt: test.attempts, Elapsed: test.elapsed})
		if lines := page.lines(); len(lines) == 1 != test.want {
			t.Errorf("%d attempts, %v: got %q", test.attempts, test.elapsed, lines)
		}
	}
}

func TestDisabledLevelsCostNothing(t *testing.T) {
	p := new(page)
	observer, err := logging.New(newLogger(p, slog.LevelError), &logging.Options{Burst: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		observer.Observe(t.Context(), policies.Event{Kind: policies.EventFailover})
	}
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventGaveUp})
	if err := observer.Close(); err != nil {
		t.Fatal(err)
	}
	wantLines(t, p.lines(), `level=ERROR msg="cosmos: giving up" kind=gave_up`)
}

func TestSenselessOptionsAreErrors(t *testing.T) {
	if _, err := logging.New(nil, &logging.Options{Period: time.Hour + 1}); err == nil || !strings.Contains(err.Error(), "Period") {
		t.Errorf("got %v", err)
	}
}

func TestOptionsAreCopied(t *testing.T) {
	o := &logging.Options{Burst: 1}
	observer, page := newObserver(t, o)
	o.Burst = 100
	for range 3 {
		observer.Observe(t.Context(), policies.Event{Kind: policies.EventFailover})
	}
	if lines := page.lines(); len(lines) != 1 {
		t.Errorf("got %q, want one entry", lines)
	}
}

func TestNilLoggerIsTheDefault(t *testing.T) {
	p, before := new(page), slog.Default()
	slog.SetDefault(newLogger(p, slog.LevelInfo))
	defer slog.SetDefault(before)
	observer, err := logging.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventUnmarked, Region: "East US"})
	wantLines(t, p.lines(), `level=INFO msg="cosmos: endpoint is back" kind=endpoint_unmarked region="East US"`)
}

func TestObserveConcurrentSafe(t *testing.T) {
	observer, page := newObserver(t, &logging.Options{Burst: 1, Period: time.Hour})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				observer.Observe(t.Context(), policies.Event{Kind: policies.EventFailover, Region: fmt.Sprint(i % 10)})
			}
		})
	}
	all.Wait()
	if err := observer.Close(); err != nil {
		t.Fatal(err)
	}
	lines := page.lines()
	if len(lines) != 20 || !strings.Contains(lines[19], "count=799") {
		t.Errorf("got %q, want one entry and a summary of 799 for each region", lines)
	}
}
