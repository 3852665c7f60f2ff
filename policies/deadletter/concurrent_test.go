package deadletter

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStoreConcurrentSafe(t *testing.T) {
	s := newStore(t, &Options{MaxLetters: 50, NoSync: true})
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := range 50 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.Int64N(int64(2*time.Millisecond))))
				if err := s.Keep(ctx, letter(worker*50+i)); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				cancel()
				if _, err := s.Stats(); err != nil {
					t.Error(err)
				}
				if i%10 == 0 {
					for k, err := range s.Letters() {
						if err != nil {
							t.Error(err)
						}
						if err := s.Delete(k.ID); err != nil {
							t.Error(err)
						}
						break
					}
				}
			}
		})
	}
	wait.Wait()
	if err := s.Delete(0); err != nil { // comes behind the letters whose callers have left
		t.Fatal(err)
	}
	if n := length(t, s); n > 50 {
		t.Errorf("%d letters, want 50 at most", n)
	}
	if got := len(bodies(t, s)); got != length(t, s) {
		t.Errorf("%d letters, and it says %d", got, length(t, s))
	}
}

// Close writes what waits; what comes later is told so, and nothing hangs.
func TestCloseConcurrentSafe(t *testing.T) {
	s := newStore(t, &Options{NoSync: true})
	var wait sync.WaitGroup
	var mu sync.Mutex
	kept := 0
	for range 8 {
		wait.Go(func() {
			for i := 0; ; i++ {
				err := s.Keep(t.Context(), letter(i))
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				kept++
				mu.Unlock()
			}
		})
	}
	for length(t, s) < 20 {
		runtime.Gosched()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	if got := length(t, openStore(t, s.path, nil)); got != kept {
		t.Errorf("%d letters, want the %d that were acknowledged", got, kept)
	}
}

func TestKeepEndsWithItsContext(t *testing.T) {
	s := newStore(t, nil)
	cause := errors.New("the caller is gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := s.Keep(ctx, letter(1)); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
	// A writer that hangs, as on a disk that does: the transaction of somebody else.
	tx, err := s.db.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	first := make(chan error)
	go func() { first <- s.Keep(t.Context(), letter(2)) }()
	if err := s.Keep(ctx, letter(3)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	if got := stats(t, s); got.Failed != 2 {
		t.Errorf("got %+v, want 2 that failed", got)
	}
}

func TestNoGoroutineStays(t *testing.T) {
	s := newStore(t, nil)
	keep(t, s, letter(1), letter(2))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 1<<20)
	for range 1000 {
		if !strings.Contains(string(buffer[:runtime.Stack(buffer, true)]), "deadletter.(*Store)") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("still running: %s", buffer)
}

// How long a caller waits for Keep, alone and in a crowd: see the package documentation.
func BenchmarkKeep(b *testing.B) {
	for _, noSync := range []bool{false, true} {
		for _, crowd := range []int{1, 64} {
			b.Run(fmt.Sprintf("NoSync=%v/callers=%d", noSync, crowd), func(b *testing.B) {
				s, err := Open(b.TempDir()+"/letters.db", &Options{NoSync: noSync, MaxLetters: 1000})
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				l := letter(1)
				l.Body = make([]byte, 1024)
				b.ReportAllocs()
				b.SetParallelism(max(1, crowd/runtime.GOMAXPROCS(0)))
				if crowd == 1 {
					for b.Loop() {
						if err := s.Keep(b.Context(), l); err != nil {
							b.Fatal(err)
						}
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := s.Keep(b.Context(), l); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}
