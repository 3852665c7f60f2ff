package policies_test

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// A program that survives the loss of a region: Install comes before the client
// is made, and nothing else changes.
func ExampleInstall() {
	account := openShop("install")
	endpoint, key := account.Endpoint(), cosmostest.DefaultKey
	options := &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: account.Transport()},
		PreferredRegions: []string{"East US", "West US"},
	}

	if _, err := policies.Install(options, endpoint, nil); err != nil {
		log.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		log.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(endpoint, cred, options)
	if err != nil {
		log.Fatal(err)
	}
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		log.Fatal(err)
	}

	account.SetFaults(cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused})
	response, err := orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("ann"), "1", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.RawResponse.StatusCode, "from", response.RawResponse.Request.URL.Host)
	// Output:
	// 200 from install-westus.documents.azure.com:443
}

// What makes no sense is an error, before anything is sent.
func ExampleInstall_errors() {
	const endpoint = "https://acct.documents.azure.com:443/"
	options := new(azcosmos.ClientOptions)
	_, err := policies.Install(options, endpoint, &policies.Options{
		Settings: &policies.Settings{Failover: policies.FailoverSettings{MaxRetries: 5000}},
	})
	fmt.Println(err)
	_, err = policies.Install(options, "acct.documents.azure.com", nil)
	fmt.Println(err)
	_, err = policies.Install(options, endpoint, nil)
	fmt.Println(err)
	_, err = policies.Install(options, endpoint, nil) // for a second client: a copy of the options
	fmt.Println(err)
	// Output:
	// policies: settings: failover.maxRetries is 5000: want 1 to 1000 (0 for the default, negative for off)
	// regioncache: endpoint has the scheme "": want https (or http for an emulator)
	// <nil>
	// policies: options has the policies already: want a copy of the client options for each client
}

// Several clients of one account can share what they know of its regions.
func ExampleSet_Cache() {
	account := openShop("cache")
	first, set := openOrders(account, nil)
	second, _ := openOrders(account, &policies.Options{Cache: set.Cache()})

	account.SetFaults(cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused})
	if err := readOrder(context.Background(), first); err != nil {
		log.Fatal(err)
	}
	for _, mark := range set.Cache().Marks() {
		fmt.Println(mark.Region, "is tried last:", mark.Reason)
	}
	var d policies.Diagnostics
	if err := readOrder(policies.WithDiagnostics(context.Background(), &d), second); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the second client asks", d.Regions())
	// Output:
	// East US is tried last: unavailable
	// the second client asks [West US]
}
