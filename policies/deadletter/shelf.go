package deadletter

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// The buckets of the file.
var (
	bucketLetters = []byte("letters") // id → record
	bucketLost    = []byte("lost")    // operation → Lost, JSON
	bucketState   = []byte("state")   // keyFormat, keySize
)

var (
	keyFormat = []byte("format")
	keySize   = []byte("size")
)

const fileFormat = "1"

// size is what the letters take.
type size struct {
	letters, bytes int64
}

// shelf is the file within one transaction.
type shelf struct {
	letters, lost, state *bbolt.Bucket
	size                 size
}

// newShelf finds the buckets. A file that has none of them gets them in a
// transaction that can write.
func newShelf(tx *bbolt.Tx) (*shelf, error) {
	if tx.Writable() && tx.Bucket(bucketState) == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return nil, fmt.Errorf("%w: it is a database of something else", ErrDamaged)
		}
		if err := create(tx); err != nil {
			return nil, err
		}
	}
	s := &shelf{letters: tx.Bucket(bucketLetters), lost: tx.Bucket(bucketLost), state: tx.Bucket(bucketState)}
	if s.letters == nil || s.lost == nil || s.state == nil {
		return nil, fmt.Errorf("%w: a part is missing", ErrDamaged)
	}
	if format := s.state.Get(keyFormat); string(format) != fileFormat {
		return nil, fmt.Errorf("its format is %q, and this version knows %q", format, fileFormat)
	}
	v := s.state.Get(keySize)
	if len(v) != 16 {
		return nil, fmt.Errorf("%w: its size is not told", ErrDamaged)
	}
	s.size = size{int64(binary.BigEndian.Uint64(v)), int64(binary.BigEndian.Uint64(v[8:]))}
	s.letters.FillPercent = 0.95 // ids only grow
	return s, nil
}

func create(tx *bbolt.Tx) error {
	for _, name := range [][]byte{bucketLetters, bucketLost, bucketState} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	state := tx.Bucket(bucketState)
	if err := state.Put(keyFormat, []byte(fileFormat)); err != nil {
		return err
	}
	return state.Put(keySize, make([]byte, 16))
}

// save writes the size; a transaction that changes letters ends with it.
func (s *shelf) save() error {
	v := binary.BigEndian.AppendUint64(nil, uint64(s.size.letters))
	return s.state.Put(keySize, binary.BigEndian.AppendUint64(v, uint64(s.size.bytes)))
}

func key(id ID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func idOf(key []byte) ID { return ID(binary.BigEndian.Uint64(key)) }

// keep adds a letter, and makes room or refuses it as the options say. What is
// lost in either way is recorded.
func (s *shelf) keep(operation string, at time.Time, record []byte, o *Options) (refused, err error) {
	for !o.fits(s.size, len(record)) {
		if o.Overflow == Refuse || s.size.letters == 0 || o.MaxBytes > 0 && int64(len(record)) > o.MaxBytes {
			return ErrFull, s.lose(operation, at, len(record))
		}
		if err := s.dropOldest(); err != nil {
			return nil, err
		}
	}
	id, err := s.letters.NextSequence()
	if err != nil {
		return nil, err
	}
	s.size.letters++
	s.size.bytes += int64(len(record))
	return nil, s.letters.Put(key(ID(id)), record)
}

// fits reports whether a record of n bytes has room.
func (o *Options) fits(have size, n int) bool {
	return (o.MaxLetters <= 0 || have.letters < int64(o.MaxLetters)) && (o.MaxBytes <= 0 || have.bytes+int64(n) <= o.MaxBytes)
}

func (s *shelf) dropOldest() error {
	k, record := s.letters.Cursor().First()
	if len(k) != 8 {
		return fmt.Errorf("%w: it has fewer letters than it says", ErrDamaged)
	}
	l, _, err := decode(record)
	if err != nil {
		l.Operation = "damaged"
	}
	if err := s.lose(l.Operation, l.Time, len(record)); err != nil {
		return err
	}
	return s.remove(idOf(k))
}

// lose records that a letter went to waste.
func (s *shelf) lose(operation string, at time.Time, n int) error {
	var l Lost
	if v := s.lost.Get([]byte(operation)); v != nil {
		if err := json.Unmarshal(v, &l); err != nil {
			l = Lost{} // better a wrong count than a letter that cannot be kept
		}
	}
	v, err := json.Marshal(l.add(at, n))
	if err != nil {
		return err
	}
	return s.lost.Put([]byte(operation), v)
}

func (l Lost) add(at time.Time, n int) Lost {
	if l.Count == 0 || at.Before(l.First) {
		l.First = at
	}
	if l.Count == 0 || at.After(l.Last) {
		l.Last = at
	}
	l.Count++
	l.Bytes += int64(n)
	return l
}

// remove deletes a letter, if it is there.
func (s *shelf) remove(id ID) error {
	record := s.letters.Get(key(id))
	if record == nil {
		return nil
	}
	s.size.letters--
	s.size.bytes -= int64(len(record))
	return s.letters.Delete(key(id))
}

// replace writes a letter anew, if it is still there.
func (s *shelf) replace(id ID, record []byte) error {
	old := s.letters.Get(key(id))
	if old == nil {
		return nil
	}
	s.size.bytes += int64(len(record) - len(old))
	return s.letters.Put(key(id), record)
}
