package deadletter

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
)

func openStore(t *testing.T, path string, o *Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newStore(t *testing.T, o *Options) *Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "letters.db"), o)
}

func letter(n int) policies.Letter {
	return policies.Letter{
		Time: time.Date(2024, 5, 6, 7, 8, 9, n, time.UTC), Operation: "create", Method: http.MethodPost, Path: "/dbs/db/colls/c/docs",
		Header: http.Header{"X-Ms-Documentdb-Partitionkey": {`["a"]`}}, Body: fmt.Appendf(nil, `{"id":"%d","pk":"a"}`, n),
		Status: 503, SubStatus: 21005, Error: "it failed", Attempts: 4, MayHaveRun: true,
	}
}

func keep(t *testing.T, s *Store, letters ...policies.Letter) {
	t.Helper()
	for _, l := range letters {
		if err := s.Keep(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
}

// bodies lists the letters by what they write.
func bodies(t *testing.T, s *Store) []string {
	t.Helper()
	var list []string
	for k, err := range s.Letters() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(k.Body))
	}
	return list
}

func length(t *testing.T, s *Store) int {
	t.Helper()
	n, err := s.Len()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func stats(t *testing.T, s *Store) Stats {
	t.Helper()
	stats, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func TestKeptLettersComeBackAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	s := openStore(t, path, nil)
	want := []policies.Letter{letter(1), {Operation: "delete", Time: time.Now().Round(0)}, letter(3)}
	want[2].Body = []byte{}
	keep(t, s, want...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path, nil)
	var last ID
	i := 0
	for k, err := range s.Letters() {
		if err != nil {
			t.Fatal(err)
		}
		if !k.Time.Equal(want[i].Time) {
			t.Errorf("time %v, want %v", k.Time, want[i].Time)
		}
		k.Time = want[i].Time
		if !reflect.DeepEqual(k.Letter, want[i]) || k.ID <= last || k.Replays != 0 {
			t.Errorf("got %+v, want %+v", k, want[i])
		}
		last, i = k.ID, i+1
	}
	if i != len(want) || length(t, s) != len(want) {
		t.Errorf("got %d letters, want %d", i, len(want))
	}
}

func TestLettersMayBeDeletedWhileListed(t *testing.T) {
	s := newStore(t, nil)
	keep(t, s, letter(1), letter(2), letter(3))
	for k, err := range s.Letters() {
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Delete(k.ID), s.Delete(k.ID)); err != nil {
			t.Fatal(err)
		}
		if k.ID == 1 {
			keep(t, s, letter(4))
		}
	}
	if got := stats(t, s); got.Letters != 0 || got.Bytes != 0 || !got.Oldest.IsZero() {
		t.Errorf("got %+v, want nothing left", got)
	}
	keep(t, s, letter(5))
	for k := range s.Letters() {
		if k.ID != 5 {
			t.Errorf("got the id %v a second time", k.ID)
		}
		break
	}
}

func TestFileIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	mode := func() os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	s := openStore(t, path, nil)
	if got := mode(); got != 0o600 {
		t.Errorf("made with %v, want 0600", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	openStore(t, path, nil)
	if got := mode(); got != 0o600 {
		t.Errorf("opened with %v, want 0600", got)
	}
}

func TestOneAtATimeHasTheFileOpen(t *testing.T) {
	s := newStore(t, nil)
	start := time.Now()
	if _, err := Open(s.path, &Options{LockTimeout: -1}); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), s.path) {
		t.Errorf("got %v, want ErrLocked and the path", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("it waited %v", took)
	}
	done := make(chan error)
	go func() {
		second, err := Open(s.path, &Options{LockTimeout: time.Minute})
		if err == nil {
			err = second.Close()
		}
		done <- err
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after the first let go: %v", err)
	}
}

func TestOpenRejects(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		path string
		o    *Options
		want string
	}{
		{dir, nil, "no regular file"},
		{filepath.Join(dir, "missing", "letters.db"), nil, "no such file"},
		{filepath.Join(dir, "letters.db"), &Options{Overflow: 7}, "Overflow"},
	} {
		if _, err := Open(tt.path, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.path, err, tt.want)
		}
	}
}

func TestClosedStore(t *testing.T) {
	s := newStore(t, nil)
	keep(t, s, letter(1))
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, lenErr := s.Len()
	_, statsErr := s.Stats()
	for _, err := range []error{s.Keep(t.Context(), letter(2)), s.Delete(1), lenErr, statsErr} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
	for _, err := range s.Letters() {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}
