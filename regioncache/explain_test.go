package regioncache

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

const explained = `{"writableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com/"}],
"readableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com/"},
{"name":"West US","databaseAccountEndpoint":"https://acct-westus.documents.azure.com/"},
{"name":"North Europe","databaseAccountEndpoint":"https://acct-northeurope.documents.azure.com/"}]}`

func TestExplain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New("https://acct.documents.azure.com/", &Options{ExcludedRegions: []string{"North Europe"}})
		if err != nil {
			t.Fatal(err)
		}
		if e := c.Explain(t.Context(), "dbs/d/colls/c", `["a"]`, false); e != nil {
			t.Errorf("got %+v before the regions are known, want nil", e)
		}
		if err := c.Learn([]byte(explained), time.Now()); err != nil {
			t.Fatal(err)
		}
		c.MarkUnavailable("acct-eastus.documents.azure.com")
		op := &wire.Operation{Collection: "dbs/d/colls/c", PartitionKey: `["a"]`}
		for range 10 {
			c.PartitionFailed(op, "acct-westus.documents.azure.com")
		}
		want := []Candidate{
			{Region: "West US", Endpoint: "https://acct-westus.documents.azure.com/", Breaker: "open"},
			{Region: "East US", Endpoint: "https://acct-eastus.documents.azure.com/", Marked: "unavailable", Breaker: "closed"},
			{Region: "North Europe", Endpoint: "https://acct-northeurope.documents.azure.com/", Excluded: true, Breaker: "closed"},
		}
		e := c.Explain(t.Context(), "dbs/d/colls/c", `["a"]`, false)
		if len(e.Candidates) != len(want) || !e.Logical {
			t.Fatalf("got %+v", e)
		}
		for i := range want {
			if e.Candidates[i] != want[i] {
				t.Errorf("place %d: got %+v, want %+v", i, e.Candidates[i], want[i])
			}
		}
		if got := c.Choose(t.Context(), op, nil).Region.Name; got != e.Candidates[0].Region {
			t.Errorf("the operation goes to %s, the explanation says %s", got, e.Candidates[0].Region)
		}
		ctx := WithExcludedRegions(t.Context(), "West US")
		if e := c.Explain(ctx, "dbs/d/colls/c", `["a"]`, false); e.Candidates[0].Region != "East US" || !e.Candidates[2].Excluded {
			t.Errorf("with West US excluded: got %+v", e.Candidates)
		}
		if e := c.Explain(t.Context(), "dbs/d/colls/c", `["a"]`, true); len(e.Candidates) != 2 || e.Candidates[0].Region != "East US" || e.Candidates[0].Breaker != "" {
			t.Errorf("a write: got %+v", e.Candidates)
		}
	})
}
