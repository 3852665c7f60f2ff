package cosmostest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// sorted is an account with items of one key whose property v has every type; sorted by it they are a, b, c and so on.
func sorted(t *testing.T) *azcosmos.ContainerClient {
	acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c", Partitions: 2}}})
	for i, v := range []any{[]int{1}, "x", 2, false, nil, 10, "a", true, map[string]int{"n": 1}} {
		noError(t, acct.Seed("db", "c", map[string]any{"id": string("hgfcbfgdi"[i]) + fmt.Sprint(i), "pk": "k1", "v": v, "n": i}))
	}
	noError(t, acct.Seed("db", "c", map[string]any{"id": "a", "pk": "k1"}))
	return newContainerClient(t, acct, acct.Transport())
}

// TestOrderBy: values are ordered by type and value, and an order has pages, too.
func TestOrderBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := sorted(t)
		for _, tc := range []struct{ query, want string }{
			{"SELECT VALUE c.id FROM c ORDER BY c.v", `"a","b4","c3","d7","f2","f5","g6","g1","h0","i8"`},
			{"SELECT VALUE c.id FROM c ORDER BY c.v DESC", `"i8","h0","g1","g6","f5","f2","d7","c3","b4","a"`},
			{"SELECT VALUE c.n FROM c WHERE c.n < 4 ORDER BY c.n DESC OFFSET 1 LIMIT 2", "2,1"},
			{"SELECT TOP 2 VALUE c.n FROM c ORDER BY c.n ASC", "0"}, // the first has no n
			{"SELECT VALUE c.n FROM c OFFSET 7 LIMIT 100", "7,8"},
			{"SELECT VALUE c.n FROM c OFFSET 70 LIMIT 1", ""},
		} {
			for _, size := range []int32{1, 3, 100} {
				items, pages := queryAll(t, c, tc.query, k1, &azcosmos.QueryOptions{PageSizeHint: size})
				if got := strings.Join(items, ","); got != tc.want || size == 1 && len(items) > 2 && pages < len(items) {
					t.Errorf("%s: %s in %d pages, want %s", tc.query, got, pages, tc.want)
				}
			}
		}
	})
}

// TestAggregates: what they are of numbers, of other things and of nothing.
func TestAggregates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := sorted(t)
		for _, tc := range []struct{ query, want string }{
			{"SELECT VALUE COUNT(1) FROM c", "10"},
			{"SELECT VALUE COUNT(c.v) FROM c", "9"},
			{"SELECT VALUE SUM(c.n) FROM c", "36"},
			{"SELECT VALUE AVG(c.n) FROM c WHERE c.n <= 1", "0.5"},
			{"SELECT VALUE MIN(c.n) FROM c WHERE c.n > 2", "3"},
			{"SELECT VALUE MAX(c.n) FROM c", "8"},
			{"SELECT VALUE MIN(c.v) FROM c", "null"},
			{"SELECT VALUE MAX(c.v) FROM c", `{"n":1}`},
			{"SELECT VALUE sum(c.v) FROM c", ""},
			{"SELECT VALUE SUM(c.n) FROM c WHERE c.n > 99", "0"},
			{"SELECT VALUE AVG(c.n) FROM c WHERE c.n > 99", ""},
			{"SELECT VALUE MAX(c.n) FROM c WHERE c.n > 99", ""},
		} {
			items, _ := queryAll(t, c, tc.query, k1, nil)
			if got := strings.Join(items, ","); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.query, got, tc.want)
			}
		}
	})
}

// TestCrossPartitionRefusals: what a client would have to merge gets a 400 that names the clause, but for one partition.
func TestCrossPartitionRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := sorted(t)
		for query, clause := range map[string]string{
			"SELECT * FROM c ORDER BY c.n":     "ORDER BY",
			"SELECT VALUE SUM(c.n) FROM c":     "the aggregate SUM",
			"SELECT VALUE COUNT(c.n) FROM c":   "the aggregate COUNT",
			"SELECT * FROM c OFFSET 1 LIMIT 2": "OFFSET LIMIT",
		} {
			_, err := c.NewQueryItemsPager(query, across, nil).NextPage(t.Context())
			if respErr := wantStatus(t, err, http.StatusBadRequest); !strings.Contains(respErr.Error(), "with "+clause+" is not served") {
				t.Errorf("%s: %v", query, respErr)
			}
		}
		acct := New(t, oneContainer())
		one := newContainerClient(t, acct, acct.Transport())
		if items, _ := queryAll(t, one, "SELECT VALUE SUM(c.n) FROM c", across, nil); len(items) != 1 || items[0] != "0" {
			t.Errorf("one partition: %q", items)
		}
		_, err := newClient(t, acct, acct.Transport()).NewQueryDatabasesPager("SELECT * FROM r ORDER BY r.id", nil).NextPage(t.Context())
		wantStatus(t, err, http.StatusBadRequest)
	})
}
