package cosmostest

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// remembered is how many items a region remembers, deleted and expired ones included.
func remembered(t *testing.T, acct *Account, site int) (n int) {
	t.Helper()
	c, f := acct.store.container("db", "c")
	if f != nil {
		t.Fatal(f)
	}
	for _, rows := range c.replicas[site].keys {
		n += len(rows)
	}
	return n
}

// TestDeletionsAreForgotten: an account that is never at rest does not remember all deletions.
func TestDeletionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.MultiWrite = true })
		for i := range 500 {
			id := fmt.Sprint(i)
			put(t, acct, "East US", "POST", fmt.Sprintf(`{"id":%q,"pk":"a"}`, id))
			if status, _ := put(t, acct, "East US", "DELETE", id); status != 204 {
				t.Fatal(status)
			}
			time.Sleep(time.Second)
		}
		for site := range 3 {
			if n := remembered(t, acct, site); n > 50 {
				t.Errorf("region %d remembers %d items, all deleted", site, n)
			}
		}
	})
}

// TestExpiredItemsAreForgotten: nor all items that have expired.
func TestExpiredItemsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, func(c *Config) { c.Containers[0].DefaultTTL = 10 })
		for i := range 300 {
			put(t, acct, "East US", "POST", fmt.Sprintf(`{"id":"%d","pk":"a"}`, i))
			time.Sleep(time.Second)
		}
		for site := range 3 {
			if n := remembered(t, acct, site); n > 80 {
				t.Errorf("region %d remembers %d items, 10 of which are there", site, n)
			}
		}
	})
}
