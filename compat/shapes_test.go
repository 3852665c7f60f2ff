package compat_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// seen are the requests of a client, as the retry rules see them.
type seen []wire.Operation

func (s *seen) Do(req *policy.Request) (*http.Response, error) {
	raw := req.Raw()
	*s = append(*s, wire.Classify(raw.Method, raw.URL.EscapedPath(), raw.Header))
	return req.Next()
}

const (
	inContainer  = "dbs/db/colls/c"
	partitionKey = `["p"]`
)

func item(kind wire.Kind) wire.Operation {
	return wire.Operation{Kind: kind, Scope: wire.ScopeItem, Collection: inContainer, PartitionKey: partitionKey}
}

func metadata(kind wire.Kind, collection string) wire.Operation {
	return wire.Operation{Kind: kind, Scope: wire.ScopeMetadata, Collection: collection}
}

// shapes are the calls that all versions of azcosmos have, and what each is on
// the wire.
var shapes = []struct {
	name string
	call func(ctx context.Context, cl *azcosmos.Client, db *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error
	want []wire.Operation
}{
	{"create item", inItems("create"), []wire.Operation{item(wire.KindCreate)}},
	{"upsert item", inItems("upsert"), []wire.Operation{item(wire.KindUpsert)}},
	{"replace item", inItems("replace"), []wire.Operation{item(wire.KindReplace)}},
	{"read item", inItems("read"), []wire.Operation{item(wire.KindRead)}},
	{"patch item", inItems("patch"), []wire.Operation{item(wire.KindPatch)}},
	{"batch", inItems("batch"), []wire.Operation{item(wire.KindBatch)}},
	{"query", inItems("query"), []wire.Operation{item(wire.KindQuery)}},
	{"query across partitions", func(ctx context.Context, _ *azcosmos.Client, _ *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error {
		_, err := c.NewQueryItemsPager("SELECT * FROM c", azcosmos.NewPartitionKey(), nil).NextPage(ctx)
		return err
	}, []wire.Operation{{Kind: wire.KindQuery, Scope: wire.ScopeItem, Collection: inContainer}}},
	{"delete item", func(ctx context.Context, _ *azcosmos.Client, _ *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error {
		_, err := c.DeleteItem(ctx, key, "i", nil)
		return err
	}, []wire.Operation{item(wire.KindDelete)}},
	{"read container", func(ctx context.Context, _ *azcosmos.Client, _ *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error {
		_, err := c.Read(ctx, nil)
		return err
	}, []wire.Operation{metadata(wire.KindRead, inContainer)}},
	{"replace container", func(ctx context.Context, _ *azcosmos.Client, _ *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error {
		_, err := c.Replace(ctx, azcosmos.ContainerProperties{ID: "c"}, nil)
		return err
	}, []wire.Operation{metadata(wire.KindReplace, inContainer)}},
	{"throughput of a container", func(ctx context.Context, _ *azcosmos.Client, _ *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error {
		_, err := c.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(500), nil)
		return err
	}, []wire.Operation{metadata(wire.KindRead, inContainer), metadata(wire.KindQuery, ""), metadata(wire.KindRead, ""), metadata(wire.KindReplace, "")}},
	{"create container", func(ctx context.Context, _ *azcosmos.Client, db *azcosmos.DatabaseClient, _ *azcosmos.ContainerClient) error {
		_, err := db.CreateContainer(ctx, azcosmos.ContainerProperties{ID: "c2", PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}}}, nil)
		return err
	}, []wire.Operation{metadata(wire.KindCreate, "")}},
	{"query containers", func(ctx context.Context, _ *azcosmos.Client, db *azcosmos.DatabaseClient, _ *azcosmos.ContainerClient) error {
		_, err := db.NewQueryContainersPager("SELECT * FROM c", nil).NextPage(ctx)
		return err
	}, []wire.Operation{metadata(wire.KindQuery, "")}},
	{"read database", func(ctx context.Context, _ *azcosmos.Client, db *azcosmos.DatabaseClient, _ *azcosmos.ContainerClient) error {
		_, err := db.Read(ctx, nil)
		return err
	}, []wire.Operation{metadata(wire.KindRead, "")}},
	{"create database", func(ctx context.Context, cl *azcosmos.Client, _ *azcosmos.DatabaseClient, _ *azcosmos.ContainerClient) error {
		_, err := cl.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db2"}, nil)
		return err
	}, []wire.Operation{metadata(wire.KindCreate, "")}},
	{"query databases", func(ctx context.Context, cl *azcosmos.Client, _ *azcosmos.DatabaseClient, _ *azcosmos.ContainerClient) error {
		_, err := cl.NewQueryDatabasesPager("SELECT * FROM c", nil).NextPage(ctx)
		return err
	}, []wire.Operation{metadata(wire.KindQuery, "")}},
	{"delete container", func(ctx context.Context, _ *azcosmos.Client, _ *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error {
		_, err := c.Delete(ctx, nil)
		return err
	}, []wire.Operation{metadata(wire.KindDelete, inContainer)}},
	{"delete database", func(ctx context.Context, _ *azcosmos.Client, db *azcosmos.DatabaseClient, _ *azcosmos.ContainerClient) error {
		_, err := db.Delete(ctx, nil)
		return err
	}, []wire.Operation{metadata(wire.KindDelete, "")}},
}

func inItems(name string) func(context.Context, *azcosmos.Client, *azcosmos.DatabaseClient, *azcosmos.ContainerClient) error {
	return func(ctx context.Context, _ *azcosmos.Client, _ *azcosmos.DatabaseClient, c *azcosmos.ContainerClient) error {
		return operations[name](ctx, c)
	}
}

// TestRequestsOfAzcosmosAreKnown: whatever version of azcosmos is built in, its
// requests are what the retry rules take them for.
func TestRequestsOfAzcosmosAreKnown(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			acct := newAccount(t, func(c *cosmostest.Config) { c.Regions = []string{east} })
			var got seen
			o := client{perCall: []policy.Policy{&got}}.options(acct)
			cl, err := azcosmos.NewClientWithKey(acct.Endpoint(), newKey(t), o)
			noError(t, err)
			db, err := cl.NewDatabase("db")
			noError(t, err)
			c, err := cl.NewContainer("db", "c")
			noError(t, err)
			noError(t, read(t.Context(), c)) // and the account, whose read is the second here
			if len(got) != 2 || got[1] != (wire.Operation{Kind: wire.KindRead, Scope: wire.ScopeAccount}) && got[0] != (wire.Operation{Kind: wire.KindRead, Scope: wire.ScopeAccount}) {
				t.Errorf("the first read is %+v", got)
			}
			got = nil
			err = s.call(t.Context(), cl, db, c)
			if len(got) != len(s.want) {
				t.Fatalf("%d requests, want %d: %+v, %v", len(got), len(s.want), got, err)
			}
			for i := range got {
				if got[i] != s.want[i] {
					t.Errorf("request %d:\n got %+v\nwant %+v", i, got[i], s.want[i])
				}
			}
		})
	}
}
