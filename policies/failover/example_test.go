package failover_test

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// The policy alone: a read leaves a region that fails, and later reads do not
// ask a region that cannot be reached. Throttling and session reads stay as
// azcosmos has them.
func Example() {
	account := newAccount()
	cache, err := regioncache.New(account.Endpoint(), &regioncache.Options{PreferredRegions: []string{"East US", "West US"}})
	if err != nil {
		log.Fatal(err)
	}
	crossRegion, err := failover.New(cache, &failover.Options{MaxRetries: 2})
	if err != nil {
		log.Fatal(err)
	}
	orders := connect(account, &azcosmos.ClientOptions{
		ClientOptions: azcore.ClientOptions{PerRetryPolicies: []policy.Policy{crossRegion}},
	})

	account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
	read(account, orders)
	account.SetFaults(cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused})
	read(account, orders) // asks once more on a new connection
	read(account, orders) // does not ask there
	account.SetFaults(cosmostest.Fault{Status: 503})
	read(account, orders)
	// Output:
	// East US 503; West US 200; failed: false
	// East US refused; East US refused; West US 200; failed: false
	// West US 200; failed: false
	// West US 503; North Europe 503; East US 503; failed: true
}

func newAccount() *cosmostest.Account {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Name:       "failover",
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := account.Seed("shop", "orders", map[string]any{"id": "1", "pk": "ann"}); err != nil {
		log.Fatal(err)
	}
	return account
}

func connect(account *cosmostest.Account, options *azcosmos.ClientOptions) *azcosmos.ContainerClient {
	options.Transport = account.Transport()
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		log.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, options)
	if err != nil {
		log.Fatal(err)
	}
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		log.Fatal(err)
	}
	return orders
}

// read prints the requests that a read took, and its error.
func read(account *cosmostest.Account, orders *azcosmos.ContainerClient) {
	account.ResetLog()
	_, err := orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("ann"), "1", nil)
	for _, r := range account.Requests() {
		switch {
		case r.Account:
		case r.Status == 0:
			fmt.Printf("%s %v; ", r.Region, r.Transport)
		default:
			fmt.Printf("%s %d; ", r.Region, r.Status)
		}
	}
	fmt.Println("failed:", err != nil)
}
