package deadletter

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

func TestReplayEnds(t *testing.T) {
	inBubble(t, "in an outage", func(t *testing.T, w *world) {
		for _, id := range []string{"1", "2", "3", "4", "5"} {
			w.lost(outage, w.create(id, 1.0))
		}
		w.account.SetFaults(outage)
		report, err := w.store.Replay(t.Context(), w.client, nil)
		if !errors.Is(err, ErrOutage) || report.Left != 2 {
			t.Errorf("got %v, %v: want ErrOutage after 3 letters", report, err)
		}
		w.outcomes(report, Failed, Failed, Failed)
		if n := length(t, w.store); n != 5 {
			t.Errorf("%d letters, want 5: a replay keeps none a second time", n)
		}
		for k := range w.store.Letters() {
			if want := map[ID]int{1: 1, 2: 1, 3: 1}[k.ID]; k.Replays != want {
				t.Errorf("letter %v was sent %d times, want %d", k.ID, k.Replays, want)
			}
		}
		// The service comes back in the middle of the next one.
		w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 503, Times: 4})
		w.replay(nil, Failed, Done, Done, Done, Done)
		w.replay(nil, Done)
	})
	inBubble(t, "with its context", func(t *testing.T, w *world) {
		for _, id := range []string{"1", "2", "3"} {
			w.lost(outage, w.create(id, 1.0))
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		report, err := w.store.Replay(ctx, w.client, &ReplayOptions{OnItem: func(i Item) {
			if i.ID == 2 {
				cancel(cause)
			}
		}})
		if !errors.Is(err, cause) || report.Left != 1 {
			t.Errorf("got %v, %v", report, err)
		}
		w.outcomes(report, Done, Done)
		w.replay(nil, Done)
	})
	inBubble(t, "when another one runs", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1.0))
		w.replay(&ReplayOptions{OnItem: func(Item) {
			if _, err := w.store.Replay(t.Context(), w.client, nil); !errors.Is(err, ErrReplaying) {
				t.Errorf("got %v, want ErrReplaying", err)
			}
		}}, Done)
	})
	inBubble(t, "with the letters that it began with", func(t *testing.T, w *world) {
		w.lost(outage, w.create("1", 1.0))
		report := w.replay(&ReplayOptions{OnItem: func(Item) { keep(t, w.store, letter(7)) }}, Done)
		if report.Left != 1 {
			t.Errorf("got %v, want 1 left", report)
		}
	})
}

func TestReplayStoredProcedures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		l := policies.Letter{Operation: "execute", Method: "POST", Path: "/dbs/db/colls/c/sprocs/s", Body: []byte(`[1]`)}
		keep(t, w.store, l)
		l.MayHaveRun = true
		keep(t, w.store, l)
		w.replay(nil, Skipped, Skipped).errorsAre(t, ErrNoExecute, ErrHeld)
		var sent []policies.Letter
		o := &ReplayOptions{Execute: func(_ context.Context, l policies.Letter) error { sent = append(sent, l); return nil }}
		w.replay(o, Done, Skipped).errorsAre(t, nil, ErrUnguarded)
		o.Unguarded = true
		w.replay(o, Done)
		if len(sent) != 2 || string(sent[0].Body) != `[1]` || sent[0].Path != l.Path {
			t.Errorf("sent %+v", sent)
		}
	})
}
