package policies_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// story prints the decisions. As a synchronous observer it sees each before the
// operation goes on.
type story struct{}

// Observe implements policies.Observer.
func (story) Observe(_ context.Context, e policies.Event) {
	fmt.Printf("%s: %s in %s", e.Kind, cmp.Or(e.Operation, "all operations"), e.Region)
	if e.Target != "" {
		fmt.Printf(" → %s, because %s", e.Target, e.Reason)
	}
	fmt.Println()
}

// ObservesSynchronously implements policies.SynchronousObserver.
func (story) ObservesSynchronously() {}

// Each decision is an event. This observer runs in the goroutine of the request.
func ExampleSynchronousObserver() {
	account := openShop("synchronous")
	orders, _ := openOrders(account, &policies.Options{Observers: []policies.Observer{story{}}})
	account.SetFaults(
		cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused},
		cosmostest.Fault{Region: "West US", Status: 503},
	)
	if err := readOrder(context.Background(), orders); err != nil {
		log.Fatal(err)
	}
	// Output:
	// completed: account read in synchronous.documents.azure.com:443
	// local_retry: read in East US → East US, because the endpoint could not be reached
	// endpoint_marked: all operations in East US
	// failover: read in East US → West US, because the endpoint could not be reached
	// failover: read in West US → North Europe, because the service failed
	// completed: read in North Europe
}

// Other observers run in a goroutine of their own, and may be slow.
func ExampleObserverFunc() {
	account := openShop("observer")
	var ended sync.WaitGroup
	ended.Add(1)
	causes := map[policies.EventCause]int{}
	observer := policies.ObserverFunc(func(_ context.Context, e policies.Event) {
		switch e.Kind {
		case policies.EventFailover, policies.EventRetry, policies.EventLocalRetry, policies.EventSessionRetry:
			causes[e.Cause]++
		case policies.EventCompleted:
			if e.Operation == "read" {
				ended.Done()
			}
		}
	})
	orders, _ := openOrders(account, &policies.Options{Observers: []policies.Observer{observer}})
	account.SetFaults(
		cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused},
		cosmostest.Fault{Region: "West US", Status: 503},
	)
	if err := readOrder(context.Background(), orders); err != nil {
		log.Fatal(err)
	}
	ended.Wait()
	fmt.Println(causes)
	// Output:
	// map[connection:2 server:1]
}

// inspector is told of the clients that it observes.
type inspector struct{ policies.ObserverFunc }

// Installed implements policies.InstalledObserver.
func (inspector) Installed(set *policies.Set) { fmt.Println("observes", set.Cache().Endpoint()) }

// An observer can ask for the policies that it is installed in.
func ExampleInstalledObserver() {
	observer := inspector{func(context.Context, policies.Event) {}}
	openOrders(openShop("installed"), &policies.Options{Observers: []policies.Observer{observer}})
	// Output:
	// observes https://installed.documents.azure.com:443/
}

// drawer keeps two letters in memory; package policies/deadletter keeps them in a
// file.
type drawer struct {
	mu      sync.Mutex
	letters []policies.Letter
}

// Keep implements policies.DeadLetters. Operations wait for it, for two seconds
// at most.
func (d *drawer) Keep(_ context.Context, l policies.Letter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.letters) == 2 {
		return errors.New("the drawer is full") // observers are told: EventLetterLost
	}
	d.letters = append(d.letters, l)
	return nil
}

// Writes that are given up are kept, with what it takes to send them again.
func ExampleDeadLetters() {
	account := openShop("deadletters")
	d := new(drawer)
	orders, _ := openOrders(account, &policies.Options{
		DeadLetters: d, Observers: []policies.Observer{lost{}},
		Settings: oneFailover, // so that nothing waits
	})
	account.SetFaults(cosmostest.Fault{Status: 503})

	for _, id := range []string{"2", "3", "4"} {
		document := fmt.Appendf(nil, `{"id": %q, "pk": "ann"}`, id)
		_, err := orders.CreateItem(context.Background(), azcosmos.NewPartitionKeyString("ann"), document, nil)
		fmt.Println("order", id, "failed:", err != nil)
	}
	for _, l := range d.letters {
		fmt.Printf("%s %s %s: %d after %d attempts, may have run: %t\n", l.Operation, l.Path, l.Body, l.Status, l.Attempts, l.MayHaveRun)
	}
	// Output:
	// order 2 failed: true
	// order 3 failed: true
	// lost: create of dbs/shop/colls/orders: the drawer is full
	// order 4 failed: true
	// create /dbs/shop/colls/orders/docs {"id": "2", "pk": "ann"}: 503 after 2 attempts, may have run: true
	// create /dbs/shop/colls/orders/docs {"id": "3", "pk": "ann"}: 503 after 2 attempts, may have run: true
}

// lost prints what could not be kept.
type lost struct{ story }

// Observe implements policies.Observer.
func (lost) Observe(_ context.Context, e policies.Event) {
	if e.Kind == policies.EventLetterLost {
		fmt.Println("lost:", e.Operation, "of", e.Collection+":", e.Reason)
	}
}
