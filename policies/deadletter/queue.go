package deadletter

import (
	"errors"
	"fmt"
	"sync"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// What one transaction takes at most.
const (
	maxGroup      = 256
	maxGroupBytes = 4 << 20
)

// change waits to be written. The changes that gather while one group of them
// is being written are the next group: in an outage many operations give up at
// once, and an fsync for each would keep their callers waiting.
type change struct {
	apply func(*shelf) error // may be called again, when its group failed
	size  int
	done  chan error // has room for one
}

// queue is the changes that wait. Its goroutine lives while there are some.
type queue struct {
	mu      sync.Mutex
	waiting []*change
	running bool
	closed  bool
	writer  sync.WaitGroup
}

var errStopped = errors.New("stopped waiting")

// submit has a change written, and waits for that until stop is closed; then it
// returns errStopped. A change that is being written by then may be done all the same.
func (s *Store) submit(stop <-chan struct{}, size int, apply func(*shelf) error) error {
	c := &change{apply, size, make(chan error, 1)}
	if !s.add(c) {
		return ErrClosed
	}
	select {
	case err := <-c.done:
		return err
	case <-stop:
	}
	s.withdraw(c)
	select {
	case err := <-c.done:
		return err
	default:
		return errStopped
	}
}

// add reports false when the store is closed.
func (s *Store) add(c *change) bool {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, c)
	if !q.running {
		q.running = true
		q.writer.Go(s.write)
	}
	return true
}

// withdraw takes a change back that is not being written yet.
func (s *Store) withdraw(c *change) {
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, waiting := range q.waiting {
		if waiting == c {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return
		}
	}
}

// take returns the next group, nil at the end of the queue.
func (q *queue) take() []*change {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, bytes := 0, 0
	for n < len(q.waiting) && n < maxGroup && (n == 0 || bytes+q.waiting[n].size <= maxGroupBytes) {
		bytes += q.waiting[n].size
		n++
	}
	if n == 0 {
		q.running, q.waiting = false, nil
		return nil
	}
	group := q.waiting[:n:n]
	q.waiting = append([]*change(nil), q.waiting[n:]...)
	return group
}

func (s *Store) write() {
	for group := s.queue.take(); group != nil; group = s.queue.take() {
		s.commit(group)
	}
}

// commit writes a group. When it cannot be written as a whole each change is
// tried alone: one large letter does not take the others along.
func (s *Store) commit(group []*change) {
	err := s.update(func(shelf *shelf) error {
		for _, c := range group {
			if err := c.apply(shelf); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && len(group) > 1 && !errors.Is(err, ErrDamaged) {
		for i := range group {
			s.commit(group[i : i+1])
		}
		return
	}
	for _, c := range group {
		c.done <- err
	}
}

func (s *Store) update(f func(*shelf) error) error {
	return s.run(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			shelf, err := newShelf(tx)
			if err != nil {
				return err
			}
			if err := f(shelf); err != nil {
				return err
			}
			return shelf.save()
		})
	})
}

func (s *Store) view(f func(*shelf) error) error {
	return s.run(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			shelf, err := newShelf(tx)
			if err != nil {
				return err
			}
			return f(shelf)
		})
	})
}

// run does something with the database. After a damage nothing more is done with
// it: what it held locked then, it may hold for ever.
func (s *Store) run(f func() error) error {
	if broken := s.broken.Load(); broken != nil {
		return *broken
	}
	err := guard(f)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return ErrClosed
	}
	err = fmt.Errorf("deadletter: %s: %w", s.path, err)
	if errors.Is(err, ErrDamaged) {
		s.broken.CompareAndSwap(nil, &err)
	}
	return err
}
