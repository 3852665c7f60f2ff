package cosmostest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// queryAll runs a query to its end and returns the items and the number of pages.
func queryAll(t testing.TB, c *azcosmos.ContainerClient, query string, pk azcosmos.PartitionKey, o *azcosmos.QueryOptions) (items []string, pages int) {
	t.Helper()
	pager := c.NewQueryItemsPager(query, pk, o)
	for pager.More() {
		page, err := pager.NextPage(t.Context())
		noError(t, err)
		pages++
		for _, it := range page.Items {
			items = append(items, string(it))
		}
	}
	return items, pages
}

// queried is an account with twenty items in four partitions under five keys.
func queried(t *testing.T) (*Account, *azcosmos.ContainerClient) {
	acct := New(t, &Config{Containers: []Container{{Database: "db", ID: "c", Partitions: 4}}})
	for i := range 20 {
		noError(t, acct.Seed("db", "c", map[string]any{
			"id": fmt.Sprint(i), "pk": fmt.Sprint("k", i%5), "n": i, "a": map[string]any{"b": []int{i % 2}}, "none": nil,
		}))
	}
	return acct, newContainerClient(t, acct, acct.Transport())
}

var k1, across = azcosmos.NewPartitionKeyString("k1"), azcosmos.NewPartitionKey()

func TestQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := queried(t)
		params := []azcosmos.QueryParameter{{Name: "@n", Value: 6}, {Name: "@pk", Value: "k1"}}
		for _, tc := range []struct {
			query string
			pk    azcosmos.PartitionKey
			want  int
			first string
		}{
			{"SELECT * FROM c", k1, 4, ""},
			{"select * from container as r where r.id = '6'", k1, 1, ""},
			{"SELECT * FROM c", across, 20, ""},
			{"SELECT VALUE COUNT(1) FROM c", across, 1, "20"},
			{"SELECT VALUE COUNT(1) FROM c WHERE c.n >= @n", k1, 1, "3"},
			{"SELECT VALUE c.n FROM c WHERE c.pk = @pk AND c.n = 6", across, 1, "6"},
			{`SELECT c.id, c.a.b[0] AS odd FROM c WHERE c["a"]["b"][0] = 1 AND c.n < 2`, k1, 1, `{"id":"1","odd":1}`},
			{"SELECT VALUE c.id FROM c WHERE c.id IN ('1', '6') OR c.n = 11", k1, 3, `"1"`},
			{"SELECT VALUE COUNT(1) FROM c WHERE IS_NULL(c.none) AND NOT IS_DEFINED(c.gone) AND c.gone != 1", across, 1, "0"},
			{"SELECT TOP 2 * FROM c", k1, 2, ""},
		} {
			items, _ := queryAll(t, c, tc.query, tc.pk, &azcosmos.QueryOptions{QueryParameters: params})
			if len(items) != tc.want || tc.first != "" && items[0] != tc.first {
				t.Errorf("%s: %d items %.100q, want %d and %s", tc.query, len(items), items, tc.want, tc.first)
			}
		}
	})
}

func TestQueryPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct, c := queried(t)
		if items, pages := queryAll(t, c, "SELECT * FROM c", k1, &azcosmos.QueryOptions{PageSizeHint: 3}); len(items) != 4 || pages != 2 {
			t.Errorf("%d items in %d pages, want 4 in 2", len(items), pages)
		}
		acct.ResetLog()
		items, pages := queryAll(t, c, "SELECT * FROM c", across, &azcosmos.QueryOptions{PageSizeHint: 3})
		slices.Sort(items)
		if len(slices.Compact(items)) != 20 || pages < 7 {
			t.Errorf("%d items in %d pages, want 20 in 7 or more", len(items), pages)
		}
		for _, r := range acct.Requests() {
			if r.Range == "" { // each page is one partition's
				t.Errorf("log %v", r)
			}
		}
	})
}

func TestQueryUnsupported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		c := newContainerClient(t, acct, acct.Transport())
		for query, clause := range map[string]string{
			"SELECT * FROM c ORDER BY c.id, c.n":           "ORDER BY with more than one path",
			"SELECT * FROM c ORDER BY 1":                   "ORDER BY",
			"SELECT * FROM c WHERE c.n = 1 GROUP BY c.n":   "GROUP BY",
			"SELECT * FROM c JOIN x IN c.list":             "JOIN",
			"SELECT DISTINCT c.n FROM c":                   "DISTINCT",
			"SELECT SUM(c.n) FROM c":                       "SUM",
			"SELECT VALUE SUM(c.n + 1) FROM c":             "+",
			"SELECT TOP 1 VALUE SUM(c.n) FROM c":           "TOP with an aggregate",
			"SELECT * FROM c WHERE STARTSWITH(c.id, 'a')":  "STARTSWITH",
			"SELECT * FROM c WHERE c.id LIKE 'a'":          "LIKE",
			"SELECT * FROM c OFFSET 1":                     "LIMIT",
			"SELECT * FROM c WHERE c.id = 'not terminated": "not terminated",
			"UPDATE c": "SELECT",
		} {
			_, err := c.NewQueryItemsPager(query, azcosmos.NewPartitionKeyString("a"), nil).NextPage(t.Context())
			if respErr := wantStatus(t, err, http.StatusBadRequest); !strings.Contains(respErr.Error(), clause) {
				t.Errorf("%s: the error does not name %s: %v", query, clause, respErr)
			}
		}
	})
}
