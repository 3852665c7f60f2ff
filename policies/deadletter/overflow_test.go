package deadletter

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cosmosretry/cosmosretry/policies"
)

func recordSize(t *testing.T, l policies.Letter) int64 {
	t.Helper()
	record, err := encode(&l, 0)
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(record))
}

func TestFullStoreDropsTheOldest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	s := openStore(t, path, &Options{MaxLetters: 3})
	patch := letter(2)
	patch.Operation = "patch"
	keep(t, s, letter(1), patch, letter(3), letter(4), letter(5), letter(6))
	want := []string{`{"id":"4","pk":"a"}`, `{"id":"5","pk":"a"}`, `{"id":"6","pk":"a"}`}
	if got := bodies(t, s); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	check := func() {
		t.Helper()
		got := stats(t, s)
		create := Lost{Count: 2, Bytes: recordSize(t, letter(1)) + recordSize(t, letter(3)), First: letter(1).Time, Last: letter(3).Time}
		other := Lost{Count: 1, Bytes: recordSize(t, patch), First: patch.Time, Last: patch.Time}
		if got.Lost["create"] != create || got.Lost["patch"] != other || len(got.Lost) != 2 || got.Failed != 0 || !got.Oldest.Equal(letter(4).Time) {
			t.Errorf("got %+v, want %+v and %+v lost", got, create, other)
		}
	}
	check()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path, &Options{MaxLetters: 3})
	check() // what was lost is remembered
}

func TestFullStoreRefuses(t *testing.T) {
	s := newStore(t, &Options{MaxLetters: 2, Overflow: Refuse})
	keep(t, s, letter(1), letter(2))
	for range 2 {
		if err := s.Keep(t.Context(), letter(3)); !errors.Is(err, ErrFull) {
			t.Errorf("got %v, want ErrFull", err)
		}
	}
	got := stats(t, s)
	if got.Lost["create"].Count != 2 || got.Letters != 2 || got.Failed != 0 {
		t.Errorf("got %+v, want 2 letters and 2 lost", got)
	}
	if err := s.Delete(1); err != nil {
		t.Fatal(err)
	}
	keep(t, s, letter(4))
	if got := bodies(t, s); !slices.Equal(got, []string{`{"id":"2","pk":"a"}`, `{"id":"4","pk":"a"}`}) {
		t.Errorf("kept %q", got)
	}
}

func TestMaxBytes(t *testing.T) {
	n := recordSize(t, letter(1))
	s := newStore(t, &Options{MaxBytes: 3 * n, MaxLetters: -1})
	for i := range 9 {
		keep(t, s, letter(i))
	}
	if got := stats(t, s); got.Letters != 3 || got.Bytes != 3*n || got.Lost["create"].Count != 6 {
		t.Errorf("got %+v, want 3 letters of %d bytes", got, n)
	}
	// A letter that is too large alone drops nothing.
	large := letter(10)
	large.Body = bytes.Repeat([]byte("x"), int(3*n))
	if err := s.Keep(t.Context(), large); !errors.Is(err, ErrFull) {
		t.Errorf("got %v, want ErrFull", err)
	}
	// A larger one takes the place of several.
	large.Body = bytes.Repeat([]byte("x"), int(n))
	keep(t, s, large)
	if got := stats(t, s); got.Letters != 2 || got.Bytes > 3*n {
		t.Errorf("got %+v, want 2 letters", got)
	}
}

func TestLimitsMayShrink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	s := openStore(t, path, nil)
	for i := range 5 {
		keep(t, s, letter(i))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path, &Options{MaxLetters: 2})
	if n := length(t, s); n != 5 {
		t.Errorf("opening dropped letters: %d of 5 left", n)
	}
	keep(t, s, letter(6))
	if n := length(t, s); n != 2 {
		t.Errorf("got %d letters, want 2", n)
	}
}

// The file stays near the size of what is in it, however many letters come and go.
func TestFileIsBounded(t *testing.T) {
	s := newStore(t, &Options{MaxBytes: 1 << 20, NoSync: true})
	l := letter(1)
	for i := range 4000 {
		l.Body = bytes.Repeat([]byte("x"), i*7%9000)
		keep(t, s, l)
	}
	info, err := os.Stat(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if got := stats(t, s); got.Bytes > 1<<20 || info.Size() > 4<<20 {
		t.Errorf("the letters take %d bytes and the file %d: want 1 MiB, and 4 MiB at most", got.Bytes, info.Size())
	}
	t.Logf("1 MiB of letters, %d bytes of file", info.Size())
}
