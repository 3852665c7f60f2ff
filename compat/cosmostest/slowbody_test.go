package cosmostest

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowAnswers: the first byte or the body comes late, of the account's own answers, too, and the client's patience
// ends the wait.
func TestSlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a", "text": strings.Repeat("x", 1000)}))
		read := func(f Fault) (first, whole time.Duration, n int) {
			acct.SetFaults(f)
			start := time.Now()
			resp, err := signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil)
			noError(t, err)
			first = time.Since(start)
			body, err := io.ReadAll(resp.Body)
			noError(t, err)
			return first, time.Since(start), len(body)
		}
		if first, whole, n := read(Fault{Delay: time.Second, Applied: true}); first != time.Second || whole != first || n < 1000 {
			t.Errorf("slow first byte: %v, %v, %d bytes", first, whole, n)
		}
		if first, whole, n := read(Fault{Bandwidth: 100}); first != 0 || whole != time.Duration(n)*10*time.Millisecond || n < 1000 {
			t.Errorf("slow body: %v, %v, %d bytes", first, whole, n)
		}
		if _, whole, n := read(Fault{Status: 503, Bandwidth: 5}); whole != time.Duration(n)*200*time.Millisecond {
			t.Errorf("slow fault: %v, %d bytes", whole, n)
		}
		if resp, err := signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil); err != nil {
			t.Error(err)
		} else if acct.SetFaults(); resp.Body.Close() != nil {
			t.Error("a slow body cannot be closed")
		}
	})
}

// TestSlowFaultsAppliedLate: with Applied, a slow write is carried out before the wait, else after it.
func TestSlowFaultsAppliedLate(t *testing.T) {
	for _, applied := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			acct := New(t, oneContainer())
			acct.SetFaults(Fault{Operations: []Operation{OpCreateItem}, Delay: time.Minute, Applied: applied})
			go in(t, acct, "East US").create("1")
			synctest.Wait()
			if items, _ := acct.Items("db", "c", ""); (len(items) == 1) != applied {
				t.Errorf("applied %t: %d items while the client waits", applied, len(items))
			}
			time.Sleep(time.Hour)
			if items, _ := acct.Items("db", "c", ""); len(items) != 1 {
				t.Errorf("%d items at last", len(items))
			}
		})
	}
}
