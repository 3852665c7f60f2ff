package deadletter

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/policies"
)

// send sends a letter and does with it what the answer says. end ends the replay.
func (r *replay) send(ctx context.Context, k Kept, q *request) (outcome Outcome, err, end error) {
	container, err := r.client.NewContainer(q.database, q.container)
	if err != nil {
		return Failed, err, nil
	}
	if !q.guarded {
		if a := r.probe(ctx, container, q); judge("read", a) == later {
			return r.settle(ctx, k, later, a)
		}
	}
	ran := k.MayHaveRun
	if !q.guarded && !ran {
		// Should this process die now, the next replay must know.
		k.MayHaveRun = true
		if err := r.store.rewrite(&k); err != nil {
			return Failed, err, err
		}
	}
	var d policies.Diagnostics
	sending := policies.WithDiagnostics(ctx, &d)
	if !q.guarded && !r.options.Unguarded {
		sending = policies.WithWriteRetry(sending, false)
	}
	a := q.send(sending, container)
	r.told = r.told || d.Operations() > 0
	k.MayHaveRun = ran || r.mayHaveRun(&d)
	v := judge(k.Operation, a)
	if v == check {
		v, a = r.check(ctx, container, q, a)
	}
	return r.settle(ctx, k, v, a)
}

// probe reads something, once, before the first write that must not run twice.
// It makes the client read the account: when that fails later, within a write,
// nobody can tell that the write was not sent. And it shows whether the client
// has the policies, which tell what they send.
func (r *replay) probe(ctx context.Context, container *azcosmos.ContainerClient, q *request) answer {
	if r.probed {
		return answer{}
	}
	var d policies.Diagnostics
	_, err := container.ReadItem(policies.WithDiagnostics(ctx, &d), q.key, "probe", nil)
	a := answerOf(err)
	r.probed = judge("read", a) != later
	r.told = d.Operations() > 0
	return a
}

// mayHaveRun reports whether an attempt may have been executed. Without the
// policies in the client nobody knows.
func (r *replay) mayHaveRun(d *policies.Diagnostics) bool {
	for _, a := range d.Attempts() {
		if a.Sent && !refusedAttempt(a.Status, a.SubStatus) {
			return true
		}
	}
	return !r.told
}

// check finds out whether what a refused letter writes is in the account
// already: then an earlier attempt has done it.
func (r *replay) check(ctx context.Context, container *azcosmos.ContainerClient, q *request, refused answer) (verdict, answer) {
	checked := false
	for _, p := range q.parts {
		if p.operation == "read" {
			continue
		}
		there, a := p.there(ctx, container, q.key, refused.session)
		if a.err != nil {
			return judge("read", a), a
		}
		if !there {
			return conflict, refused
		}
		checked = true
	}
	if !checked {
		return conflict, refused
	}
	return done, answer{}
}

// there reports whether the effect of a write is in the account. The session
// token makes the read see at least what the refusal saw.
func (p *part) there(ctx context.Context, container *azcosmos.ContainerClient, key azcosmos.PartitionKey, session string) (bool, answer) {
	if p.operation == "patch" {
		return false, answer{} // its effect cannot be told from its operations
	}
	resp, err := container.ReadItem(ctx, key, p.id, &azcosmos.ItemOptions{SessionToken: optional[string](session)})
	a := answerOf(err)
	switch {
	case a.status == http.StatusNotFound && a.subStatus == 0:
		return p.operation == "delete", answer{}
	case err != nil:
		return false, a
	}
	return p.operation != "delete" && sameItem(resp.Value, p.body), answer{}
}

// settle deletes the letter, or writes down what came of it.
func (r *replay) settle(ctx context.Context, k Kept, v verdict, a answer) (outcome Outcome, err, end error) {
	r.failed++
	if v != later {
		r.failed = 0
	}
	switch {
	case v == done:
		return Done, nil, r.store.Delete(k.ID)
	case v == conflict && r.options.DropConflicts:
		return Conflict, a.err, r.store.Delete(k.ID)
	}
	k.Replays++
	k.Status, k.SubStatus, k.Error = a.status, a.subStatus, a.err.Error()
	end = r.store.rewrite(&k)
	switch {
	case end != nil:
	case ctx.Err() != nil:
		end = fmt.Errorf("deadletter: the replay was ended: %w", context.Cause(ctx))
	case r.failed == r.options.StopAfter:
		end = fmt.Errorf("%w: %d letters failed in a row: %w", ErrOutage, r.failed, a.err)
	}
	if v == conflict {
		return Conflict, a.err, end
	}
	return Failed, a.err, end
}

// rewrite replaces a letter that is still in the store.
func (s *Store) rewrite(k *Kept) error {
	record, err := encode(&k.Letter, k.Replays)
	if err != nil {
		return err
	}
	return s.submit(nil, len(record), func(shelf *shelf) error { return shelf.replace(k.ID, record) })
}

// last returns the id of the youngest letter, 0 when there is none.
func (s *Store) last() (id ID, err error) {
	err = s.view(func(shelf *shelf) error {
		if k, _ := shelf.letters.Cursor().Last(); len(k) == 8 {
			id = idOf(k)
		}
		return nil
	})
	return id, err
}
