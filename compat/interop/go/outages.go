package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// docsPath is what the paths of all requests for orders begin with.
const docsPath = "/dbs/shop/colls/orders/docs"

// fault is a fault as the management API takes it.
type fault map[string]any

// wantAttempts fails unless the orders were asked for in these ways, in this order: region and status.
func (e *env) wantAttempts(ctx context.Context, wanted ...string) error {
	log, err := e.attempts(ctx, docsPath)
	if err != nil {
		return err
	}
	var got []string
	for _, r := range log {
		got = append(got, fmt.Sprintf("%s %d", r.Region, r.Status))
	}
	if !slices.Equal(got, wanted) {
		return fmt.Errorf("the attempts are %q, want %q", got, wanted)
	}
	return nil
}

// prepare creates order 1 and then breaks the account.
func (e *env) prepare(ctx context.Context, faults ...fault) error {
	if _, err := e.create(ctx, "1", 7); err != nil {
		return err
	}
	return errors.Join(
		e.manage(ctx, "DELETE", "requests", nil, nil),
		e.manage(ctx, "PUT", "faults", append([]fault{}, faults...), nil),
	)
}

func checkSession(ctx context.Context, e *env) error {
	if err := e.prepare(ctx, fault{"region": "East US", "status": 404, "subStatus": 1002, "times": 1}); err != nil {
		return err
	}
	return errors.Join(e.wantTotal(ctx, "1", 7), e.wantAttempts(ctx, "East US 404", "East US 200"))
}

func checkThrottle(ctx context.Context, e *env) error {
	after := map[string]string{"x-ms-retry-after-ms": "150"}
	err := e.prepare(ctx, fault{"status": 429, "subStatus": 3200, "headers": after, "times": 2})
	if err != nil {
		return err
	}
	err = errors.Join(e.wantTotal(ctx, "1", 7), e.wantAttempts(ctx, "East US 429", "East US 429", "East US 200"))
	log, logErr := e.attempts(ctx, docsPath)
	if err = errors.Join(err, logErr); err != nil {
		return err
	}
	if wait := log[2].Time.Sub(log[1].Time); wait < 150*time.Millisecond {
		return fmt.Errorf("the client waited %v, want 150ms", wait)
	}
	return nil
}

func checkUnavailable(ctx context.Context, e *env) error {
	if err := e.prepare(ctx, fault{"region": "East US", "status": 503}); err != nil {
		return err
	}
	return errors.Join(e.wantTotal(ctx, "1", 7), e.wantAttempts(ctx, "East US 503", "West US 200"))
}

func checkMultiWrite(ctx context.Context, e *env) error {
	if err := e.manage(ctx, "PUT", "account", map[string]any{"multiWrite": true, "writeRegions": []string{}}, nil); err != nil {
		return err
	}
	if err := e.prepare(ctx, fault{"region": "East US", "status": 503}); err != nil {
		return err
	}
	_, err := e.create(ctx, "2", 8)
	return errors.Join(err, e.wantAttempts(ctx, "East US 503", "West US 201"))
}

// checkPartition is on an account with per-partition failover.
func checkPartition(ctx context.Context, e *env) error {
	if err := e.manage(ctx, "PUT", "account", map[string]any{"ppaf": true}, nil); err != nil {
		return err
	}
	if err := e.prepare(ctx, fault{"region": "East US", "status": 503}); err != nil {
		return err
	}
	_, err := e.create(ctx, "2", 8)
	return errors.Join(err, e.wantAttempts(ctx, "East US 503", "West US 201"))
}

// checkLag reads its own write where that has not arrived yet.
func checkLag(ctx context.Context, e *env) error {
	if err := e.manage(ctx, "POST", "replication/pause", map[string]string{"from": "*", "to": "*"}, nil); err != nil {
		return err
	}
	created, err := e.create(ctx, "1", 7)
	if err != nil {
		return err
	}
	west, done, err := e.newClient(e.roots, policy.RetryOptions{}, "West US")
	if err != nil {
		return err
	}
	defer done()
	orders, err := west.NewContainer("shop", "orders")
	if err != nil {
		return err
	}
	options := &azcosmos.ItemOptions{SessionToken: created.SessionToken}
	_, bridged := orders.ReadItem(ctx, e.key(), "1", options)
	_, stale := orders.ReadItem(ctx, e.key(), "1", nil)
	err = errors.Join(bridged, wantStatus(stale, 404), e.manage(ctx, "POST", "replication/flush", nil, nil))
	_, arrived := orders.ReadItem(ctx, e.key(), "1", nil)
	return errors.Join(err, arrived, e.wantAttempts(ctx,
		"East US 201", "West US 404", "East US 200", "West US 404", "West US 200"))
}

// checkSpent writes more than the throughput of a container is good for.
func checkSpent(ctx context.Context, e *env) error {
	small, err := e.client.NewContainer("shop", "small")
	if err != nil {
		return err
	}
	// It has 400 request units in a second, and an order of 20 KiB costs 110.
	for i := range 10 {
		o := e.order(fmt.Sprint(i), i)
		o.Note = strings.Repeat("x", 20<<10-200)
		if _, err := small.CreateItem(ctx, e.key(), body(o), nil); err != nil {
			return err
		}
	}
	log, err := e.attempts(ctx, "/dbs/shop/colls/small/docs")
	if err != nil {
		return err
	}
	throttled := 0
	for _, r := range log {
		if r.Status == 429 {
			throttled++
		}
	}
	return want("that it was throttled", throttled > 0 && len(log) == throttled+10, true)
}

// checkSplit reads a query and a change feed on over a split of a partition.
func checkSplit(ctx context.Context, e *env) error {
	if _, err := e.spread(ctx, 30); err != nil {
		return err
	}
	seen := map[string]bool{}
	whole := azcosmos.NewFeedRange("", "FF")
	token, err := e.follow(ctx, &whole, "", seen)
	if err != nil {
		return err
	}
	options := &azcosmos.QueryOptions{PageSizeHint: 2, QueryParameters: []azcosmos.QueryParameter{{Name: "@lot", Value: e.customer}}}
	pager := e.orders.NewQueryItemsPager("SELECT * FROM c WHERE c.lot = @lot", azcosmos.NewPartitionKey(), options)
	first, err := pager.NextPage(ctx)
	if err != nil {
		return err
	}
	var split struct{ Children []string }
	order := map[string]string{"database": "shop", "container": "orders", "range": "0"}
	if err := e.manage(ctx, "POST", "split", order, &split); err != nil {
		return err
	}
	items, _, err := drain(ctx, pager)
	if err != nil {
		return err
	}
	before := len(seen)
	clear(seen)
	_, created := e.create(ctx, "new", 1)
	_, followed := e.follow(ctx, &whole, token, seen)
	merge := map[string]any{"database": "shop", "container": "orders", "ranges": split.Children}
	return errors.Join(created, followed, e.manage(ctx, "POST", "merge", merge, nil),
		want("the items of the query", len(first.Items)+items, 30),
		want("that the change feed had all before", before >= 30, true), want("what it had after", len(seen), 1))
}

func checkStop(ctx context.Context, e *env) error {
	if err := e.prepare(ctx); err != nil {
		return err
	}
	if err := e.manage(ctx, "POST", "regions/East%20US/stop", nil, nil); err != nil {
		return err
	}
	if err := errors.Join(e.wantTotal(ctx, "1", 7), e.wantAttempts(ctx, "West US 200")); err != nil {
		return err
	}
	if err := e.manage(ctx, "POST", "regions/East%20US/start", nil, nil); err != nil {
		return err
	}
	return runCheck(ctx, e.program, e.maker, check{do: func(ctx context.Context, later *env) error {
		return errors.Join(later.wantTotal(ctx, "1", 7), later.wantAttempts(ctx, "West US 200", "East US 200"))
	}}, e.customer)
}

func checkFailover(ctx context.Context, e *env) error {
	if err := e.prepare(ctx); err != nil {
		return err
	}
	if err := e.manage(ctx, "POST", "failover", map[string]string{"to": "West US"}, nil); err != nil {
		return err
	}
	if _, err := e.create(ctx, "2", 8); err != nil {
		return err
	}
	log, err := e.attempts(ctx, docsPath)
	if err != nil {
		return err
	}
	last := log[len(log)-1]
	return errors.Join(
		want("the first answer", log[0].Status, 403), want("its region", log[0].Region, "East US"),
		want("the last answer", last.Status, 201), want("its region", last.Region, "West US"),
		e.wantTotal(ctx, "2", 8),
	)
}
