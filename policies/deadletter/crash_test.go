package deadletter

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The test binary is also the process that dies.
const (
	childMode = "DEADLETTER_TEST_CHILD"
	childFile = "DEADLETTER_TEST_FILE"
)

var children = map[string]func(s *Store) error{"keep": childKeeps}

func TestMain(m *testing.M) {
	mode := os.Getenv(childMode)
	if mode == "" {
		os.Exit(m.Run())
	}
	s, err := Open(os.Getenv(childFile), nil)
	if err == nil {
		err = children[mode](s)
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childKeeps keeps letters from several goroutines until it is killed, and
// prints each one that Keep has acknowledged.
func childKeeps(s *Store) error {
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := worker; ; i += 4 {
				if err := s.Keep(context.Background(), letter(i)); err != nil {
					fmt.Println("failed:", err)
					return
				}
				fmt.Println("kept", i)
			}
		})
	}
	wait.Wait()
	return nil
}

// startChild runs the test binary as a child, and returns the lines that it prints.
func startChild(t *testing.T, mode, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode, childFile+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// A process that is killed while it writes loses no letter that Keep has
// acknowledged, and its file can be opened again. Ten lives of one file.
func TestKilledProcessLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	for life := range 10 {
		cmd, lines := startChild(t, "keep", path)
		acknowledged := map[string]bool{}
		for lines.Scan() {
			if !strings.HasPrefix(lines.Text(), "kept ") {
				t.Fatal(lines.Text())
			}
			acknowledged[strings.TrimPrefix(lines.Text(), "kept ")] = true
			if len(acknowledged) == 10+13*life {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		s, err := Open(path, nil)
		if err != nil {
			t.Fatalf("life %d: %v", life, err)
		}
		found := map[string]bool{}
		for k, err := range s.Letters() {
			if err != nil {
				t.Fatal(err)
			}
			found[strings.Split(string(k.Body), `"`)[3]] = true
			if err := s.Delete(k.ID); err != nil { // the next life begins anew, in a file with holes
				t.Fatal(err)
			}
		}
		for id := range acknowledged {
			if !found[id] {
				t.Errorf("life %d: letter %s was acknowledged and is gone", life, id)
			}
		}
		t.Logf("life %d: %d acknowledged, %d found", life, len(acknowledged), len(found))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A killed process lets go of the lock.
func TestLockedFileIsFreeAfterTheProcessDied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "letters.db")
	cmd, lines := startChild(t, "keep", path)
	if !lines.Scan() {
		t.Fatal("the child keeps nothing")
	}
	if _, err := Open(path, &Options{LockTimeout: -1}); err == nil || !strings.Contains(err.Error(), ErrLocked.Error()) {
		t.Errorf("got %v while the child lives, want %v", err, ErrLocked)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	_ = cmd.Wait()
	openStore(t, path, nil)
}
