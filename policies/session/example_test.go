package session_test

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// The policy alone: West US has not seen the write that the session knows of, so
// the read goes to the region that took it. What fails otherwise stays as
// azcosmos has it.
func Example() {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Name: "session", Regions: []string{"East US", "West US"}, // East US takes the writes
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := account.Seed("shop", "orders", map[string]any{"id": "1", "pk": "ann"}); err != nil {
		log.Fatal(err)
	}
	cache, err := regioncache.New(account.Endpoint(), &regioncache.Options{PreferredRegions: []string{"West US"}})
	if err != nil {
		log.Fatal(err)
	}
	consistent, err := session.New(cache, nil) // at most 2 retries here, the number of regions on multi-write accounts
	if err != nil {
		log.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		log.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: account.Transport(), PerRetryPolicies: []policy.Policy{consistent}},
		PreferredRegions: []string{"West US"},
	})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		log.Fatal(err)
	}

	account.SetFaults(cosmostest.Fault{Region: "West US", Status: 404, SubStatus: 1002})
	if _, err := orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("ann"), "1", nil); err != nil {
		log.Fatal(err)
	}
	for _, r := range account.Requests() {
		if !r.Account {
			fmt.Println(r.Region, r.Status)
		}
	}
	// Output:
	// West US 404
	// East US 200
}
