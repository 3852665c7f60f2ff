package deadletter

import (
	"fmt"
	"os"
	"time"
)

// Options configures a [Store]. Nil and the zero value mean the defaults. Open
// copies it.
type Options struct {
	// MaxLetters is how many letters the store holds. Default: 10,000. Negative:
	// any number.
	MaxLetters int
	// MaxBytes is how many bytes the letters may take, as the file holds them:
	// body, headers and what is known of the failure. The file is larger, by the
	// space that deleted letters leave and later ones use. Default: 64 MiB.
	// Negative: any number.
	MaxBytes int64
	// Overflow says which letter is lost when the store is full. Default:
	// [DropOldest].
	Overflow Overflow
	// NoSync leaves it to the operating system when letters reach the disk. The
	// store then survives the death of the process, but when the machine dies
	// letters may be lost, and the whole file damaged. Default: false, every
	// letter is on the disk before Keep returns.
	NoSync bool
	// LockTimeout is how long Open waits for another process to let go of the
	// file. Default: 1 s. Negative: it does not wait.
	LockTimeout time.Duration

	openFile func(name string, flag int, perm os.FileMode) (*os.File, error)
}

// Overflow says which letter is lost when a store is full. The loss is recorded
// in any case; see [Stats].
type Overflow int

// What happens to a letter that has no room.
const (
	DropOldest Overflow = iota // it takes the place of the oldest ones
	Refuse                     // Keep returns ErrFull
)

// String returns "drop oldest" or "refuse".
func (o Overflow) String() string {
	switch o {
	case DropOldest:
		return "drop oldest"
	case Refuse:
		return "refuse"
	}
	return fmt.Sprintf("Overflow(%d)", int(o))
}

func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.MaxLetters == 0 {
		c.MaxLetters = 10_000
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 64 << 20
	}
	switch {
	case c.LockTimeout == 0:
		c.LockTimeout = time.Second
	case c.LockTimeout < 0:
		c.LockTimeout = 1 // bbolt takes 0 for ever
	}
	if c.openFile == nil {
		c.openFile = os.OpenFile
	}
	if c.Overflow != DropOldest && c.Overflow != Refuse {
		return c, fmt.Errorf("deadletter: Options.Overflow is %d: want DropOldest or Refuse", int(c.Overflow))
	}
	return c, nil
}
