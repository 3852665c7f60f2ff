package deadletter

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// A process that is killed after its replay has sent a write, and before it has
// deleted the letter, leaves the file as it is when the write arrives. The next
// replay must neither lose the write nor do it a second time.
func TestReplayAfterAReplayThatWasKilled(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lose   func(w *world)
		again  Outcome
		reason error
		want   string // the values of the new and the old item
	}{
		{"create", func(w *world) { w.lost(outage, w.create("new", 1)) }, Done, nil, "10"},
		{"replace with an ETag", func(w *world) { w.lost(outage, w.replace("old", 1, w.etag("old"))) }, Done, nil, "1"},
		{"delete with an ETag", func(w *world) {
			etag := w.etag("old")
			w.lost(outage, func() error {
				_, err := w.container.DeleteItem(w.t.Context(), w.key, "old", &azcosmos.ItemOptions{IfMatchEtag: &etag})
				return err
			})
		}, Done, nil, ""},
		{"upsert that had never run", func(w *world) { w.lost(away, w.upsert("new", 1)) }, Skipped, ErrUnguarded, "10"},
		{"increment that had never run", func(w *world) { w.lost(away, w.increment("old", 1)) }, Skipped, ErrUnguarded, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.must(nil, w.create("old", 0)())
				tt.lose(w)
				killed := filepath.Join(t.TempDir(), "killed.db")
				w.account.SetFaults(cosmostest.Fault{Match: func(r *cosmostest.Request) bool {
					if r.Method == "GET" {
						return false
					}
					content, err := os.ReadFile(w.store.path)
					if err == nil {
						err = os.WriteFile(killed, content, 0o600)
					}
					return err == nil
				}})
				w.replay(nil, Done)
				w.account.SetFaults()
				w.store = openStore(t, killed, nil)
				w.replay(nil, tt.again).errorsAre(t, tt.reason)
				if got := w.value("new") + w.value("old"); got != tt.want {
					t.Errorf("got %q, want %q: the write once", got, tt.want)
				}
			})
		})
	}
}
