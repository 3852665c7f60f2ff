package deadletter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Open opens the store in the file at path, or makes it; its directory must
// exist. Nil options mean the defaults.
//
// The letters hold what the program wrote, so the file is for its owner alone:
// Open makes it with the permissions 0600, and takes those of anybody else away
// from a file that has them.
//
// One process at a time can have a file open. [ErrLocked] says that another
// one, or another Store of this one, has it still after LockTimeout.
//
// Open checks the structure of the whole file, which takes 15 ms for 10,000
// letters. [ErrDamaged] says that it is not what a store has written; the file
// stays as it is, for you to move away. A damage within a letter is no error of
// Open, but one that Letters and Replay tell for each.
func Open(path string, o *Options) (*Store, error) {
	options, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	// Opening something else, a pipe say, could take for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("deadletter: %s is no regular file", path)
	}
	s := &Store{path: path, options: options}
	if err := guard(s.open); err != nil {
		s.abandon()
		return nil, fmt.Errorf("deadletter: %s: %w", path, err)
	}
	return s, nil
}

// abandon lets go of the file without closing the database, which may not be in
// a state for it: what it held locked when it met the damage it holds for ever.
func (s *Store) abandon() {
	if s.file != nil {
		_ = unlock(s.file)
		_ = s.file.Close()
	}
}

func (s *Store) open() error {
	db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{
		Timeout:      s.options.LockTimeout,
		NoSync:       s.options.NoSync,
		FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, perm os.FileMode) (*os.File, error) {
			file, err := s.options.openFile(name, flag, perm)
			s.file = file
			return file, err
		},
	})
	if err != nil {
		return openError(err)
	}
	s.db = db
	if err := s.protect(); err != nil {
		return err
	}
	if err := s.db.View(s.complete); err != nil {
		return err
	}
	// Buckets are made in the first transaction that can write.
	if err := s.db.Update(func(tx *bbolt.Tx) error { _, err := newShelf(tx); return err }); err != nil {
		return err
	}
	if err := s.db.View(verify); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(s.path))
}

// openError tells a file that is locked, cannot be opened or is damaged apart.
func openError(err error) error {
	if errors.Is(err, berrors.ErrTimeout) {
		return ErrLocked
	}
	_, path := errors.AsType[*fs.PathError](err)
	_, system := errors.AsType[syscall.Errno](err)
	if path || system {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// protect takes permissions away that are not the owner's.
func (s *Store) protect() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return s.file.Chmod(0o600)
}

// complete sees that the file is as long as it says, before anything reads the
// pages at its end.
func (s *Store) complete(tx *bbolt.Tx) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < tx.Size() {
		return fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), tx.Size())
	}
	return nil
}

// verify walks through all letters and sees that they are as many as the file
// says. bbolt's own check comes last: it works in a goroutine where a damage that
// the walk meets would end the process.
func verify(tx *bbolt.Tx) error {
	s, err := newShelf(tx)
	if err != nil {
		return err
	}
	var found size
	err = s.letters.ForEach(func(k, record []byte) error {
		if len(k) != 8 {
			return fmt.Errorf("%w: a letter has the id %x", ErrDamaged, k)
		}
		found.letters++
		found.bytes += int64(len(record))
		return nil
	})
	if err != nil {
		return err
	}
	if found != s.size {
		return fmt.Errorf("%w: it has %d letters of %d bytes, and says %d of %d", ErrDamaged, found.letters, found.bytes, s.size.letters, s.size.bytes)
	}
	var broken error
	for err := range tx.Check() {
		if broken == nil {
			broken = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return broken
}

// syncDirectory makes sure that a new file is found after the machine died. Not
// every system lets a directory be synced; then it does so by itself.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = directory.Sync()
	return directory.Close()
}

// guard turns what a damaged file does to its reader, a panic or a fault in the
// memory map, into an error.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return f()
}
