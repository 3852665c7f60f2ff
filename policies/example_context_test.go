package policies_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// What an operation did, although it succeeded.
func ExampleWithDiagnostics() {
	account := openShop("diagnostics")
	orders, _ := openOrders(account, nil)
	account.SetFaults(
		cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused},
		cosmostest.Fault{Region: "West US", Status: 503},
	)

	var d policies.Diagnostics
	if err := readOrder(policies.WithDiagnostics(context.Background(), &d), orders); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(d.Attempts()), "attempts in", d.Regions(), "for", d.Charge(), "RU, waited", d.Waited())
	fmt.Println(steady(d.String())) // how long it took is different each time
	// Output:
	// 4 attempts in [East US West US North Europe] for 1 RU, waited 0s
	// 4 attempts of 1 operation in …, 1.00 RU
	//     1. +… East US: dial tcp diagnostics-eastus.documents.azure.com:443: connect: connection refused in …
	//     2. +… East US: dial tcp diagnostics-eastus.documents.azure.com:443: connect: connection refused in …, because the endpoint could not be reached
	//     3. +… West US: 503 in …, because the endpoint could not be reached
	//     4. +… North Europe: 200 in …, because the service failed, activity …
}

// An operation that a person waits for gives up early.
func ExampleWithProfile() {
	account := openShop("profile")
	orders, _ := openOrders(account, nil)
	account.SetFaults(cosmostest.Fault{Status: 503})

	ctx := context.Background()
	fmt.Println("by default:", attempts(readOrder(ctx, orders)), "requests")
	fmt.Println("interactive:", attempts(readOrder(policies.WithProfile(ctx, policies.Interactive), orders)), "requests, all within", policies.Interactive.Objective)
	// Output:
	// by default: 4 requests
	// interactive: 3 requests, all within 2s
}

// A profile of one's own, for a cache that is filled from the database: one try,
// in half a second.
func ExampleProfile() {
	lookUp := policies.Profile{
		Name:      "look-up",
		Objective: 500 * time.Millisecond,
		Limits: policies.Limits{
			OperationTimeout: 500 * time.Millisecond,
			Failovers:        -1, // off
			ThrottleRetries:  -1,
			SessionRetries:   -1,
		},
	}
	account := openShop("ownprofile")
	orders, _ := openOrders(account, nil)
	account.SetFaults(cosmostest.Fault{Status: 503})
	err := readOrder(policies.WithProfile(context.Background(), lookUp), orders)
	fmt.Println(lookUp.Name, "requests:", attempts(err))
	// Output:
	// look-up requests: 1
}

// An increment that must not happen twice: the service may have done it before
// it failed, so it is not sent again.
func ExampleWithWriteRetry() {
	account := openShop("writeretry")
	orders, _ := openOrders(account, &policies.Options{Settings: oneFailover}) // so that nothing waits
	account.SetFaults(cosmostest.Fault{Status: 503})

	var visits azcosmos.PatchOperations
	visits.AppendIncrement("/visits", 1)
	increment := func(ctx context.Context) error {
		_, err := orders.PatchItem(ctx, azcosmos.NewPartitionKeyString("ann"), "1", visits, nil)
		return err
	}
	ctx := context.Background()
	fmt.Println("by default:", attempts(increment(ctx)), "requests")
	err := increment(policies.WithWriteRetry(ctx, false))
	fmt.Println(steady(err.Error()))
	// Output:
	// by default: 2 requests
	// cosmos patch in dbs/shop/colls/orders: 503 after 1 attempt over … (East US): the service failed, and the operation must not run twice; it may have been executed, so look before you repeat it
}
