package policies

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestWatchFileVanishes: whatever takes the place of the file, the old settings
// stay, and the file can come back.
func TestWatchFileVanishes(t *testing.T) {
	tests := []struct {
		name    string
		replace func(path string) error
		want    string
	}{
		{"nothing", func(string) error { return nil }, "no such file"},
		{"an empty file", func(path string) error { return os.WriteFile(path, nil, 0o600) }, "not JSON"},
		{"a directory", func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
		{"a dangling link", func(path string) error { return os.Symlink(path+".gone", path) }, "no such file"},
		{"a link to itself", func(path string) error { return os.Symlink(path, path) }, "too many levels"},
		{"a file that is far too long", func(path string) error {
			return os.WriteFile(path, []byte("{}"+strings.Repeat(" ", maxSettingsFile)), 0o600)
		}, "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := start(t)
			if err := os.Remove(f.path); err != nil {
				t.Fatal(err)
			}
			if err := tt.replace(f.path); err != nil {
				t.Fatal(err)
			}
			f.expectError(tt.want, time.Second)
			if err := os.RemoveAll(f.path); err != nil {
				t.Fatal(err)
			}
			put(t, f.path, timeout("3s"))
			for f.watcher.Err() != nil { // it may be seen empty first, or not there
				<-f.changes
			}
			if got := time.Duration(f.set.call.timeout.Load()); got != 3*time.Second {
				t.Errorf("got %v in force when the file was back", got)
			}
		})
	}
}
