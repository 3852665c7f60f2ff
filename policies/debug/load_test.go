package debug_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies/debug"
)

// TestPageConcurrentSafe: readers of every path and operators who change the
// settings, while clients are at work in an outage that comes and goes.
func TestPageConcurrentSafe(t *testing.T) {
	page, err := debug.New(&debug.Options{Keep: 50, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	account := cosmostest.New(t, &cosmostest.Config{
		LogLimit: -1, Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	if err := account.Seed("shop", "orders", map[string]any{"id": "1", "pk": "ann"}); err != nil {
		t.Fatal(err)
	}
	container := install(t, page, account)
	read := func() {
		if _, err := container.ReadItem(t.Context(), azcosmos.NewPartitionKeyString("ann"), "1", nil); err != nil {
			t.Error(err)
		}
	}
	read() // of the account, too
	paths := []string{"", "?format=json", "settings", "explain?collection=dbs/shop/colls/orders&key=ann", "explain?collection=dbs/shop/colls/orders&key=ann&write=1&format=json"}
	const rounds = 25
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 4 * rounds {
				read()
			}
		})
		all.Go(func() {
			for n := range rounds {
				get(t, page, "/debug/cosmos/"+paths[(i+n)%len(paths)], http.StatusOK)
			}
		})
	}
	all.Go(func() {
		for n := range rounds {
			if w := post(page, "Bearer "+token, fmt.Sprintf(`{"failover": {"maxRetries": %d}, "budget": {"ratio": 1}}`, 2+n%5)); w.Code != http.StatusOK {
				t.Errorf("got %d: %s", w.Code, w.Body)
			}
		}
	})
	all.Go(func() {
		for n := range rounds {
			account.SetFaults(cosmostest.Fault{Region: [...]string{"East US", "West US"}[n%2], Status: 503})
		}
	})
	all.Wait()
	if body := get(t, page, "/debug/cosmos/settings", http.StatusOK); !strings.Contains(body, "<strong>6</strong>") {
		t.Error("the settings in force are not the last ones")
	}
}

func TestLongSettingsAreRefused(t *testing.T) {
	page, err := debug.New(&debug.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	install(t, page, cosmostest.New(t, nil))
	w := post(page, "Bearer "+token, "{}"+strings.Repeat(" ", 64<<10))
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d, want 413: %s", w.Code, w.Body)
	}
}

// gone is a reader that has gone away.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestReaderMayGoAway(t *testing.T) {
	page, err := debug.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	page.ServeHTTP(gone{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/debug/cosmos/", nil))
}
