package deadletter_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/deadletter"
)

// newAccount stands for a Cosmos DB account, and connect for the program that uses it.
func newAccount() *cosmostest.Account {
	account, err := cosmostest.NewAccount(&cosmostest.Config{Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}}})
	if err != nil {
		panic(err)
	}
	return account
}

func connect(account *cosmostest.Account, letters policies.DeadLetters) (*azcosmos.Client, *azcosmos.ContainerClient) {
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		panic(err)
	}
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport()}}
	client, err := compat.NewClientWithKey(account.Endpoint(), cred, options, &policies.Options{DeadLetters: letters})
	if err != nil {
		panic(err)
	}
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		panic(err)
	}
	return client, orders
}

// open opens a store in a directory of its own.
func open(o *deadletter.Options) (*deadletter.Store, func()) {
	dir, err := os.MkdirTemp("", "letters")
	if err != nil {
		panic(err)
	}
	store, err := deadletter.Open(filepath.Join(dir, "letters.db"), o)
	if err != nil {
		panic(err)
	}
	return store, func() {
		if err := errors.Join(store.Close(), os.RemoveAll(dir)); err != nil {
			panic(err)
		}
	}
}

// Writes that an outage defeats are kept, and done when it is over.
func ExampleStore_Replay() {
	ctx := context.Background()
	account := newAccount()
	defer account.Close()
	store, done := open(nil)
	defer done()
	client, orders := connect(account, store)
	customer := azcosmos.NewPartitionKeyString("ann")

	account.SetFaults(cosmostest.Fault{Region: "*", Status: 503})
	for _, id := range []string{"1", "2"} {
		_, err := orders.CreateItem(ctx, customer, []byte(`{"id": "`+id+`", "pk": "ann"}`), nil)
		fmt.Println("order", id, "failed:", err != nil)
	}
	account.SetFaults() // the outage is over

	report, err := store.Replay(ctx, client, nil)
	if err != nil {
		fmt.Println(err)
	}
	for _, item := range report.Items {
		fmt.Println(item)
	}
	_, err = orders.ReadItem(ctx, customer, "2", nil)
	fmt.Println("order 2 is there:", err == nil)
	// Output:
	// order 1 failed: true
	// order 2 failed: true
	// 1 create /dbs/shop/colls/orders/docs: done
	// 2 create /dbs/shop/colls/orders/docs: done
	// order 2 is there: true
}

// A write with an ETag is refused if somebody else was faster. The program
// decides what becomes of it.
func ExampleStore_Replay_conflict() {
	ctx := context.Background()
	account := newAccount()
	defer account.Close()
	store, done := open(nil)
	defer done()
	client, orders := connect(account, store)
	customer := azcosmos.NewPartitionKeyString("ann")
	created, err := orders.CreateItem(ctx, customer, []byte(`{"id": "1", "pk": "ann", "state": "new"}`), nil)
	if err != nil {
		panic(err)
	}

	account.SetFaults(cosmostest.Fault{Region: "*", Status: 503})
	unchanged := &azcosmos.ItemOptions{IfMatchEtag: &created.ETag}
	_, err = orders.ReplaceItem(ctx, customer, "1", []byte(`{"id": "1", "pk": "ann", "state": "paid"}`), unchanged)
	fmt.Println("paid:", err == nil)
	account.SetFaults()
	_, err = orders.ReplaceItem(ctx, customer, "1", []byte(`{"id": "1", "pk": "ann", "state": "cancelled"}`), unchanged)
	fmt.Println("cancelled:", err == nil)

	report, err := store.Replay(ctx, client, nil)
	fmt.Println(report, err)
	for kept, err := range store.Letters() {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %s: %d after %d replay\n", kept.Operation, kept.Body, kept.Status, kept.Replays)
		if err := store.Delete(kept.ID); err != nil {
			panic(err)
		}
	}
	// Output:
	// paid: false
	// cancelled: true
	// 0 done, 1 conflict, 0 failed, 0 skipped, 0 left <nil>
	// replace {"id": "1", "pk": "ann", "state": "paid"}: 412 after 1 replay
}

// What a full store lost is known.
func ExampleStore_Stats() {
	store, done := open(&deadletter.Options{MaxLetters: 2})
	defer done()
	for _, operation := range []string{"create", "create", "patch", "delete"} {
		if err := store.Keep(context.Background(), policies.Letter{Operation: operation}); err != nil {
			panic(err)
		}
	}
	stats, err := store.Stats()
	if err != nil {
		panic(err)
	}
	fmt.Println(stats.Letters, "letters;", stats.Lost["create"].Count, "creates lost")
	// Output: 2 letters; 2 creates lost
}
