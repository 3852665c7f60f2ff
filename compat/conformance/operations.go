package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// itemID is the item that every partition key has before an operation that needs one.
const itemID = "item"

// operation sends one operation of a step and returns the response of the service.
type operation func(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error)

// operations are what a step can do.
var operations = map[string]operation{
	"read":            readItem,
	"create":          createItem,
	"upsert":          upsertItem,
	"replace":         replaceItem,
	"patch":           patchItem,
	"delete":          deleteItem,
	"query":           queryPartition,
	"queryAcross":     queryAcross,
	"batch":           executeBatch,
	"readContainer":   readContainer,
	"createContainer": createContainer,
	"sproc":           executeProcedure,
}

func readItem(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	response, err := r.container.ReadItem(ctx, step.partitionKey(), itemID, step.itemOptions())
	return response.RawResponse, err
}

func createItem(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	response, err := r.container.CreateItem(ctx, step.partitionKey(), step.item(r.freshID()), step.itemOptions())
	return response.RawResponse, err
}

func upsertItem(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	response, err := r.container.UpsertItem(ctx, step.partitionKey(), step.item(itemID), step.itemOptions())
	return response.RawResponse, err
}

func replaceItem(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	response, err := r.container.ReplaceItem(ctx, step.partitionKey(), itemID, step.item(itemID), step.itemOptions())
	return response.RawResponse, err
}

func patchItem(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	patch := azcosmos.PatchOperations{}
	patch.AppendSet("/patched", true)
	response, err := r.container.PatchItem(ctx, step.partitionKey(), itemID, patch, step.itemOptions())
	return response.RawResponse, err
}

func deleteItem(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	response, err := r.container.DeleteItem(ctx, step.partitionKey(), itemID, step.itemOptions())
	return response.RawResponse, err
}

func queryPartition(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	return query(ctx, r, step, step.partitionKey())
}

func queryAcross(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	return query(ctx, r, step, azcosmos.NewPartitionKey())
}

// query asks for the first page of a query: one operation, as the policies see it.
func query(ctx context.Context, r *runner, step *stepSpec, key azcosmos.PartitionKey) (*http.Response, error) {
	options := &azcosmos.QueryOptions{}
	if step.Session != "" {
		options.SessionToken = &step.Session
	}
	page, err := r.container.NewQueryItemsPager("SELECT * FROM c", key, options).NextPage(ctx)
	return page.RawResponse, err
}

func executeBatch(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	batch := r.container.NewTransactionalBatch(step.partitionKey())
	batch.CreateItem(step.item(r.freshID()), nil)
	response, err := r.container.ExecuteTransactionalBatch(ctx, batch, &azcosmos.TransactionalBatchOptions{SessionToken: step.Session})
	return response.RawResponse, err
}

func readContainer(ctx context.Context, r *runner, _ *stepSpec) (*http.Response, error) {
	response, err := r.container.Read(ctx, nil)
	return response.RawResponse, err
}

func createContainer(ctx context.Context, r *runner, _ *stepSpec) (*http.Response, error) {
	response, err := r.database.CreateContainer(ctx, azcosmos.ContainerProperties{
		ID:                     r.freshID(),
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/" + keyField}},
	}, nil)
	return response.RawResponse, err
}

// partitionKey is the step's partition key as azcosmos takes it.
func (s *stepSpec) partitionKey() azcosmos.PartitionKey {
	switch value := s.PK.(type) {
	case float64:
		return azcosmos.NewPartitionKeyNumber(value)
	case bool:
		return azcosmos.NewPartitionKeyBool(value)
	default:
		return azcosmos.NewPartitionKeyString(fmt.Sprint(value))
	}
}

// itemOptions are nil unless the step asks for something.
func (s *stepSpec) itemOptions() *azcosmos.ItemOptions {
	if s.Session == "" {
		return nil
	}
	return &azcosmos.ItemOptions{SessionToken: &s.Session}
}

// fields are those of an item of the step's partition key.
func (s *stepSpec) fields(id string) map[string]any {
	return map[string]any{"id": id, keyField: s.PK}
}

// item is the JSON of fields. A map of strings, numbers and booleans always has one.
func (s *stepSpec) item(id string) []byte {
	data, _ := json.Marshal(s.fields(id))
	return data
}
