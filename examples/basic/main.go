// Command basic is an azcosmos program whose preferred region goes away: one
// changed line keeps it going.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

func main() {
	ctx := context.Background()
	// A simulated account takes the place of a real one, so that there is a
	// region to lose. With a real account, leave Transport out.
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Regions:    []string{"East US", "West US"},
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	check(err)
	check(account.Seed("shop", "orders", map[string]any{"id": "order-1", "pk": "ann"}))
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	check(err)
	options := &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: account.Transport()},
		PreferredRegions: []string{"East US", "West US"},
	}

	// This is the line that changes. It was
	// azcosmos.NewClientWithKey(account.Endpoint(), cred, options), and it
	// returns the same *azcosmos.Client. The nil stands for the defaults.
	client, err := compat.NewClientWithKey(account.Endpoint(), cred, options, nil)
	check(err)
	orders, err := client.NewContainer("shop", "orders")
	check(err)

	show(ctx, "All is well", account, orders)
	check(account.Stop("East US")) // its connections are refused now
	show(ctx, "East US is gone", account, orders)
}

// show reads an order and prints the requests that this took.
func show(ctx context.Context, when string, account *cosmostest.Account, orders *azcosmos.ContainerClient) {
	account.ResetLog()
	item, err := orders.ReadItem(ctx, azcosmos.NewPartitionKeyString("ann"), "order-1", nil)
	check(err)
	fmt.Printf("%s. The read was answered %d, by way of\n", when, item.RawResponse.StatusCode)
	for _, r := range account.Requests() {
		switch {
		case r.Account: // the client's own look at the account's regions
		case r.Status != 0:
			fmt.Printf("  %s: %d\n", r.Region, r.Status)
		default:
			fmt.Printf("  %s: %v\n", r.Region, r.Transport)
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
