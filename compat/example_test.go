package compat_test

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// The one line that changes in a program: azcosmos.NewClientWithKey becomes
// compat.NewClientWithKey. The client is azcosmos's own.
func ExampleNewClientWithKey() {
	account, err := cosmostest.NewAccount(&cosmostest.Config{ // instead of Azure
		Name: "withkey", Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := account.Seed("shop", "orders", map[string]any{"id": "1", "pk": "ann"}); err != nil {
		log.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		log.Fatal(err)
	}
	options := &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: account.Transport()},
		PreferredRegions: []string{"East US", "West US"},
	}
	client, err := compat.NewClientWithKey(account.Endpoint(), cred, options, nil)
	if err != nil {
		log.Fatal(err)
	}
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		log.Fatal(err)
	}

	account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
	response, err := orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("ann"), "1", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.RawResponse.StatusCode, "from", response.RawResponse.Request.URL.Host)
	fmt.Println("policies in the caller's options:", len(options.PerRetryPolicies))
	// Output:
	// 200 from withkey-westus.documents.azure.com:443
	// policies in the caller's options: 0
}

// Install does not know the credential. A reader that does lets it read a changed
// topology at once, and not only when the client reads it by itself.
func ExampleKeyAccountReader() {
	account, err := cosmostest.NewAccount(&cosmostest.Config{Name: "reader"})
	if err != nil {
		log.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		log.Fatal(err)
	}
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport()}}
	set, err := policies.Install(options, account.Endpoint(), &policies.Options{Account: compat.KeyAccountReader(cred, options)})
	if err != nil {
		log.Fatal(err)
	}
	<-set.Cache().Refresh()
	for _, region := range set.Cache().Snapshot().Reads() {
		fmt.Println(region.Name)
	}
	// Output:
	// East US
	// West US
	// North Europe
}
