package cosmostest_test

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// A client reads an item; then the region is broken, and the same read fails.
func Example() {
	acct, err := cosmostest.NewAccount(&cosmostest.Config{
		Containers: []cosmostest.Container{{Database: "db", ID: "orders"}},
	})
	if err != nil {
		panic(err)
	}
	defer acct.Close()
	if err := acct.Seed("db", "orders", map[string]any{"id": "1", "pk": "a"}); err != nil {
		panic(err)
	}

	cred, _ := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	client, _ := azcosmos.NewClientWithKey(acct.Endpoint(), cred, &azcosmos.ClientOptions{
		ClientOptions: azcore.ClientOptions{Transport: acct.Transport(), Retry: policy.RetryOptions{MaxRetries: -1}},
	})
	orders, _ := client.NewContainer("db", "orders")
	_, err = orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("a"), "1", nil)
	fmt.Println("error:", err)

	acct.SetFaults(cosmostest.Fault{Region: "East US", Status: 410, SubStatus: 1022})
	_, err = orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("a"), "1", nil)
	fmt.Println("error:", err != nil)
	for _, r := range acct.Requests() {
		fmt.Println(r)
	}
	// Output:
	// error: <nil>
	// error: true
	// global: GET / range "": 200
	// East US: GET /dbs/db/colls/orders/docs/1 range "0": 200
	// East US: GET /dbs/db/colls/orders/docs/1 range "0": 410/1022
}
