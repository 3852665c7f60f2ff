package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// tlsTime is much longer than a handshake takes.
const tlsTime = 500 * time.Millisecond

func checkTLS(ctx context.Context, e *env) error {
	client, done, err := e.newClient(x509.NewCertPool(), policy.RetryOptions{MaxRetries: -1})
	if err != nil {
		return err
	}
	defer done()
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, tlsTime) // the client would try for ten seconds
	defer cancel()
	if _, err = orders.ReadItem(short, e.key(), "1", nil); err == nil {
		return errors.New("there is no error")
	}
	log, err := e.attempts(ctx, "/")
	return errors.Join(err, want("the number of requests that arrived", len(log), 0))
}

func checkCreate(ctx context.Context, e *env) error {
	resp, err := e.create(ctx, "1", 7)
	if err != nil {
		return err
	}
	_, again := e.create(ctx, "1", 8)
	_, missing := e.read(ctx, "2")
	return errors.Join(
		want("the status", resp.RawResponse.StatusCode, 201),
		want("that there is an etag", resp.ETag != "", true),
		want("that there is a session token", resp.SessionToken != nil && *resp.SessionToken != "", true),
		want("that there is a charge", resp.RequestCharge > 0, true),
		e.wantTotal(ctx, "1", 7),
		wantStatus(again, 409),
		wantStatus(missing, 404),
	)
}

func checkReplace(ctx context.Context, e *env) error {
	first, err := e.orders.UpsertItem(ctx, e.key(), body(e.order("1", 1)), nil)
	if err != nil {
		return err
	}
	second, err := e.orders.UpsertItem(ctx, e.key(), body(e.order("1", 2)), nil)
	if err != nil {
		return err
	}
	err = errors.Join(
		want("the first upsert", first.RawResponse.StatusCode, 201),
		want("the second upsert", second.RawResponse.StatusCode, 200),
		e.wantTotal(ctx, "1", 2),
	)
	_, replaced := e.orders.ReplaceItem(ctx, e.key(), "1", body(e.order("1", 3)), nil)
	_, missing := e.orders.ReplaceItem(ctx, e.key(), "2", body(e.order("2", 3)), nil)
	return errors.Join(err, replaced, e.wantTotal(ctx, "1", 3), wantStatus(missing, 404))
}

func checkCondition(ctx context.Context, e *env) error {
	created, err := e.create(ctx, "1", 1)
	if err != nil {
		return err
	}
	options := &azcosmos.ItemOptions{IfMatchEtag: &created.ETag}
	_, fresh := e.orders.ReplaceItem(ctx, e.key(), "1", body(e.order("1", 2)), options)
	_, stale := e.orders.ReplaceItem(ctx, e.key(), "1", body(e.order("1", 3)), options)
	return errors.Join(fresh, wantStatus(stale, 412), e.wantTotal(ctx, "1", 2))
}

func checkPatch(ctx context.Context, e *env) error {
	if _, err := e.create(ctx, "1", 1); err != nil {
		return err
	}
	var patch azcosmos.PatchOperations
	patch.AppendIncrement("/total", 4)
	patch.AppendAdd("/note", "gift")
	if _, err := e.orders.PatchItem(ctx, e.key(), "1", patch, nil); err != nil {
		return err
	}
	var never azcosmos.PatchOperations
	never.SetCondition("FROM c WHERE c.total > 100")
	never.AppendSet("/total", 0)
	_, refused := e.orders.PatchItem(ctx, e.key(), "1", never, nil)
	return errors.Join(e.wantTotal(ctx, "1", 5), wantStatus(refused, 412))
}

func checkDelete(ctx context.Context, e *env) error {
	if _, err := e.create(ctx, "1", 1); err != nil {
		return err
	}
	if _, err := e.orders.DeleteItem(ctx, e.key(), "1", nil); err != nil {
		return err
	}
	_, again := e.orders.DeleteItem(ctx, e.key(), "1", nil)
	_, gone := e.read(ctx, "1")
	return errors.Join(wantStatus(again, 404), wantStatus(gone, 404))
}

func checkBatch(ctx context.Context, e *env) error {
	if _, err := e.create(ctx, "1", 1); err != nil {
		return err
	}
	batch := e.orders.NewTransactionalBatch(e.key())
	batch.CreateItem(body(e.order("2", 2)), nil)
	batch.UpsertItem(body(e.order("3", 3)), nil)
	batch.ReplaceItem("1", body(e.order("1", 10)), nil)
	batch.ReadItem("2", nil)
	batch.DeleteItem("3", nil)
	resp, err := e.orders.ExecuteTransactionalBatch(ctx, batch, nil)
	if err != nil {
		return err
	}
	_, gone := e.read(ctx, "3")
	return errors.Join(
		want("success", resp.Success, true),
		want("the number of results", len(resp.OperationResults), 5),
		e.wantTotal(ctx, "1", 10), e.wantTotal(ctx, "2", 2), wantStatus(gone, 404),
	)
}

func checkAtomic(ctx context.Context, e *env) error {
	batch := e.orders.NewTransactionalBatch(e.key())
	batch.CreateItem(body(e.order("1", 1)), nil)
	batch.ReplaceItem("no such order", body(e.order("no such order", 1)), nil)
	resp, err := e.orders.ExecuteTransactionalBatch(ctx, batch, nil)
	if err != nil {
		return err
	}
	if n := len(resp.OperationResults); n != 2 {
		return fmt.Errorf("there are %d results, want 2", n)
	}
	_, rolledBack := e.read(ctx, "1")
	return errors.Join(
		want("success", resp.Success, false),
		want("the first result", resp.OperationResults[0].StatusCode, 424),
		want("the second result", resp.OperationResults[1].StatusCode, 404),
		wantStatus(rolledBack, 404),
	)
}
