package deadletter

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// storedFile returns a file with letters of many sizes, closed.
func storedFile(t *testing.T) (string, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "letters.db")
	s := openStore(t, path, &Options{NoSync: true})
	for i := range 20 {
		l := letter(i)
		l.Body = append(l.Body, bytes.Repeat([]byte("body"), i*100)...)
		keep(t, s, l)
	}
	for i := range 4 {
		if err := s.Delete(ID(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

func rewrite(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	path, whole := storedFile(t)
	for name, content := range map[string][]byte{
		"text":           []byte("these are no letters\n"),
		"a page of text": bytes.Repeat([]byte("no letters "), 3000),
		"zeros":          make([]byte, 64<<10),
		"no meta pages":  append(make([]byte, 8192), whole[8192:]...),
		"half of it":     whole[:len(whole)/2],
		"two pages":      whole[:8192],
		"three pages":    whole[:3*4096],
	} {
		t.Run(name, func(t *testing.T) {
			rewrite(t, path, content)
			for range 2 { // the first try lets go of the file
				_, err := Open(path, &Options{LockTimeout: -1})
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
					t.Errorf("got %v, want ErrDamaged and the path", err)
				}
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, content) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
	rewrite(t, path, whole)
	openStore(t, path, nil)
}

func TestDatabaseOfSomethingElseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("users")); return err })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, nil); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "something else") {
		t.Errorf("got %v", err)
	}
}

// A letter whose bytes have changed is told of, and does not hide the others.
func TestDamagedLetter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	s := openStore(t, path, nil)
	keep(t, s, letter(1), letter(2), letter(3))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, bytes.ReplaceAll(content, []byte(`{"id":"2"`), []byte(`{"id":"7"`)))
	s = openStore(t, path, &Options{MaxLetters: 3})
	var sound, damaged []ID
	for k, err := range s.Letters() {
		if errors.Is(err, ErrDamaged) && strings.Contains(err.Error(), "letter 2 is damaged") {
			damaged = append(damaged, k.ID)
		} else if err != nil {
			t.Fatal(err)
		} else {
			sound = append(sound, k.ID)
		}
	}
	if len(sound) != 2 || len(damaged) != 1 {
		t.Errorf("got %v sound and %v damaged, want 2 and letter 2", sound, damaged)
	}
	keep(t, s, letter(4), letter(5)) // drops letters 1 and 2
	if got := stats(t, s); got.Letters != 3 || got.Lost["damaged"].Count != 1 {
		t.Errorf("got %+v, want the damaged one lost", got)
	}
	if err := s.Delete(damaged[0]); err != nil {
		t.Fatal(err)
	}
}

// Whatever bytes change, Open says so or the letters are those that were kept.
func TestAnyDamageIsAnErrorOrNone(t *testing.T) {
	path, whole := storedFile(t)
	kept := map[string]bool{}
	for _, body := range bodies(t, openStore(t, path, nil)) {
		kept[body] = true
	}
	random := rand.New(rand.NewPCG(1, 2))
	refused, told := 0, 0
	other := filepath.Join(t.TempDir(), "letters.db")
	for range 100 {
		content := bytes.Clone(whole)
		for range 1 + random.IntN(4) {
			content[random.IntN(len(content))] ^= byte(1 + random.IntN(255))
		}
		rewrite(t, other, content)
		s, err := Open(other, &Options{NoSync: true})
		if err != nil {
			refused++
			continue
		}
		for k, err := range s.Letters() {
			if err != nil {
				told++
			} else if !kept[string(k.Body)] {
				t.Errorf("letter %v reads %q, which nobody kept", k.ID, k.Body)
			}
		}
		_ = s.Keep(t.Context(), letter(1000))
		_ = s.Close() // a damage that shows only now may leave it open
	}
	t.Logf("%d files refused, %d letters told of", refused, told)
}

// A file that is cut short under an open store is an error at once and for
// ever, not the end of the process and not a wait.
func TestDamageWhileOpen(t *testing.T) {
	path, _ := storedFile(t)
	s, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	var listed error
	for _, err := range s.Letters() {
		listed = errors.Join(listed, err)
	}
	for _, err := range []error{listed, s.Keep(t.Context(), letter(1)), s.Delete(12), s.Close()} {
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v, want ErrDamaged", err)
		}
	}
	if _, err := Open(path, &Options{LockTimeout: -1}); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged: Close lets go of the file", err)
	}
}

func TestDamageWhileWriting(t *testing.T) {
	path, _ := storedFile(t)
	s, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Keep(t.Context(), letter(1)); !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v, want ErrDamaged", err)
		}
	}
	if err := s.Close(); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}
