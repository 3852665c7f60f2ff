package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// createMany creates n orders of the check's customer, with the ids and totals 0 to n-1.
func (e *env) createMany(ctx context.Context, n int) error {
	for i := range n {
		if _, err := e.create(ctx, fmt.Sprint(i), i); err != nil {
			return err
		}
	}
	return nil
}

// spread creates a lot of n orders of n customers, so that all partitions have some.
func (e *env) spread(ctx context.Context, n int) ([]azcosmos.ItemIdentity, error) {
	var all []azcosmos.ItemIdentity
	for i := range n {
		o := order{ID: fmt.Sprint(i), Customer: fmt.Sprintf("%s/%d", e.customer, i), Total: i, Lot: e.customer}
		key := azcosmos.NewPartitionKeyString(o.Customer)
		if _, err := e.orders.CreateItem(ctx, key, body(o), nil); err != nil {
			return nil, err
		}
		all = append(all, azcosmos.ItemIdentity{ID: o.ID, PartitionKey: key})
	}
	return all, nil
}

// drain counts the items and the pages of a query.
func drain(ctx context.Context, pager *runtime.Pager[azcosmos.QueryItemsResponse]) (items, pages int, err error) {
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return items, pages, err
		}
		items += len(page.Items)
		pages++
	}
	return items, pages, nil
}

func checkQuery(ctx context.Context, e *env) error {
	if err := e.createMany(ctx, 5); err != nil {
		return err
	}
	options := &azcosmos.QueryOptions{QueryParameters: []azcosmos.QueryParameter{{Name: "@min", Value: 3}}}
	items, _, err := drain(ctx, e.orders.NewQueryItemsPager("SELECT * FROM c WHERE c.total >= @min", e.key(), options))
	_, _, wrong := drain(ctx, e.orders.NewQueryItemsPager("SELECT FROM WHERE", e.key(), nil))
	return errors.Join(err, want("the number of items", items, 2), wantStatus(wrong, 400))
}

func checkPages(ctx context.Context, e *env) error {
	if err := e.createMany(ctx, 7); err != nil {
		return err
	}
	options := &azcosmos.QueryOptions{PageSizeHint: 3}
	first, err := e.orders.NewQueryItemsPager("SELECT * FROM c", e.key(), options).NextPage(ctx)
	if err != nil {
		return err
	}
	if first.ContinuationToken == nil {
		return errors.New("there is no continuation token")
	}
	options.ContinuationToken = first.ContinuationToken // as a program that was restarted in between
	items, pages, err := drain(ctx, e.orders.NewQueryItemsPager("SELECT * FROM c", e.key(), options))
	return errors.Join(err, want("the first page", len(first.Items), 3), want("the others' items", items, 4), want("the others", pages, 2))
}

func checkOrder(ctx context.Context, e *env) error {
	if err := e.createMany(ctx, 5); err != nil {
		return err
	}
	query := "SELECT VALUE c.id FROM c ORDER BY c.total DESC OFFSET 1 LIMIT 3"
	page, err := e.orders.NewQueryItemsPager(query, e.key(), nil).NextPage(ctx)
	if err != nil {
		return err
	}
	return want("the ids", fmt.Sprintf("%s", page.Items), `["3" "2" "1"]`)
}

func checkAggregates(ctx context.Context, e *env) error {
	if err := e.createMany(ctx, 5); err != nil {
		return err
	}
	var err error
	for aggregate, wanted := range map[string]string{"COUNT(1)": "5", "SUM(c.total)": "10", "MIN(c.total)": "0", "MAX(c.total)": "4", "AVG(c.total)": "2"} {
		page, failed := e.orders.NewQueryItemsPager("SELECT VALUE "+aggregate+" FROM c", e.key(), nil).NextPage(ctx)
		err = errors.Join(err, failed, want(aggregate, fmt.Sprintf("%s", page.Items), "["+wanted+"]"))
	}
	return err
}

func checkAcross(ctx context.Context, e *env) error {
	if _, err := e.spread(ctx, 12); err != nil {
		return err
	}
	options := &azcosmos.QueryOptions{
		PageSizeHint:    2,
		QueryParameters: []azcosmos.QueryParameter{{Name: "@lot", Value: e.customer}},
	}
	query := "SELECT c.id, c.total FROM c WHERE c.lot = @lot"
	items, pages, err := drain(ctx, e.orders.NewQueryItemsPager(query, azcosmos.NewPartitionKey(), options))
	return errors.Join(err, want("the number of items", items, 12), want("that there are pages", pages >= 6, true))
}

func checkMany(ctx context.Context, e *env) error {
	all, err := e.spread(ctx, 20)
	if err != nil {
		return err
	}
	all = append(all, azcosmos.ItemIdentity{ID: "no such order", PartitionKey: e.key()})
	resp, err := e.orders.ReadManyItems(ctx, all, nil)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, item := range resp.Items {
		var o order
		if err := json.Unmarshal(item, &o); err != nil {
			return err
		}
		seen[o.ID] = true
	}
	return errors.Join(want("the number of items", len(resp.Items), 20), want("the number of ids", len(seen), 20))
}

func checkRanges(ctx context.Context, e *env) error {
	ranges, err := e.orders.GetFeedRanges(ctx)
	if err != nil {
		return err
	}
	low := ""
	for _, r := range ranges {
		err = errors.Join(err, want("the begin of a range", r.MinInclusive, low))
		low = r.MaxExclusive
	}
	return errors.Join(err, want("the number of ranges", len(ranges), 3), want("the end", low, "FF"))
}

func checkFeed(ctx context.Context, e *env) error {
	if _, err := e.spread(ctx, 12); err != nil {
		return err
	}
	ranges, err := e.orders.GetFeedRanges(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	tokens := make([]string, len(ranges))
	for i := range ranges {
		if tokens[i], err = e.follow(ctx, &ranges[i], "", seen); err != nil {
			return err
		}
	}
	before := len(seen)
	if _, err := e.create(ctx, "new", 1); err != nil {
		return err
	}
	clear(seen)
	for i := range ranges {
		if _, err = e.follow(ctx, &ranges[i], tokens[i], seen); err != nil {
			return err
		}
	}
	return errors.Join(want("that the feeds had all orders", before >= 12, true), want("the number of new ones", len(seen), 1))
}

// follow reads the change feed of a range up to its end, and returns where that is.
func (e *env) follow(ctx context.Context, r *azcosmos.FeedRange, token string, seen map[string]bool) (string, error) {
	for {
		options := &azcosmos.ChangeFeedOptions{FeedRange: r, MaxItemCount: 5}
		if token != "" {
			options.FeedRange, options.Continuation = nil, &token
		}
		page, err := e.orders.GetChangeFeed(ctx, options)
		if err != nil {
			return "", err
		}
		for _, doc := range page.Documents {
			var o order
			if err := json.Unmarshal(doc, &o); err != nil {
				return "", err
			}
			seen[o.Customer+" "+o.ID] = true
		}
		token = page.ContinuationToken
		if len(page.Documents) == 0 {
			return token, nil
		}
	}
}
