package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

const (
	workers   = 32
	customers = 64                     // values of the partition key
	seeded    = 512                    // orders that exist from the start
	pause     = 400 * time.Millisecond // between the operations of a worker, on average
	deadline  = 5 * time.Second        // of every operation
)

// kind is what an operation does.
type kind int

const (
	read kind = iota
	query
	create
	replace
	kinds // how many there are
)

func (k kind) String() string { return [kinds]string{"reads", "queries", "creates", "replaces"}[k] }

// order is one operation: what to do with which order.
type order struct {
	kind kind
	item int    // the seeded order
	id   string // of the new order, for create
}

// pick makes the next operation of a worker: half of them read an order, a
// fifth query those of a customer, and the others write.
func pick(rng *rand.Rand, worker, n int) order {
	o := order{item: rng.IntN(seeded)}
	switch p := rng.IntN(100); {
	case p < 50:
		o.kind = read
	case p < 70:
		o.kind = query
	case p < 85:
		o.kind = create
		o.id = fmt.Sprintf("new-%d-%d", worker, n)
	default:
		o.kind = replace
	}
	return o
}

func (o order) name() string {
	if o.kind == create {
		return o.id
	}
	return fmt.Sprintf("order-%d", o.item)
}

func (o order) customer() string { return fmt.Sprintf("customer-%d", o.item%customers) }

func (o order) document() map[string]any {
	return map[string]any{"id": o.name(), "customer": o.customer(), "status": "open", "total": o.item}
}

// do carries the operation out.
func (o order) do(ctx context.Context, orders *azcosmos.ContainerClient) error {
	key := azcosmos.NewPartitionKeyString(o.customer())
	switch o.kind {
	case read:
		_, err := orders.ReadItem(ctx, key, o.name(), nil)
		return err
	case query:
		return o.query(ctx, key, orders)
	}
	body, err := json.Marshal(o.document())
	if err != nil {
		return err
	}
	if o.kind == replace {
		_, err = orders.ReplaceItem(ctx, key, o.name(), body, nil)
		return err
	}
	_, err = orders.CreateItem(ctx, key, body, nil)
	var answer *azcore.ResponseError
	if errors.As(err, &answer) && answer.StatusCode == http.StatusConflict {
		// Nobody else makes this id: an earlier attempt of this very create was
		// carried out and its answer was lost. Both clients repeat creates, so
		// both may see it, and a program that may be told so must expect it.
		return nil
	}
	return err
}

// query asks for a customer's open orders and reads all pages.
func (o order) query(ctx context.Context, key azcosmos.PartitionKey, orders *azcosmos.ContainerClient) error {
	pages := orders.NewQueryItemsPager("SELECT TOP 5 * FROM c WHERE c.status = @status", key, &azcosmos.QueryOptions{
		QueryParameters: []azcosmos.QueryParameter{{Name: "@status", Value: "open"}},
	})
	for pages.More() {
		if _, err := pages.NextPage(ctx); err != nil {
			return err
		}
	}
	return nil
}

// workload is what the program does: the same operations at the same times for
// the same seed, whatever the client.
type workload struct {
	orders  *azcosmos.ContainerClient
	results *recorder
	seed    uint64
	start   time.Time
	length  time.Duration
}

// run returns when all operations have ended, or ctx has.
func (w *workload) run(ctx context.Context) {
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { w.work(ctx, i) })
	}
	all.Wait()
}

// work begins an operation, pauses for a moment, and begins the next one. It
// does not wait for the first to end: users do not stay away because others
// are still waiting, and workers that were all stuck in an outage would make it
// look small.
func (w *workload) work(ctx context.Context, worker int) {
	rng := rand.New(rand.NewPCG(w.seed, uint64(worker)))
	var running sync.WaitGroup
	defer running.Wait()
	at := time.Duration(rng.Int64N(int64(pause)))
	timer := time.NewTimer(time.Until(w.start.Add(at)))
	defer timer.Stop()
	for n := 0; at < w.length; n++ {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		o, due := pick(rng, worker, n), at
		running.Go(func() { w.measure(ctx, o, due) })
		at += pause/2 + time.Duration(rng.Int64N(int64(pause)))
		timer.Reset(time.Until(w.start.Add(at)))
	}
}

// measure does one operation, as a service would: with a deadline.
func (w *workload) measure(ctx context.Context, o order, due time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	began := time.Now()
	err := o.do(ctx, w.orders)
	at := began.Sub(w.start)
	w.results.add(sample{kind: o.kind, at: at, late: at - due, took: time.Since(began), err: err})
}
