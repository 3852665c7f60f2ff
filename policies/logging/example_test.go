package logging_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azlog "github.com/Azure/azure-sdk-for-go/sdk/azcore/log"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/logging"
)

// toStdout logs without the time, so that the output is the same each time.
func toStdout() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// A retry that mends a fault is a warning; an operation that is given up is an
// error. Both have the class of the cause.
func Example() {
	observer, err := logging.New(toStdout(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer observer.Close()
	// policies.Install(options, endpoint, &policies.Options{Observers: []policies.Observer{observer}})
	// then calls it for every decision:
	for _, e := range []policies.Event{
		{Kind: policies.EventFailover, Cause: policies.CauseConnection, Operation: "read", Region: "East US", Target: "West US", Attempt: 2, Reason: "the connection failed"},
		{Kind: policies.EventRetry, Cause: policies.CauseThrottling, Operation: "create", Region: "West US", Target: "West US", Status: 429, Attempt: 1, Wait: 50 * time.Millisecond, Reason: "throttled"},
		{Kind: policies.EventGaveUp, Cause: policies.CauseServer, Operation: "create", Region: "West US", Status: 503, Attempt: 4, Reason: "the retries are used up"},
		{Kind: policies.EventUnmarked, Region: "East US", Reason: "it answered"},
	} {
		observer.Observe(context.Background(), e)
	}
	// Output:
	// level=WARN msg="cosmos: failing over" kind=failover cause=connection operation=read region="East US" target="West US" attempt=2 reason="the connection failed"
	// level=WARN msg="cosmos: retrying in the same region" kind=retry cause=throttling operation=create region="West US" target="West US" status=429 attempt=1 wait=50ms reason=throttled
	// level=ERROR msg="cosmos: giving up" kind=gave_up cause=server operation=create region="West US" status=503 attempt=4 reason="the retries are used up"
	// level=INFO msg="cosmos: endpoint is back" kind=endpoint_unmarked region="East US" reason="it answered"
}

// A storm is summed up: here the first event of each period by itself.
func ExampleObserver_Close() {
	observer, err := logging.New(toStdout(), &logging.Options{Burst: 1, Period: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 100_000 {
		observer.Observe(context.Background(), policies.Event{
			Kind: policies.EventFailover, Cause: policies.CauseServer, Region: "East US", Target: "West US",
			Status: 503, Attempt: i%3 + 1, Reason: "the service failed",
		})
	}
	if err := observer.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// level=WARN msg="cosmos: failing over" kind=failover cause=server region="East US" target="West US" status=503 attempt=1 reason="the service failed"
	// level=WARN msg="cosmos: failing over, and more of it" kind=failover cause=server region="East US" count=99999 period=1m0s max_attempt=3 last_reason="the service failed"
}

// azcore's own log goes to the same logger.
func ExampleListenAzcore() {
	stop := logging.ListenAzcore(toStdout(), &logging.AzcoreOptions{Events: []azlog.Event{azlog.EventResponseError}})
	defer stop()

	account, err := cosmostest.NewAccount(&cosmostest.Config{Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}}})
	if err != nil {
		log.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		log.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, &azcosmos.ClientOptions{
		ClientOptions: azcore.ClientOptions{Transport: account.Transport()},
	})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := client.NewContainer("shop", "orders")
	if err != nil {
		log.Fatal(err)
	}
	_, err = orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("a"), "1", nil)
	fmt.Println(err != nil)
	// Output:
	// level=INFO msg="azcore: ResponseError" text="GET https://acct-eastus.documents.azure.com:443/dbs/shop/colls/orders/docs/1; RESPONSE 404: 404 Not Found; ERROR CODE: 404 Not Found"
	// true
}
