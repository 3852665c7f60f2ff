package cosmostest

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// sightings is how an item looks to a point read, a query, Items and the change feed.
func sightings(t *testing.T, acct *Account) string {
	t.Helper()
	_, status, _ := in(t, acct, "East US").read("1", "", "")
	items, _ := queryAll(t, in(t, acct, "West US").c(), "SELECT * FROM c", pkA, nil)
	listed, err := acct.Items("db", "c", "")
	noError(t, err)
	feed, _, _ := call(t, acct, "GET", "dbs/db/colls/c/docs", map[string]string{"A-IM": "Incremental Feed", headerRangeID: "0"}, "")
	return fmt.Sprint(status, len(items), len(listed), feed)
}

// TestTimeToLive: items expire by their own time or the container's, for reads, queries, feeds and creates alike.
func TestTimeToLive(t *testing.T) {
	for _, tc := range []struct {
		container    int
		item         any
		before, then int // seconds at which the item is there and is not; 0 for never
	}{
		{0, 5, 1000, 0},
		{-1, nil, 1000, 0},
		{-1, 5, 4, 5},
		{10, nil, 9, 10},
		{10, 5, 4, 5},
		{10, -1, 1000, 0},
		{10, 20, 19, 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c", DefaultTTL: tc.container}}})
			item := map[string]any{"id": "1", "pk": "a"}
			if tc.item != nil {
				item["ttl"] = tc.item
			}
			noError(t, acct.Seed("db", "c", item))
			time.Sleep(time.Duration(tc.before) * time.Second)
			if got := sightings(t, acct); got != "200 1 1 200" {
				t.Errorf("%+v: after %d s: %s", tc, tc.before, got)
			}
			if tc.then == 0 {
				return
			}
			time.Sleep(time.Duration(tc.then-tc.before) * time.Second)
			if got := sightings(t, acct); got != "404 0 0 304" {
				t.Errorf("%+v: after %d s: %s", tc, tc.then, got)
			}
			if got := in(t, acct, "East US").tryCreate("1"); got != "200/0" {
				t.Errorf("%+v: create again: %s", tc, got)
			}
		})
	}
}

// TestTimeToLiveChanges: clients turn the time to live on and off.
func TestTimeToLiveChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		east := in(t, acct, "East US")
		east.create("1")
		time.Sleep(time.Minute)
		props, err := east.c().Read(t.Context(), nil)
		noError(t, err)
		ttl := int32(30)
		props.ContainerProperties.DefaultTimeToLive = &ttl
		_, err = east.c().Replace(t.Context(), *props.ContainerProperties, nil)
		noError(t, err)
		east.want("turned on", "1", "", azcosmos.ConsistencyLevelEventual, 404, 0)
		props.ContainerProperties.DefaultTimeToLive = nil
		_, err = east.c().Replace(t.Context(), *props.ContainerProperties, nil)
		noError(t, err)
		east.want("turned off", "1", "", "", 200, 0)
	})
}
