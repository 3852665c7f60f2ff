package property

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// itemMark stands in the items, whose contents no error text may quote.
const itemMark = "item-body-77d2"

// operations are what scripts do, by kind.
var operations = map[string]func(context.Context, *player, *script) (*http.Response, error){
	"read": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		r, err := p.container.ReadItem(ctx, s.partitionKey(), itemID, s.itemOptions())
		return r.RawResponse, err
	},
	"create": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		r, err := p.container.CreateItem(ctx, s.partitionKey(), s.item(p.freshID()), s.itemOptions())
		return r.RawResponse, err
	},
	"upsert": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		r, err := p.container.UpsertItem(ctx, s.partitionKey(), s.item(itemID), s.itemOptions())
		return r.RawResponse, err
	},
	"replace": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		r, err := p.container.ReplaceItem(ctx, s.partitionKey(), itemID, s.item(itemID), s.itemOptions())
		return r.RawResponse, err
	},
	"patch": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		patch := azcosmos.PatchOperations{}
		patch.AppendSet("/patched", itemMark)
		r, err := p.container.PatchItem(ctx, s.partitionKey(), itemID, patch, s.itemOptions())
		return r.RawResponse, err
	},
	"delete": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		r, err := p.container.DeleteItem(ctx, s.partitionKey(), itemID, s.itemOptions())
		return r.RawResponse, err
	},
	"batch": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		batch := p.container.NewTransactionalBatch(s.partitionKey())
		batch.CreateItem(s.item(p.freshID()), nil)
		batch.ReadItem(itemID, nil)
		r, err := p.container.ExecuteTransactionalBatch(ctx, batch, &azcosmos.TransactionalBatchOptions{SessionToken: s.session})
		return r.RawResponse, err
	},
	"query": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		return query(ctx, p, s, s.partitionKey())
	},
	"queryAcross": func(ctx context.Context, p *player, s *script) (*http.Response, error) {
		return query(ctx, p, s, azcosmos.NewPartitionKey())
	},
	"readContainer": func(ctx context.Context, p *player, _ *script) (*http.Response, error) {
		r, err := p.container.Read(ctx, nil)
		return r.RawResponse, err
	},
	"readDatabase": func(ctx context.Context, p *player, _ *script) (*http.Response, error) {
		r, err := p.database.Read(ctx, nil)
		return r.RawResponse, err
	},
	"createContainer": func(ctx context.Context, p *player, _ *script) (*http.Response, error) {
		r, err := p.database.CreateContainer(ctx, azcosmos.ContainerProperties{
			ID: p.freshID(), PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}},
		}, nil)
		return r.RawResponse, err
	},
	"sproc": execute,
}

func query(ctx context.Context, p *player, s *script, key azcosmos.PartitionKey) (*http.Response, error) {
	options := &azcosmos.QueryOptions{}
	if s.session != "" {
		options.SessionToken = &s.session
	}
	page, err := p.container.NewQueryItemsPager("SELECT * FROM c WHERE c.mark = '"+itemMark+"'", key, options).NextPage(ctx)
	return page.RawResponse, err
}

// execute posts to a stored procedure, which azcosmos cannot.
func execute(ctx context.Context, p *player, s *script) (*http.Response, error) {
	path := "dbs/" + databaseID + "/colls/" + containerID + "/sprocs/sp"
	request, err := runtime.NewRequest(ctx, http.MethodPost, runtime.JoinPaths(p.account.Endpoint(), path))
	if err != nil {
		return nil, err
	}
	if err := runtime.MarshalAsJSON(request, []string{itemMark, strings.Repeat("x", s.size)}); err != nil {
		return nil, err
	}
	header := request.Raw().Header
	header.Set("x-ms-documentdb-partitionkey", fmt.Sprintf("[%q]", s.key))
	header.Set("x-ms-version", "2020-11-05")
	header.Set("Authorization", "type%3Daad%26ver%3D1.0%26sig%3D"+bearer)
	if s.session != "" {
		header.Set("x-ms-session-token", s.session)
	}
	response, err := p.pipeline.Do(request)
	if err != nil || runtime.HasStatusCode(response, http.StatusOK) {
		return response, err
	}
	return response, runtime.NewResponseError(response)
}

// bearer is the token that stored procedures are sent with; the account accepts any.
const bearer = "bearer-token-51b0"

func (s *script) partitionKey() azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(s.key) }

// itemOptions are nil unless the script asks for something.
func (s *script) itemOptions() *azcosmos.ItemOptions {
	if s.session == "" {
		return nil
	}
	return &azcosmos.ItemOptions{SessionToken: &s.session}
}

func (s *script) fields(id string) map[string]any {
	return map[string]any{"id": id, "pk": s.key, "mark": itemMark, "fill": strings.Repeat("x", s.size)}
}

// item is the JSON of fields, which always have one.
func (s *script) item(id string) []byte {
	data, _ := json.Marshal(s.fields(id))
	return data
}

// freshID is an id that nothing in the account has.
func (p *player) freshID() string {
	return fmt.Sprintf("new-%d", p.ids.Add(1))
}
