package policies_test

import (
	"context"
	"errors"
	"log"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// The examples run against an account in memory, which they break on purpose.
// None of them waits.

// openShop is an account with a container and an order of Ann's in it. Without
// regions it has three: East US, which takes the writes, West US and North Europe.
func openShop(name string, regions ...string) *cosmostest.Account {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Name: name, Regions: regions,
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

// openOrders makes a client of the account with the policies in it.
func openOrders(account *cosmostest.Account, o *policies.Options) (*azcosmos.ContainerClient, *policies.Set) {
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport()}}
	set, err := policies.Install(options, account.Endpoint(), o)
	if err != nil {
		log.Fatal(err)
	}
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
	return orders, set
}

// oneFailover lets a write to the only region that takes it end before the
// policies would wait.
var oneFailover = &policies.Settings{Failover: policies.FailoverSettings{MaxRetries: 1}}

// readOrder reads Ann's order.
func readOrder(ctx context.Context, orders *azcosmos.ContainerClient) error {
	_, err := orders.ReadItem(ctx, azcosmos.NewPartitionKeyString("ann"), "1", nil)
	return err
}

// attempts is how many requests a failed operation cost.
func attempts(err error) int {
	if e, ok := errors.AsType[*policies.Error](err); ok {
		return len(e.Attempts())
	}
	return 0
}

var (
	durations  = regexp.MustCompile(`\d+(\.\d+)?(ns|µs|ms|s)\b *`)
	activities = regexp.MustCompile(`activity [0-9a-f-]+`)
)

// steady makes a text the same each time: it leaves out how long things took.
func steady(text string) string {
	text = activities.ReplaceAllString(durations.ReplaceAllString(text, "… "), "activity …")
	return strings.NewReplacer("… ,", "…,", "… \n", "…\n").Replace(text)
}
