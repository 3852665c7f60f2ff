package policies_test

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

func TestWatchedSettingsHoldForRunningClients(t *testing.T) {
	account := newAccount(t)
	container, set := newClient(t, account, nil)
	account.SetFaults(cosmostest.Fault{Region: "*", Status: http.StatusServiceUnavailable})
	path := filepath.Join(t.TempDir(), "settings.json")
	write := func(document string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want int) {
		t.Helper()
		account.ResetLog()
		_ = read(t.Context(), container)
		got := 0
		for _, r := range account.Requests() {
			if !r.Account {
				got++
			}
		}
		if got != want {
			t.Errorf("got %d requests, want %d", got, want)
		}
	}
	write(`{"failover": {"maxRetries": 1}}`)
	changed := make(chan error)
	watcher, err := policies.NewWatcher(path, &policies.WatchOptions{
		Logger: slog.New(slog.DiscardHandler), OnChange: func(_ *policies.Settings, err error) { changed <- err },
	}, set)
	if err != nil {
		t.Fatal(err)
	}
	expect(2)
	write(`{"failover": {"maxRetries": -1}}`)
	if err := <-changed; err != nil {
		t.Fatal(err)
	}
	expect(1)
	if err := watcher.Close(); err != nil {
		t.Fatal(err)
	}
	write(`{}`)
	expect(1)
}
