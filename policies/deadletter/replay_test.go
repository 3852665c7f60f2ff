package deadletter

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// inBubble runs a test in virtual time.
func inBubble(t *testing.T, name string, test func(t *testing.T, w *world)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, newWorld(t, nil)) })
	})
}

func TestReplayCreates(t *testing.T) {
	inBubble(t, "that never arrived are done", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1.0))
		w.replay(nil, Done)
		if w.value("1") != "1" {
			t.Errorf("got %v", w.value("1"))
		}
	})
	inBubble(t, "whose item is there already are done", func(t *testing.T, w *world) {
		applied := outage
		applied.Applied = true
		w.lost(applied, w.create("1", 1.0))
		if w.value("1") != "1" {
			t.Fatal("the first create was not executed")
		}
		w.replay(nil, Done)
	})
	inBubble(t, "whose id has another item are conflicts", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1.0))
		w.must(nil, w.create("1", 2.0)())
		report := w.replay(nil, Conflict)
		if e, ok := errors.AsType[*azcore.ResponseError](report.Items[0].Err); !ok || e.StatusCode != 409 {
			t.Errorf("got %v, want the 409", report.Items[0].Err)
		}
		w.replay(&ReplayOptions{DropConflicts: true}, Conflict)
		if n := length(t, w.store); n != 0 || w.value("1") != "2" {
			t.Errorf("%d letters, value %v: want the letter dropped and the item as it is", n, w.value("1"))
		}
	})
}

func TestReplayWithETags(t *testing.T) {
	inBubble(t, "an unchanged item is replaced", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		w.lost(outage, w.replace("1", 2.0, w.etag("1")))
		w.replay(nil, Done)
		if w.value("1") != "2" {
			t.Errorf("got %v", w.value("1"))
		}
	})
	inBubble(t, "a changed one is a conflict", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		w.lost(outage, w.replace("1", 2.0, w.etag("1")))
		w.must(nil, w.replace("1", 3.0, "")())
		report := w.replay(nil, Conflict)
		if e, ok := errors.AsType[*azcore.ResponseError](report.Items[0].Err); !ok || e.StatusCode != 412 || w.value("1") != "3" {
			t.Errorf("got %v and %v, want the 412", report.Items[0].Err, w.value("1"))
		}
	})
	inBubble(t, "one that the write has changed is done", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		etag := w.etag("1")
		applied := outage
		applied.Applied, applied.Times = true, 1
		w.account.SetFaults()
		w.lostAfter(applied, w.replace("1", 2.0, etag))
		w.replay(nil, Done)
	})
	inBubble(t, "a patch that may have run is sent, and refused if it has", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		etag := w.etag("1")
		w.lost(outage, func() error {
			var p azcosmos.PatchOperations
			p.AppendIncrement("/v", 1)
			_, err := w.container.PatchItem(t.Context(), w.key, "1", p, &azcosmos.ItemOptions{IfMatchEtag: &etag})
			return err
		})
		w.replay(nil, Done)
		if w.value("1") != "2" {
			t.Errorf("got %v", w.value("1"))
		}
	})
	inBubble(t, "a missing one is a conflict", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		w.lost(outage, w.replace("1", 2.0, w.etag("1")))
		w.must(w.container.DeleteItem(t.Context(), w.key, "1", nil))
		w.replay(nil, Conflict)
	})
	inBubble(t, "a missing one is what a delete wants", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		etag := w.etag("1")
		w.lost(outage, func() error {
			_, err := w.container.DeleteItem(t.Context(), w.key, "1", &azcosmos.ItemOptions{IfMatchEtag: &etag})
			return err
		})
		w.must(w.container.DeleteItem(t.Context(), w.key, "1", nil))
		w.replay(nil, Done)
	})
}

// lostAfter is lost for a write whose first attempt is executed and whose later
// ones fail.
func (w *world) lostAfter(applied cosmostest.Fault, write func() error) {
	w.t.Helper()
	w.account.SetFaults(applied, outage)
	defer w.account.SetFaults()
	if err := write(); err == nil {
		w.t.Fatal("the write succeeded")
	}
}

func TestReplayUnguardedWrites(t *testing.T) {
	inBubble(t, "that surely never ran are sent", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		w.lost(away, w.increment("1", 1))
		w.lost(away, w.upsert("2", 1.0))
		w.replay(nil, Done, Done)
		if w.value("1") != "2" || w.value("2") != "1" {
			t.Errorf("got %v and %v", w.value("1"), w.value("2"))
		}
	})
	inBubble(t, "that may have run are sent on request only", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		w.lost(outage, w.increment("1", 1))
		w.lost(outage, w.upsert("2", 1.0))
		w.replay(nil, Skipped, Skipped).errorsAre(t, ErrUnguarded, ErrUnguarded)
		if w.value("1") != "1" || w.value("2") != "" {
			t.Errorf("got %v and %v: something was sent", w.value("1"), w.value("2"))
		}
		w.replay(&ReplayOptions{Unguarded: true}, Done, Done)
		if w.value("1") != "2" || w.value("2") != "1" {
			t.Errorf("got %v and %v", w.value("1"), w.value("2"))
		}
	})
	inBubble(t, "are not repeated by the policies either", func(t *testing.T, w *world) {
		w.must(nil, w.create("1", 1.0)())
		w.lost(away, w.increment("1", 1))
		w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 503, Applied: true, Match: func(r *cosmostest.Request) bool { return r.Method == "PATCH" }})
		w.replay(nil, Failed)
		w.account.SetFaults()
		if w.value("1") != "2" {
			t.Errorf("got %v, want one increment", w.value("1"))
		}
		w.replay(nil, Skipped).errorsAre(t, ErrUnguarded)
	})
	inBubble(t, "stay sure when the account cannot be reached", func(t *testing.T, w *world) {
		w.lost(away, w.upsert("1", 1.0))
		w.client = w.newClient(w.store) // a new process, in the same outage
		w.account.SetFaults(away, cosmostest.Fault{Account: true, Transport: cosmostest.Refused})
		w.replay(nil, Failed)
		w.account.SetFaults()
		w.client = w.newClient(w.store) // some versions of azcosmos remember for 5 min that the account could not be read
		w.replay(nil, Done)
	})
	inBubble(t, "are in doubt when the client does not tell", func(t *testing.T, w *world) {
		w.lost(away, w.upsert("1", 1.0))
		w.client = w.newClient(nil)
		w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 400, Match: func(r *cosmostest.Request) bool { return r.Method == "POST" }})
		w.replay(nil, Failed)
		w.account.SetFaults()
		w.replay(nil, Skipped).errorsAre(t, ErrUnguarded)
		w.replay(&ReplayOptions{Unguarded: true}, Done)
	})
}

func TestReplayKeepsTheOrderOfAnItem(t *testing.T) {
	inBubble(t, "behind a failure", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1.0))
		w.lost(outage, w.create("2", 1.0))
		w.lost(away, w.replace("1", 2.0, ""))
		w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 400, Match: func(r *cosmostest.Request) bool { return string(r.Body) == string(item("1", 1.0)) }})
		w.replay(nil, Failed, Done, Skipped).errorsAre(t, nil, nil, ErrHeld)
		w.account.SetFaults()
		w.replay(nil, Done, Done)
		if w.value("1") != "2" {
			t.Errorf("got %v", w.value("1"))
		}
	})
	inBubble(t, "behind a conflict, unless it is dropped", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1.0))
		w.lost(away, w.replace("1", 2.0, ""))
		w.must(nil, w.create("1", 3.0)())
		w.replay(nil, Conflict, Skipped)
		w.replay(&ReplayOptions{DropConflicts: true}, Conflict, Done)
		if w.value("1") != "2" {
			t.Errorf("got %v", w.value("1"))
		}
	})
}
