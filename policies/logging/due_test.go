package logging_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/logging"
)

// TestSummaryComesWithTheNextOperation: the observer does not want to hear of
// operations that end well, but one that ends when a summary is due has it written.
func TestSummaryComesWithTheNextOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer, page := newObserver(t, &logging.Options{Burst: 1, Period: time.Minute})
		account := newAccount(t)
		container := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}})
		ask := func() {
			t.Helper()
			if err := read(t.Context(), container); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503, Times: 3})
		for range 3 {
			ask()
		}
		summaries := func() int { return strings.Count(strings.Join(page.lines(), "\n"), "failing over, and more of it") }
		time.Sleep(59 * time.Second)
		ask()
		if n := summaries(); n != 0 {
			t.Errorf("%d summaries before the minute is over", n)
		}
		time.Sleep(time.Second)
		ask()
		ask()
		if n := summaries(); n != 1 {
			t.Errorf("%d summaries, want 1:\n%s", n, strings.Join(page.lines(), "\n"))
		}
		if observer.Wants(policies.Event{Kind: policies.EventCompleted, Time: time.Now().Add(time.Hour)}) {
			t.Error("it wants to hear of every operation when there is nothing to write")
		}
	})
}
