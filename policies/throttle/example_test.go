package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
)

// The policy alone: a throttled read is sent again, after the wait that the
// service asks for. A wait that is too long is not begun.
func Example() {
	account := newAccount()
	patient, err := throttle.New(&throttle.Options{MaxRetries: 5, MaxWait: 10 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	orders := connect(account, &azcosmos.ClientOptions{
		ClientOptions: azcore.ClientOptions{PerRetryPolicies: []policy.Policy{patient}},
	})
	ctx, ann := context.Background(), azcosmos.NewPartitionKeyString("ann")

	throttled := cosmostest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"X-Ms-Retry-After-Ms": {"0"}}, Times: 2}
	account.SetFaults(throttled)
	if _, err := orders.ReadItem(ctx, ann, "1", nil); err != nil {
		log.Fatal(err)
	}
	for _, r := range account.Requests() {
		if !r.Account {
			fmt.Println(r.Region, r.Status)
		}
	}

	throttled.Header = http.Header{"X-Ms-Retry-After-Ms": {"60000"}}
	account.SetFaults(throttled)
	_, err = orders.ReadItem(ctx, ann, "1", nil)
	if e, ok := errors.AsType[*policies.Error](err); ok {
		fmt.Printf("%s: come back in %v\n", e.Reason(), e.RetryAfter())
	}
	// Output:
	// East US 429
	// East US 429
	// East US 200
	// throttled, and the wait does not fit what is left to wait: come back in 1m0s
}

func newAccount() *cosmostest.Account {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Name: "throttle", Regions: []string{"East US"},
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
