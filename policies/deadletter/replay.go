package deadletter

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/policies"
)

// The reasons for which a replay skips a letter or ends, told apart with errors.Is.
var (
	// ErrUnguarded: the write may have been executed already, it has no ETag to
	// refuse a second execution, and ReplayOptions.Unguarded is not set.
	ErrUnguarded = errors.New("deadletter: the write may have run already, and nothing would refuse it a second time")
	// ErrNoExecute: a stored procedure, and ReplayOptions.Execute is not set.
	ErrNoExecute = errors.New("deadletter: there is nothing to execute stored procedures with")
	// ErrHeld: an earlier write of the same item is still in the store.
	ErrHeld = errors.New("deadletter: an earlier write of the item is still kept")
	// ErrOutage: too many letters failed in a row.
	ErrOutage = errors.New("deadletter: the service does not seem to be well again")
	// ErrReplaying: another replay of the store is under way.
	ErrReplaying = errors.New("deadletter: a replay is under way")
)

// ReplayOptions configures [Store.Replay]. Nil and the zero value mean the defaults.
type ReplayOptions struct {
	// Unguarded also sends writes that may have been executed already and that
	// have no ETag, so that they may be executed twice: upserts and replaces
	// that undo what was written since, increments that count double. Default:
	// false, they are skipped with ErrUnguarded. Creates need no such leave, the
	// service refuses the second one.
	Unguarded bool
	// Execute sends the execution of a stored procedure again, for which azcosmos
	// has no call. It returns the error of the service, an
	// *azcore.ResponseError. Nil: they are skipped with ErrNoExecute. Those that
	// may have been executed already need Unguarded, too.
	Execute func(ctx context.Context, l policies.Letter) error
	// DropConflicts deletes letters whose write the service refuses for what the
	// item has become since. Default: false, they are kept, and hold later writes
	// of the item back.
	DropConflicts bool
	// WithoutSession leaves the session tokens of the letters out. After a
	// failover that lost writes no region ever catches up with them. Default: false.
	WithoutSession bool
	// StopAfter ends the replay with ErrOutage when so many letters have failed
	// in a row that may succeed later. Default: 3. Negative: never.
	StopAfter int
	// OnItem, when set, is called after each letter. Nil: nobody is.
	OnItem func(Item)
}

func (o *ReplayOptions) withDefaults() *ReplayOptions {
	var c ReplayOptions
	if o != nil {
		c = *o
	}
	if c.StopAfter == 0 {
		c.StopAfter = 3
	}
	return &c
}

type replayKey struct{}

// replayed reports whether a context is that of a letter which is sent again.
func replayed(ctx context.Context) bool { return ctx.Value(replayKey{}) != nil }

// replay is one walk through the letters.
type replay struct {
	store   *Store
	client  *azcosmos.Client
	options *ReplayOptions
	report  Report
	held    held
	failed  int // in a row
	probed  bool
	told    bool // the client tells what it sends
}

// Replay sends each letter again through a client of the account, oldest first,
// and deletes those that are done. The client's own policies apply, and it may
// be the one whose writes were kept. It looks at the letters that are in the
// store when it begins. What the context says of diagnostics is not followed.
//
// The error is not nil when Replay did not get to the end: ctx ended, the store
// failed, or [ErrOutage]. Letters that fail for themselves are in the report.
// Whenever it ends, also with the process, another Replay continues.
//
// Writes of one item stay in order: a letter that stays in the store holds
// those behind it back. See the package documentation for what happens in
// which case. One replay at a time runs on a store, else [ErrReplaying].
func (s *Store) Replay(ctx context.Context, client *azcosmos.Client, o *ReplayOptions) (Report, error) {
	if client == nil {
		return Report{}, errors.New("deadletter: client is nil: want a client of the account")
	}
	if !s.replaying.CompareAndSwap(false, true) {
		return Report{}, ErrReplaying
	}
	defer s.replaying.Store(false)
	r := &replay{store: s, client: client, options: o.withDefaults(), held: held{}}
	err := r.all(context.WithValue(ctx, replayKey{}, true))
	left, lenErr := s.Len()
	for _, i := range r.report.Items {
		if i.Outcome != Done && (i.Outcome != Conflict || !r.options.DropConflicts) {
			left--
		}
	}
	r.report.Left = max(0, left)
	return r.report, errors.Join(err, lenErr)
}

func (r *replay) all(ctx context.Context) error {
	last, err := r.store.last()
	if err != nil {
		return err
	}
	for k, err := range r.store.Letters() {
		switch {
		case k.ID == 0:
			return err
		case k.ID > last:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("deadletter: the replay was ended: %w", context.Cause(ctx))
		}
		if err := r.letter(ctx, k, err); err != nil {
			return err
		}
	}
	return nil
}

// letter deals with one letter. Its error ends the replay.
func (r *replay) letter(ctx context.Context, k Kept, damage error) error {
	item := Item{ID: k.ID, Operation: k.Operation, Path: k.Path, Outcome: Skipped}
	q, err := new(request), damage
	if damage == nil {
		q, err = rebuild(&k.Letter, r.options)
	}
	var end error
	switch {
	case err != nil:
		item.Outcome, item.Err = Failed, err
	case r.held.holds(q):
		item.Err = ErrHeld
	case k.Operation == "execute" && r.options.Execute == nil:
		item.Err = ErrNoExecute
	case !q.guarded && k.MayHaveRun && !r.options.Unguarded:
		item.Err = ErrUnguarded
	default:
		item.Outcome, item.Err, end = r.send(ctx, k, q)
	}
	if item.Outcome != Done && (item.Outcome != Conflict || !r.options.DropConflicts) {
		r.held.add(q)
	}
	r.report.Items = append(r.report.Items, item)
	if r.options.OnItem != nil {
		r.options.OnItem(item)
	}
	return end
}

// held are the items of which a letter stays in the store, by logical partition;
// "" stands for all of them, since no item has that id.
type held map[string]map[string]bool

func (h held) add(q *request) {
	if q.partition == "" {
		return
	}
	if h[q.partition] == nil {
		h[q.partition] = map[string]bool{}
	}
	if q.items == nil {
		h[q.partition][""] = true
	}
	for _, id := range q.items {
		h[q.partition][id] = true
	}
}

func (h held) holds(q *request) bool {
	there := h[q.partition]
	if there[""] || q.items == nil && len(there) > 0 {
		return true
	}
	for _, id := range q.items {
		if there[id] {
			return true
		}
	}
	return false
}
