package cosmostest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// TestSplit: items move by their hashes, the list of ranges tells the parents, and the old id is gone.
func TestSplit(t *testing.T) {
	for _, cfg := range []Container{
		{Database: "db", ID: "c"},
		{Database: "db", ID: "c", Partitions: 3},
		{Database: "db", ID: "c", HashVersion: 1},
		{Database: "db", ID: "c", PartitionKey: []string{"/pk", "/sub"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			acct := New(t, &Config{Containers: []Container{cfg}})
			for i := range 40 {
				noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": fmt.Sprint("k", i), "sub": "s"}))
			}
			children, err := acct.Split("db", "c", "0")
			noError(t, err)
			if total := checkRanges(t, acct, children); total != 40 {
				t.Errorf("the ranges have %d items, want 40", total)
			}
			status, header, _ := call(t, acct, "GET", "dbs/db/colls/c/docs", map[string]string{headerRangeID: "0"}, "")
			if status != http.StatusGone || header.Get(headerSubStatus) != "1002" {
				t.Errorf("the old range: %d/%s, want 410/1002", status, header.Get(headerSubStatus))
			}
		})
	}
}

// checkRanges checks that the ranges cover the hash space, that the given ones, and only they, have parents, and that
// each has items and answers under its id. It returns how many items they have together.
func checkRanges(t *testing.T, acct *Account, children []string) (total int) {
	t.Helper()
	_, _, doc := call(t, acct, "GET", "dbs/db/colls/c/pkranges", nil, "")
	previous := ""
	for _, r := range doc["PartitionKeyRanges"].([]any) {
		r := r.(map[string]any)
		id, parents := r["id"].(string), r["parents"].([]any)
		if r["minInclusive"] != previous || slices.Contains(children, id) != (len(parents) == 1) {
			t.Errorf("range %v, the one before ends at %s", r, previous)
		}
		previous = r["maxExclusive"].(string)
		_, header, page := call(t, acct, "GET", "dbs/db/colls/c/docs", map[string]string{headerRangeID: id}, "")
		n := int(page["_count"].(float64))
		if total += n; n == 0 || header.Get(headerRangeID) != id {
			t.Errorf("range %s has %d items, and is told as %s", id, n, header.Get(headerRangeID))
		}
	}
	if previous != "FF" {
		t.Errorf("the last range ends at %s", previous)
	}
	return total
}

// TestMerge: merged partitions become one whose parents are all of them and what they came from.
func TestMerge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"}))
		children, err := acct.Split("db", "c", "0")
		noError(t, err)
		merged, err := acct.Merge("db", "c", children[1], children[0])
		noError(t, err)
		parts, err := acct.Partitions("db", "c")
		noError(t, err)
		if len(parts) != 1 || parts[0].ID != merged || !slices.Equal(parts[0].Parents, []string{"0", "1", "2"}) ||
			parts[0].Min != "" || parts[0].Max != "FF" || parts[0].WriteRegion != "East US" || parts[0].LSN["West US"] != 101 {
			t.Errorf("partitions %+v", parts)
		}
		in(t, acct, "West US").want("with the token of the first", "1", "0:-1#101", "", 200, 0)
		in(t, acct, "West US").want("ahead of the merged one", "1", children[0]+":-1#102", "", 404, 1002)
	})
}

// TestSplitErrors: what cannot be split or merged is told.
func TestSplitErrors(t *testing.T) {
	acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c", Partitions: 3}, {Database: "db", ID: "full", Partitions: maxPartitions}}})
	noError(t, acct.Place("db", "c", "x", "placed"))
	split := func(container, id string) error { _, err := acct.Split("db", container, id); return err }
	merge := func(ids ...string) error { _, err := acct.Merge("db", "c", ids...); return err }
	for what, err := range map[string]error{
		"no container": split("x", "0"), "no partition": split("c", "9"), "placed": split("c", "placed"), "too many": split("full", "0"),
		"one": merge("0"), "not adjacent": merge("0", "2"), "twice": merge("0", "0"), "merge placed": merge("2", "placed"), "none": merge(),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "cosmostest: ") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if parts, err := acct.Partitions("db", "c"); err != nil || len(parts) != 4 || parts[3].Min != "" {
		t.Errorf("%+v, %v", parts, err)
	}
	if _, err := acct.Partitions("db", "x"); err == nil {
		t.Error("partitions of no container")
	}
}

// TestContinuationSurvivesSplit: a query that is under way returns every item once, whatever happens to the partitions
// between its pages.
func TestContinuationSurvivesSplit(t *testing.T) {
	for _, tc := range []struct {
		pk   azcosmos.PartitionKey
		want int
	}{{across, 60}, {k1, 5}} {
		for _, first := range []string{"0", "1"} {
			synctest.Test(t, func(t *testing.T) {
				acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c", Partitions: 2}}})
				for i := range 60 {
					noError(t, acct.Seed("db", "c", map[string]any{"id": fmt.Sprint(i), "pk": fmt.Sprint("k", i%12)}))
				}
				noError(t, acct.Place("db", "c", "k3", "placed"))
				c := newContainerClient(t, acct, acct.Transport())
				pager := c.NewQueryItemsPager("SELECT VALUE c.id FROM c", tc.pk, &azcosmos.QueryOptions{PageSizeHint: 2})
				var got []string
				for step := 0; pager.More(); step++ {
					page, err := pager.NextPage(t.Context())
					noError(t, err)
					for _, it := range page.Items {
						got = append(got, string(it))
					}
					shake(t, acct, step, first)
				}
				slices.Sort(got)
				if unique := slices.Compact(slices.Clone(got)); len(unique) != tc.want || len(got) != tc.want {
					t.Errorf("%d items, %d different ones, want %d: %q", len(got), len(unique), tc.want, got)
				}
			})
		}
	}
}

// shake splits and merges partitions by turns.
func shake(t *testing.T, acct *Account, step int, first string) {
	t.Helper()
	parts, err := acct.Partitions("db", "c")
	noError(t, err)
	switch step {
	case 0:
		_, err = acct.Split("db", "c", first)
	case 2:
		_, err = acct.Split("db", "c", parts[0].ID)
	case 4:
		_, err = acct.Merge("db", "c", parts[1].ID, parts[2].ID)
	case 5:
		_, err = acct.Split("db", "c", parts[1].ID)
	case 8:
		_, err = acct.Merge("db", "c", parts[0].ID, parts[1].ID)
	}
	noError(t, err)
}

// TestSplitUnderWay: what is under way to a region gets there after a split, and the session knows.
func TestSplitUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := lagging(t, nil)
		east, west := in(t, acct, "East US"), in(t, acct, "West US")
		token := east.create("1")
		children, err := acct.Split("db", "c", "0")
		noError(t, err)
		west.want("under way", "1", token, "", 404, 1002)
		var sessions []string
		for i := range 8 { // keys in both halves
			header := map[string]string{headerPartitionKey: fmt.Sprintf(`["%d"]`, i), headerSession: token}
			resp, err := signed(t, acct, pinned{acct, "West US"}, "GET", acct.Endpoint()+"dbs/db/colls/c/docs/1", header, nil)
			noError(t, err)
			sessions = append(sessions, fmt.Sprint(resp.Header.Get(headerSubStatus), " ", resp.Header.Get(headerSession)))
		}
		slices.Sort(sessions)
		sessions = slices.Compact(sessions)
		home, other := children[0], children[1]
		if !slices.Contains(sessions, "1002 "+home+":-1#100") {
			home, other = other, home
		}
		if want := []string{"0 " + other + ":-1#101", "1002 " + home + ":-1#100"}; !slices.Equal(sessions, want) {
			t.Errorf("West US answers %q, want %q: only one half waits for the write", sessions, want)
		}
		time.Sleep(5 * time.Second)
		west.want("arrived", "1", token, "", 200, 0)
	})
}

// TestChangeFeedSurvivesSplit: a reader of the change feed that goes on with its position at the new partitions gets what
// it has not seen, once.
func TestChangeFeedSurvivesSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		read := func(rangeID, mark string) (n int, next string) {
			header := map[string]string{"A-IM": "Incremental Feed", headerRangeID: rangeID, "If-None-Match": mark}
			_, h, doc := call(t, acct, "GET", "dbs/db/colls/c/docs", header, "")
			docs, _ := doc["Documents"].([]any)
			return len(docs), h.Get("Etag")
		}
		seed := func() {
			for i := range 20 {
				noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": fmt.Sprint(i)}))
			}
		}
		seed()
		n, mark := read("0", "")
		seed()
		children, err := acct.Split("db", "c", "0")
		noError(t, err)
		left, leftMark := read(children[0], mark)
		right, rightMark := read(children[1], mark)
		if n != 20 || left+right != 20 || left == 0 || right == 0 {
			t.Errorf("%d before, %d and %d after the split; want 20 and 20 together", n, left, right)
		}
		merged, err := acct.Merge("db", "c", children...)
		noError(t, err)
		for _, mark := range []string{leftMark, rightMark} {
			if n, _ := read(merged, mark); n != 0 {
				t.Errorf("%d items after the merge, want none", n)
			}
		}
	})
}
