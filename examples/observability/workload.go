package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

const (
	workers  = 8
	pause    = 20 * time.Millisecond // between the operations of a worker
	deadline = 2 * time.Second       // of an operation
)

// tally counts operations, for the report of each phase.
type tally struct{ done, failed atomic.Int64 }

// work lets all workers work until ctx ends.
func (s *shop) work(ctx context.Context, t *tally) {
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(worker)))
			ticker := time.NewTicker(pause)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				s.measure(ctx, rng, t)
			}
		})
	}
	all.Wait()
}

func (s *shop) measure(ctx context.Context, rng *rand.Rand, t *tally) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	err := s.do(ctx, rng)
	if errors.Is(err, context.Canceled) {
		return // the run is over
	}
	t.done.Add(1)
	if err != nil {
		t.failed.Add(1)
	}
}

// do reads an order, queries those of a customer or changes one.
func (s *shop) do(ctx context.Context, rng *rand.Rand) error {
	i := rng.IntN(orders)
	key := azcosmos.NewPartitionKeyString(customer(i))
	switch n := rng.IntN(100); {
	case n < 60:
		_, err := s.orders.ReadItem(ctx, key, order(i)["id"].(string), nil)
		return err
	case n < 65: // an order that nobody made: an error, and no fault
		_, err := s.orders.ReadItem(ctx, key, "order-none", nil)
		if e, ok := errors.AsType[*azcore.ResponseError](err); ok && e.StatusCode == http.StatusNotFound {
			return nil
		}
		return err
	case n < 80:
		pages := s.orders.NewQueryItemsPager("SELECT TOP 5 * FROM c WHERE c.status = 'open'", key, nil)
		_, err := pages.NextPage(ctx)
		return err
	}
	body, err := json.Marshal(order(i))
	if err != nil {
		return err
	}
	_, err = s.orders.UpsertItem(ctx, key, body, nil)
	return err
}
