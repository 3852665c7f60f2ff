//go:build unix

package deadletter

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func init() { children["full"] = childFillsDisk }

// setFileLimit bounds the files of this process. Writing more fails as it does
// on a full disk.
func setFileLimit(bytes uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = min(bytes, limit.Max)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

// childFillsDisk keeps letters until the disk is full, goes on until 20 did not
// fit, and then has room again.
func childFillsDisk(s *Store) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := setFileLimit(200 << 10); err != nil {
		return err
	}
	failures := 0
	for i := 0; failures < 20; i++ {
		l := letter(i)
		l.Body = append(l.Body, make([]byte, 3000)...)
		if err := s.Keep(context.Background(), l); err != nil {
			if !errors.Is(err, syscall.EFBIG) && !strings.Contains(err.Error(), "file too large") {
				return err
			}
			failures++
			continue
		}
		fmt.Println("kept", i)
	}
	stats, err := s.Stats()
	if err != nil {
		return err
	}
	fmt.Println("did not fit", stats.Failed)
	small := letter(-1)
	small.Body = []byte("after a delete there is room")
	if err := errors.Join(s.Delete(1), s.Delete(2), s.Keep(context.Background(), small)); err != nil {
		return err
	}
	if err := setFileLimit(1 << 30); err != nil {
		return err
	}
	small.Body = []byte("on a larger disk too")
	return errors.Join(s.Keep(context.Background(), small), s.Close())
}

func TestFullDiskLosesNothingThatWasKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	cmd, lines := startChild(t, "full", path)
	kept := 0
	last := ""
	for lines.Scan() {
		if last = lines.Text(); strings.HasPrefix(last, "kept ") {
			kept++
		}
	}
	if err := cmd.Wait(); err != nil || last != "did not fit 20" || kept < 10 {
		t.Fatalf("%v, %d kept, and then %q", err, kept, last)
	}
	got := bodies(t, openStore(t, path, nil))
	if len(got) != kept {
		t.Errorf("kept %d letters, deleted 2 and kept 2 more: got %d", kept, len(got))
	}
	for _, want := range []string{"after a delete there is room", "on a larger disk too"} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %q", want)
		}
	}
}
