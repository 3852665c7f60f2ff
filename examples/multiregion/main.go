// Command multiregion chooses regions, and says which write must not happen twice.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// open returns an account in three regions, and a container in it.
func open() (*cosmostest.Account, *azcosmos.ContainerClient) {
	account := must(cosmostest.NewAccount(&cosmostest.Config{
		Regions:    []string{"East US", "West US", "North Europe"},
		MultiWrite: true, // every region takes writes
		Containers: []cosmostest.Container{{Database: "shop", ID: "stock"}},
	}))
	if err := account.Seed("shop", "stock", map[string]any{"id": "pens", "pk": "shelf", "count": 0}); err != nil {
		log.Fatal(err)
	}
	client := must(compat.NewClientWithKey(account.Endpoint(), must(azcosmos.NewKeyCredential(cosmostest.DefaultKey)), &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: account.Transport()},
		PreferredRegions: []string{"North Europe", "East US"}, // West US is not named and comes last
	}, nil))
	return account, must(client.NewContainer("shop", "stock"))
}

func main() {
	account, stock := open()
	ctx, shelf := context.Background(), azcosmos.NewPartitionKeyString("shelf")
	_, err := stock.ReadItem(ctx, shelf, "pens", nil)
	show(account, "a read", err)

	// Leave a region out for one operation, retries included.
	away := regioncache.WithExcludedRegions(ctx, "North Europe")
	_, err = stock.ReadItem(away, shelf, "pens", nil)
	show(account, "a read without North Europe", err)

	// The first answer gets lost, and the client repeats the write. That is
	// harmless for most writes, but an increment counts twice.
	lost := cosmostest.Fault{Status: 500, Applied: true, Times: 1}
	var increment azcosmos.PatchOperations
	increment.AppendIncrement("/count", 1)
	account.SetFaults(lost)
	_, err = stock.PatchItem(ctx, shelf, "pens", increment, nil)
	show(account, "an increment", err)

	// So say so: the caller gets the error, and can look whether it counted.
	account.SetFaults(lost)
	_, err = stock.PatchItem(policies.WithWriteRetry(ctx, false), shelf, "pens", increment, nil)
	show(account, "an increment that must not happen twice", err)
}

// show prints the requests of the last operation, and its error.
func show(account *cosmostest.Account, what string, err error) {
	fmt.Printf("%s:", what)
	for _, r := range account.Requests() {
		if !r.Account { // not the client's own look at the regions
			fmt.Printf(" %s %d", r.Region, r.Status)
		}
	}
	if fmt.Println(); err != nil {
		fmt.Println(" ", err)
	}
	account.ResetLog()
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
