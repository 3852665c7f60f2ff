package deadletter

import (
	"fmt"
	"strings"
)

// Outcome is what became of a letter in a replay.
type Outcome int

// The outcomes.
const (
	// Done: the write is in the account, and the letter deleted.
	Done Outcome = iota
	// Conflict: the service refused the write, because the item is not what it
	// was when the write was made: 409, 412, or 404. The letter is kept, or
	// deleted if ReplayOptions.DropConflicts says so.
	Conflict
	// Failed: it did not work this time, and the letter is kept.
	Failed
	// Skipped: it was not sent, and the letter is kept.
	Skipped
)

// String returns "done", "conflict", "failed" or "skipped".
func (o Outcome) String() string {
	names := [...]string{"done", "conflict", "failed", "skipped"}
	if o < 0 || int(o) >= len(names) {
		return fmt.Sprintf("Outcome(%d)", int(o))
	}
	return names[o]
}

// Item is one letter of a [Report].
type Item struct {
	ID ID
	// Operation and Path of the letter, empty when it is damaged.
	Operation, Path string
	Outcome         Outcome
	// Err says why, nil for Done.
	Err error
}

// String is a line about the letter: "7 create /dbs/d/colls/c/docs: done".
func (i Item) String() string {
	text := fmt.Sprintf("%v %s %s: %v", i.ID, i.Operation, i.Path, i.Outcome)
	if i.Err == nil {
		return text
	}
	line, _, _ := strings.Cut(i.Err.Error(), "\n")
	return text + ": " + line
}

// Report tells what a replay has done, letter by letter in the order of their ids.
type Report struct {
	Items []Item
	// Left is how many letters it did not come to: it ended early, or they were
	// kept after it had begun.
	Left int
}

// Count returns how many letters had an outcome.
func (r Report) Count(o Outcome) int {
	n := 0
	for _, i := range r.Items {
		if i.Outcome == o {
			n++
		}
	}
	return n
}

// String is a summary: "12 done, 1 conflict, 0 failed, 2 skipped, 0 left".
func (r Report) String() string {
	var b strings.Builder
	for o := Done; o <= Skipped; o++ {
		fmt.Fprintf(&b, "%d %v, ", r.Count(o), o)
	}
	return b.String() + fmt.Sprintf("%d left", r.Left)
}
