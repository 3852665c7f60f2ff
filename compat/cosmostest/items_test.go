package cosmostest

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// TestItems walks the official client through the life of an item, in process and in virtual time.
func TestItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		exerciseItems(t, newContainerClient(t, acct, acct.Transport()))
		for _, r := range acct.Requests() {
			if r.Account != (r.Path == "/") || r.Region == "?" || !r.Account && r.Range != "0" {
				t.Errorf("logged %+v", r)
			}
		}
	})
}

// exerciseItems does one of everything; whichever way c is connected, the outcome is the same.
func exerciseItems(t *testing.T, c *azcosmos.ContainerClient) {
	ctx, pk := t.Context(), azcosmos.NewPartitionKeyString("a")
	created, err := c.CreateItem(ctx, pk, []byte(`{"id":"1","pk":"a","n":1,"big":12345678901234567890,"list":[1,2]}`),
		&azcosmos.ItemOptions{EnableContentResponseOnWrite: true})
	noError(t, err)
	if created.ETag == "" || created.RequestCharge == 0 || created.ActivityID == "" || created.SessionToken == nil || *created.SessionToken == "" {
		t.Errorf("create: a header is missing: %+v", created)
	}
	if !strings.Contains(string(created.Value), "12345678901234567890") {
		t.Errorf("create returned %s: the number lost digits", created.Value)
	}
	_, err = c.CreateItem(ctx, pk, []byte(`{"id":"1","pk":"a"}`), nil)
	wantStatus(t, err, http.StatusConflict)
	_, err = c.CreateItem(ctx, pk, []byte(`{"id":"2","pk":"b"}`), nil)
	wantStatus(t, err, http.StatusBadRequest)

	read, err := c.ReadItem(ctx, pk, "1", nil)
	noError(t, err)
	if read.ETag != created.ETag || read.RawResponse.Header.Get("x-ms-documentdb-partitionkeyrangeid") != "0" {
		t.Errorf("read: etag %s, headers %v", read.ETag, read.RawResponse.Header)
	}
	_, err = c.ReadItem(ctx, azcosmos.NewPartitionKeyString("b"), "1", nil)
	wantStatus(t, err, http.StatusNotFound)
	exerciseWrites(t, ctx, c, pk, created.ETag)
}

func exerciseWrites(t *testing.T, ctx context.Context, c *azcosmos.ContainerClient, pk azcosmos.PartitionKey, etag azcore.ETag) {
	up, err := c.UpsertItem(ctx, pk, []byte(`{"id":"1","pk":"a","n":2}`), &azcosmos.ItemOptions{IfMatchEtag: &etag})
	noError(t, err)
	if up.RawResponse.StatusCode != http.StatusOK || len(up.Value) != 0 {
		t.Errorf("upsert: status %d, body %q; want 200 and nothing", up.RawResponse.StatusCode, up.Value)
	}
	_, err = c.ReplaceItem(ctx, pk, "1", []byte(`{"id":"1","pk":"a","n":3}`), &azcosmos.ItemOptions{IfMatchEtag: &etag})
	wantStatus(t, err, http.StatusPreconditionFailed)
	_, err = c.ReplaceItem(ctx, pk, "1", []byte(`{"id":"1","pk":"a","n":3,"l":["x"]}`), nil)
	noError(t, err)

	ops := azcosmos.PatchOperations{}
	ops.SetCondition("from c where c.n = 3")
	ops.AppendIncrement("/n", 4)
	ops.AppendSet("/s", "set")
	ops.AppendAdd("/l/0", "first")
	ops.AppendReplace("/l/1", "second")
	patched, err := c.PatchItem(ctx, pk, "1", ops, &azcosmos.ItemOptions{EnableContentResponseOnWrite: true})
	noError(t, err)
	if n, l := property(t, patched.Value, "n"), property(t, patched.Value, "l"); n != 7.0 || string(mustJSON(t, l)) != `["first","second"]` {
		t.Errorf("patched to %s", patched.Value)
	}
	_, err = c.PatchItem(ctx, pk, "1", ops, nil)
	wantStatus(t, err, http.StatusPreconditionFailed)

	_, err = c.DeleteItem(ctx, pk, "1", nil)
	noError(t, err)
	_, err = c.DeleteItem(ctx, pk, "1", nil)
	wantStatus(t, err, http.StatusNotFound)
}

func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		c := newContainerClient(t, acct, acct.Transport())
		pk := azcosmos.NewPartitionKeyString("a")
		b := c.NewTransactionalBatch(pk)
		b.CreateItem([]byte(`{"id":"1","pk":"a"}`), nil)
		b.UpsertItem([]byte(`{"id":"2","pk":"a"}`), nil)
		b.ReadItem("1", nil)
		resp, err := c.ExecuteTransactionalBatch(t.Context(), b, nil)
		noError(t, err)
		if !resp.Success || len(resp.OperationResults) != 3 || resp.OperationResults[2].StatusCode != 200 {
			t.Fatalf("batch: %+v", resp)
		}
		b = c.NewTransactionalBatch(pk)
		b.DeleteItem("1", nil)
		b.CreateItem([]byte(`{"id":"2","pk":"a"}`), nil)
		b.CreateItem([]byte(`{"id":"3","pk":"a"}`), nil)
		resp, err = c.ExecuteTransactionalBatch(t.Context(), b, nil)
		noError(t, err)
		var got []int32
		for _, r := range resp.OperationResults {
			got = append(got, r.StatusCode)
		}
		if resp.Success || string(mustJSON(t, got)) != "[424,409,424]" {
			t.Errorf("failed batch: success %v, statuses %v", resp.Success, got)
		}
		if _, err := c.ReadItem(t.Context(), pk, "1", nil); err != nil {
			t.Errorf("the failed batch deleted item 1: %v", err)
		}
	})
}
