package deadletter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/cosmosretry/cosmosretry/policies"
)

// The errors that a store is told apart by, with errors.Is.
var (
	// ErrLocked: another process, or another Store of this one, has the file open.
	ErrLocked = errors.New("another process has it open")
	// ErrDamaged: the file, or a letter in it, is not what a store has written.
	ErrDamaged = errors.New("damaged")
	// ErrFull: the letter has no room, and Options.Overflow says Refuse, or it is
	// larger than MaxBytes alone.
	ErrFull = errors.New("deadletter: the store is full")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("deadletter: the store is closed")
)

// Store is a file of dead letters. It is safe for concurrent use, and one at a
// time can have the file open.
//
// It starts a goroutine while letters are being written, and no other.
type Store struct {
	path      string
	options   Options
	file      *os.File // of db
	db        *bbolt.DB
	queue     queue
	failed    atomic.Int64
	broken    atomic.Pointer[error] // the damage that was met
	replaying atomic.Bool
}

var _ policies.DeadLetters = (*Store)(nil)

// ID names a letter in its store. Later letters have larger ones; none is given twice.
type ID uint64

// String returns the id in decimal.
func (id ID) String() string { return strconv.FormatUint(uint64(id), 10) }

// Kept is a letter in a store.
type Kept struct {
	ID ID
	// Letter is the write. After a replay that failed its Status, SubStatus,
	// Error and MayHaveRun are those of the replay.
	policies.Letter
	// Replays is how often a replay has tried it in vain.
	Replays int
}

// Keep writes a letter into the file. When it returns nil the letter is there,
// whatever becomes of the process, and of the machine unless Options.NoSync is
// set. Letters that come at the same time are written together.
//
// [ErrFull] says that there was no room; the loss is recorded. When ctx ends
// first Keep returns its error; a letter that was just being written may then be
// in the file all the same. Any other error is that of the file, of a full disk
// say: the letter is lost, what was kept before stays.
//
// While Replay sends a letter again, Keep ignores it: it is in the store still.
func (s *Store) Keep(ctx context.Context, l policies.Letter) error {
	if replayed(ctx) {
		return nil
	}
	err := s.keep(ctx, &l)
	if err != nil && !errors.Is(err, ErrFull) {
		s.failed.Add(1)
	}
	return err
}

func (s *Store) keep(ctx context.Context, l *policies.Letter) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("deadletter: not kept: %w", context.Cause(ctx))
	}
	record, err := encode(l, 0)
	if err != nil {
		return err
	}
	var refused error
	err = s.submit(ctx.Done(), len(record), func(shelf *shelf) error {
		var err error
		refused, err = shelf.keep(l.Operation, l.Time, record, &s.options)
		return err
	})
	switch {
	case errors.Is(err, errStopped):
		return fmt.Errorf("deadletter: not kept in time: %w", context.Cause(ctx))
	case err != nil:
		return err
	}
	return refused
}

// Letters returns the letters, oldest first, as they are when their turn comes:
// the loop may delete them, and sees those that are kept meanwhile. An error
// beside an ID is a damaged letter, which the loop may pass over or delete; one
// without an ID is the end.
func (s *Store) Letters() iter.Seq2[Kept, error] {
	return func(yield func(Kept, error) bool) {
		for after := ID(0); ; {
			k, err := s.next(after)
			if k.ID == 0 && err == nil || !yield(k, err) || k.ID == 0 {
				return
			}
			after = k.ID
		}
	}
}

// next returns the first letter behind an id, the zero value when there is none.
func (s *Store) next(after ID) (k Kept, err error) {
	var damage error
	err = s.view(func(shelf *shelf) error {
		id, record := shelf.letters.Cursor().Seek(key(after + 1))
		if id == nil {
			return nil
		}
		k.ID = idOf(id)
		k.Letter, k.Replays, damage = decode(record)
		return nil
	})
	if err == nil && damage != nil {
		err = fmt.Errorf("deadletter: %s: letter %v is %w: %w", s.path, k.ID, ErrDamaged, damage)
	}
	return k, err
}

// Len returns the number of letters.
func (s *Store) Len() (int, error) {
	var n int
	err := s.view(func(shelf *shelf) error { n = int(shelf.size.letters); return nil })
	return n, err
}

// Stats tells how full a store is, and what it has lost.
type Stats struct {
	// Letters in the store, the bytes that they take, and the time of the oldest
	// one; the zero time when there is none, or it is damaged.
	Letters int
	Bytes   int64
	Oldest  time.Time
	// Lost to overflow since the file was made, by operation ("create", "patch").
	Lost map[string]Lost
	// Failed is how many letters could not be written since the store was
	// opened: a full disk, a context that ended. It is not in the file.
	Failed int64
}

// Lost tells of letters that were lost because the store was full.
type Lost struct {
	// Count of the letters, and the bytes that they took.
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
	// First and Last are the times of the oldest and of the newest of them: when
	// the writes were given up.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// Stats returns the state of the store.
func (s *Store) Stats() (Stats, error) {
	stats := Stats{Lost: map[string]Lost{}, Failed: s.failed.Load()}
	err := s.view(func(shelf *shelf) error {
		stats.Letters, stats.Bytes = int(shelf.size.letters), shelf.size.bytes
		if _, record := shelf.letters.Cursor().First(); record != nil {
			l, _, _ := decode(record)
			stats.Oldest = l.Time
		}
		return shelf.lost.ForEach(func(operation, v []byte) error {
			var l Lost
			if err := json.Unmarshal(v, &l); err != nil {
				return fmt.Errorf("what was lost of %s cannot be read: %w", operation, err)
			}
			stats.Lost[string(operation)] = l
			return nil
		})
	})
	return stats, err
}

// Delete removes a letter. Removing one that is not there is no error.
func (s *Store) Delete(id ID) error {
	return s.submit(nil, 0, func(shelf *shelf) error { return shelf.remove(id) })
}

// Close writes what waits, and lets go of the file. What comes later gets
// [ErrClosed]. Closing again does nothing.
func (s *Store) Close() error {
	s.queue.mu.Lock()
	closed := s.queue.closed
	s.queue.closed = true
	s.queue.mu.Unlock()
	s.queue.writer.Wait()
	switch {
	case closed:
		return nil
	case s.broken.Load() != nil:
		s.abandon()
		return *s.broken.Load()
	case s.options.NoSync:
		return errors.Join(s.db.Sync(), s.db.Close())
	}
	return s.db.Close()
}
