package deadletter

import (
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// batch makes a transactional batch.
func (w *world) batch(fill func(b *azcosmos.TransactionalBatch)) func() error {
	return func() error {
		b := w.container.NewTransactionalBatch(w.key)
		fill(&b)
		_, err := w.container.ExecuteTransactionalBatch(w.t.Context(), b, nil)
		return err
	}
}

func TestReplayBatches(t *testing.T) {
	fill := func(b *azcosmos.TransactionalBatch) {
		b.CreateItem(item("1", 1), nil)
		b.UpsertItem(item("2", 1), nil)
		b.DeleteItem("3", nil)
		b.ReadItem("2", nil)
	}
	inBubble(t, "that never arrived are done", func(t *testing.T, w *world) {
		w.must(nil, w.create("3", 1)())
		w.lost(outage, w.batch(fill))
		w.replay(nil, Done)
		if w.value("1") != "1" || w.value("2") != "1" || w.value("3") != "" {
			t.Errorf("got %q, %q and %q", w.value("1"), w.value("2"), w.value("3"))
		}
	})
	inBubble(t, "that were executed are done", func(t *testing.T, w *world) {
		w.must(nil, w.create("3", 1)())
		applied := outage
		applied.Applied, applied.Times = true, 1
		w.lostAfter(applied, w.batch(fill))
		if w.value("1") != "1" {
			t.Fatal("it was not executed")
		}
		w.replay(nil, Done)
	})
	inBubble(t, "that are refused are conflicts, as a whole", func(t *testing.T, w *world) {
		w.must(nil, w.create("3", 1)())
		w.lost(outage, w.batch(fill))
		w.must(nil, w.create("1", 2)())
		report := w.replay(nil, Conflict)
		if w.value("2") != "" || w.value("3") != "1" || !strings.Contains(report.Items[0].Err.Error(), "operation 0 of the batch: 409 Conflict") {
			t.Errorf("got %q and %q, %v", w.value("2"), w.value("3"), report.Items[0].Err)
		}
	})
	inBubble(t, "with an ETag are guarded by it", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1)())
		etag := &azcosmos.TransactionalBatchItemOptions{IfMatchETag: new(w.etag("1"))}
		w.lost(outage, w.batch(func(b *azcosmos.TransactionalBatch) { b.ReplaceItem("1", item("1", 2), etag) }))
		w.replay(nil, Done)
		if w.value("1") != "2" {
			t.Errorf("got %q", w.value("1"))
		}
	})
	inBubble(t, "with a patch that has run are conflicts: nobody can tell", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1)())
		etag := w.etag("1")
		applied := outage
		applied.Applied, applied.Times = true, 1
		w.lostAfter(applied, w.batch(func(b *azcosmos.TransactionalBatch) {
			var p azcosmos.PatchOperations
			p.AppendIncrement("/v", 1)
			b.PatchItem("1", p, &azcosmos.TransactionalBatchItemOptions{IfMatchETag: new(azcore.ETag(etag))})
		}))
		w.replay(nil, Conflict)
		if w.value("1") != "2" {
			t.Errorf("got %q, want one increment", w.value("1"))
		}
	})
	inBubble(t, "hold their items back", func(t *testing.T, w *world) {
		w.lost(outage, w.batch(func(b *azcosmos.TransactionalBatch) { b.UpsertItem(item("1", 1), nil); b.UpsertItem(item("2", 1), nil) }))
		w.lost(outage, w.create("2", 2))
		w.lost(outage, w.create("3", 3))
		w.replay(nil, Skipped, Skipped, Done).errorsAre(t, ErrUnguarded, ErrHeld)
	})
}

// The read that finds out what an earlier attempt did may fail, too.
func TestReplayWithoutAnAnswerToTheCheck(t *testing.T) {
	inBubble(t, "the letter is kept", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1))
		w.must(nil, w.create("1", 1)())
		w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 503, Match: func(r *cosmostest.Request) bool { return r.Method == "GET" }})
		w.replay(nil, Failed)
		w.account.SetFaults()
		w.replay(nil, Done)
	})
	inBubble(t, "a container that is gone is for good", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1))
		w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 404, SubStatus: 1003})
		w.replay(&ReplayOptions{StopAfter: 1}, Failed)
	})
}

func TestReplayTellsOfDamagedLetters(t *testing.T) {
	inBubble(t, "and goes on", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1))
		w.lost(outage, w.create("2", 1))
		if err := w.store.submit(nil, 0, func(s *shelf) error { return s.replace(1, []byte{recordFormat, 0, 0, 0, 0, 0}) }); err != nil {
			t.Fatal(err)
		}
		w.replay(nil, Failed, Done).errorsAre(t, ErrDamaged)
	})
}

// A session token that no region has is left out on request.
func TestReplayWithoutSession(t *testing.T) {
	inBubble(t, "the write is done", func(t *testing.T, w *world) {
		w.lost(outage, func() error {
			_, err := w.container.CreateItem(t.Context(), w.key, item("1", 1), &azcosmos.ItemOptions{SessionToken: new("0:-1#999999")})
			return err
		})
		w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 404, SubStatus: 1002, Match: func(r *cosmostest.Request) bool { return r.Header.Get("X-Ms-Session-Token") != "" }})
		w.replay(nil, Failed)
		w.replay(&ReplayOptions{WithoutSession: true}, Done)
	})
}

func TestReplayNeedsAClient(t *testing.T) {
	if _, err := newStore(t, nil).Replay(t.Context(), nil, nil); err == nil {
		t.Error("no error")
	}
	s := newStore(t, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Replay(t.Context(), new(azcosmos.Client), nil); err == nil {
		t.Error("no error from a closed store")
	}
}
