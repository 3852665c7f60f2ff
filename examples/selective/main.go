// Command selective uses the policies one by one. What is not chosen keeps the
// behaviour that azcosmos has.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

func main() {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Regions:    []string{"East US", "West US"},
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	check(err)
	check(account.Seed("shop", "orders", map[string]any{"id": "order-1", "pk": "ann"}))

	// Failover and session share what is known of the regions; throttle stays where it is.
	cache, err := regioncache.New(account.Endpoint(), &regioncache.Options{PreferredRegions: []string{"West US"}})
	check(err)
	crossRegion, err := failover.New(cache, nil)
	check(err)
	consistent, err := session.New(cache, nil)
	check(err)
	patient, err := throttle.New(nil)
	check(err)

	throttled := cosmostest.Fault{Status: 429, Times: 2}
	broken := cosmostest.Fault{Region: "West US", Status: 500}
	behind := cosmostest.Fault{Region: "West US", Status: 404, SubStatus: 1002} // has not seen the session's last write
	show(account, "throttle alone, two 429s", throttled, patient)
	show(account, "failover alone, a broken region", broken, crossRegion)
	show(account, "session alone, a region that lags", behind, consistent)

	// All of them. Failover is outside: each region that it visits gets the patience of the others.
	show(account, "composed, a broken region", broken, crossRegion, consistent, patient)
	show(account, "composed, two 429s", throttled, crossRegion, consistent, patient)
}

// show reads an order under a fault, and prints the requests that this took.
// They belong into PerRetryPolicies, inside azcosmos's own retries.
func show(account *cosmostest.Account, what string, fault cosmostest.Fault, policies ...policy.Policy) {
	account.SetFaults(fault)
	account.ResetLog()
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	check(err)
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: account.Transport(), PerRetryPolicies: policies},
		PreferredRegions: []string{"West US"},
	})
	check(err)
	orders, err := client.NewContainer("shop", "orders")
	check(err)
	_, err = orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("ann"), "order-1", nil)
	check(err)
	fmt.Printf("%s:", what)
	for _, r := range account.Requests() {
		if !r.Account {
			fmt.Printf(" %s %d", r.Region, r.Status)
		}
	}
	fmt.Println()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
