package policies

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestWatchFollowsWritesInPlace(t *testing.T) {
	f := start(t)
	for _, d := range []time.Duration{2 * time.Second, 3 * time.Second} {
		put(t, f.path, timeout(d.String()))
		f.expect(d)
	}
}

func TestWatchFollowsEditors(t *testing.T) {
	f := start(t)
	put(t, f.path+".new", timeout("2s")) // a new file over the old one
	rename(t, f.path+".new", f.path)
	f.expect(2 * time.Second)
	rename(t, f.path, f.path+"~") // a backup, then a new file
	put(t, f.path, timeout("3s"))
	f.expect(3 * time.Second)
	if err := os.Remove(f.path); err != nil { // removed, then written again
		t.Fatal(err)
	}
	f.expectError("no such file", 3*time.Second)
	put(t, f.path, timeout("4s"))
	f.expect(4 * time.Second)
}

// A ConfigMap volume is settings.json → ..data/settings.json, and ..data → a
// directory that is replaced as a whole.
func TestWatchFollowsConfigMaps(t *testing.T) {
	dir := t.TempDir()
	publish := func(version, content string) {
		t.Helper()
		if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, version, "settings.json"), content)
		symlink(t, version, filepath.Join(dir, "..data_tmp"))
		rename(t, filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data"))
	}
	publish("..1", timeout("1s"))
	symlink(t, "..data/settings.json", filepath.Join(dir, "settings.json"))
	f := newFixture(t, filepath.Join(dir, "settings.json"), WatchOptions{})
	for i, d := range []time.Duration{2 * time.Second, 3 * time.Second} {
		version := filepath.Join(dir, []string{"..1", "..2", "..3"}[i])
		publish([]string{"..2", "..3"}[i], timeout(d.String()))
		if err := os.RemoveAll(version); err != nil {
			t.Fatal(err)
		}
		f.expect(d)
	}
}

func TestWatchFollowsALinkIntoAnotherDirectory(t *testing.T) {
	target := filepath.Join(t.TempDir(), "real.json")
	put(t, target, timeout("1s"))
	path := filepath.Join(t.TempDir(), "settings.json")
	symlink(t, target, path)
	f := newFixture(t, path, WatchOptions{})
	put(t, target, timeout("2s"))
	f.expect(2 * time.Second)
	other := filepath.Join(t.TempDir(), "other.json") // the link moves, and what it left is no longer watched
	put(t, other, timeout("3s"))
	symlink(t, other, path+".new")
	rename(t, path+".new", path)
	f.expect(3 * time.Second)
	put(t, other, timeout("4s"))
	f.expect(4 * time.Second)
	if list := f.watcher.reports.WatchList(); len(list) != 2 {
		t.Errorf("watches %q: want 2 directories", list)
	}
}

func TestWatchWaitsForHalfWrittenFiles(t *testing.T) {
	f := startWith(t, WatchOptions{settle: 100 * time.Millisecond}) // longer than a busy machine stalls the writer
	whole := timeout("2s")
	put(t, f.path, "")
	put(t, f.path, whole[:10])
	put(t, f.path, whole)
	f.expect(2 * time.Second) // and nothing before: the first news is the good one
	put(t, f.path, timeout("3s")[:10])
	f.expectError("not JSON", 2*time.Second) // a writer that died
	put(t, f.path, timeout("3s"))
	f.expect(3 * time.Second)
}

// The reports end when their directory goes; the looks go on.
func TestWatchSurvivesItsDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "etc")
	path := filepath.Join(dir, "settings.json")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, path, timeout("1s"))
	f := newFixture(t, path, WatchOptions{Interval: 5 * time.Millisecond})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	f.expectError("no such file", time.Second)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, path, timeout("2s"))
	f.expect(2 * time.Second)
}
