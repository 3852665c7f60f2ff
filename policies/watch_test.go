package policies

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
	"github.com/fsnotify/fsnotify"

	"github.com/cosmosretry/cosmosretry/regioncache"
)

// change is one call of OnChange.
type change struct {
	settings *Settings
	err      error
}

// fixture is a settings file, a client's policies, and a watcher between them.
// Its looks at the file are an hour apart, so that what it notices was reported.
type fixture struct {
	t       *testing.T
	path    string
	set     *Set
	watcher *Watcher
	changes chan change
	log     bytes.Buffer
}

func newSetForTest(t *testing.T, o *Options) *Set {
	t.Helper()
	set, err := Install(new(azcosmos.ClientOptions), "https://acct.documents.azure.com:443/", o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func newFixture(t *testing.T, path string, o WatchOptions) *fixture {
	t.Helper()
	f := &fixture{t: t, path: path, set: newSetForTest(t, nil), changes: make(chan change, 100)}
	o.OnChange = func(s *Settings, err error) { f.changes <- change{s, err} }
	o.Logger = slog.New(slog.NewTextHandler(&f.log, nil))
	if o.settle == 0 {
		o.settle = 10 * time.Millisecond
	}
	if o.Interval == 0 {
		o.Interval = time.Hour
	}
	var err error
	if f.watcher, err = NewWatcher(path, &o, f.set); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.watcher.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// timeout is a settings file that can be told by the deadline it sets.
func timeout(d string) string { return `{"operationTimeout": "` + d + `"}` }

// expect waits for the next change that a client's policies have.
func (f *fixture) expect(want time.Duration) {
	f.t.Helper()
	c := <-f.changes
	got := time.Duration(f.set.call.timeout.Load())
	if c.err != nil || got != want || time.Duration(f.watcher.Settings().OperationTimeout) != want || f.watcher.Err() != nil {
		f.t.Fatalf("got %v, %v in force: want %v", c.err, got, want)
	}
}

// expectError waits for the news of a file that is wrong, and sees that the
// policies stay as they are.
func (f *fixture) expectError(text string, still time.Duration) {
	f.t.Helper()
	c := <-f.changes
	got := time.Duration(f.set.call.timeout.Load())
	if c.settings != nil || c.err == nil || !strings.Contains(c.err.Error(), text) || !errors.Is(f.watcher.Err(), c.err) || got != still {
		f.t.Fatalf("got %v, %v in force: want an error with %q, and still %v", c.err, got, text, still)
	}
}

func start(t *testing.T) *fixture {
	t.Helper()
	return startWith(t, WatchOptions{})
}

func startWith(t *testing.T, o WatchOptions) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.json")
	put(t, path, timeout("1s"))
	return newFixture(t, path, o)
}

func TestWatchAppliesTheFileAtTheStart(t *testing.T) {
	f := start(t)
	if got := f.set.call.timeout.Load(); time.Duration(got) != time.Second || f.watcher.Err() != nil || f.watcher.Polling() {
		t.Errorf("got %v, %v, polling %v", got, f.watcher.Err(), f.watcher.Polling())
	}
}

func TestWatchStartsWithARightFileOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if _, err := WatchSettings(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	put(t, path, `{"throttle": {"maxRetry": 1}}`)
	if _, err := WatchSettings(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "throttle.maxRetry") {
		t.Errorf("got %v: want the file and the field", err)
	}
	put(t, path, "{}"+strings.Repeat(" ", maxSettingsFile))
	if _, err := WatchSettings(path); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a long file: %v", err)
	}
	put(t, path, "{}")
	if _, err := WatchSettings(path, nil); err == nil || !strings.Contains(err.Error(), "sets[0] is nil") {
		t.Errorf("a nil set: %v", err)
	}
	w, err := WatchSettings(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	noGoroutine(t)
}

func TestWatchKeepsTheOldSettingsWhenTheFileIsWrong(t *testing.T) {
	f := start(t)
	put(t, f.path, `{"throttle": {"maxRetries": 1001}}`)
	f.expectError("throttle.maxRetries is 1001: want 1 to 1000", time.Second)
	put(t, f.path, `{"regions": {"preferred": ["--"]}}`) // only the cache knows better
	f.expectError("PreferredRegions[0]", time.Second)
	put(t, f.path, timeout("1s"))
	f.expect(time.Second) // as before again
	if err := f.watcher.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"level=WARN", "throttle.maxRetries", f.path, "as before again"} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, f.log.String())
		}
	}
}

func TestWatchAppliesToAllSetsOrNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	put(t, path, `{"operationTimeout": "2s", "regions": {"preferred": ["--"]}}`)
	cache, err := regioncache.New("https://acct.documents.azure.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	// A cache of its own is what the first set does not have to configure.
	before := &Settings{OperationTimeout: Duration(time.Minute)}
	first, second := newSetForTest(t, &Options{Cache: cache, Settings: before}), newSetForTest(t, nil)
	if _, err := WatchSettings(path, first, second); err == nil {
		t.Fatal("accepted")
	}
	if got := time.Duration(first.call.timeout.Load()); got != time.Minute {
		t.Errorf("got %v in force in the first set: want what it was installed with", got)
	}
}

func TestWatchPollsWhereNothingIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	put(t, path, timeout("1s"))
	f := newFixture(t, path, WatchOptions{Interval: time.Millisecond, notify: func() (*fsnotify.Watcher, error) {
		return nil, errors.New("too many open files")
	}})
	if !f.watcher.Polling() {
		t.Error("it does not say that it polls")
	}
	put(t, path, timeout("2s"))
	f.expect(2 * time.Second)
	if err := f.watcher.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.log.String(), "not reported") || !strings.Contains(f.log.String(), "too many open files") {
		t.Errorf("the log does not say why: %s", f.log.String())
	}
}

func TestWatchConcurrentSafe(t *testing.T) {
	f := start(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 200 {
				_, _, _ = f.watcher.Settings(), f.watcher.Err(), f.watcher.Polling()
			}
			put(t, f.path, timeout("2s"))
			_ = f.set.Apply(nil)
			_ = f.watcher.Close()
		})
	}
	wait.Wait()
	noGoroutine(t)
}

// noGoroutine sees that Close has ended what the watchers started. A goroutine
// that has said that it is done may need a moment to be gone.
func noGoroutine(t *testing.T) {
	t.Helper()
	buffer := make([]byte, 1<<20)
	var stacks string
	for range 1000 {
		stacks = string(buffer[:runtime.Stack(buffer, true)])
		if !strings.Contains(stacks, "policies.(*Watcher).run") && !strings.Contains(stacks, "fsnotify.(*") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("still running:\n%s", stacks)
}
