package debug_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/debug"
)

// The page is one of the observers of a client, and a handler.
func ExampleNew() {
	page, err := debug.New(&debug.Options{Keep: 500}) // read-only, since it has no Token
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/cosmos/", page) // let only operators in

	options := new(azcosmos.ClientOptions)
	_, err = policies.Install(options, "https://acct.documents.azure.com:443/", &policies.Options{Observers: []policies.Observer{page}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ask(mux, "/debug/cosmos/").StatusCode)
	// Output:
	// 200
}

// Each path speaks JSON, for scripts: this one asks what is wrong.
func ExamplePage_ServeHTTP() {
	page := brokenShop("pagejson")
	var view struct {
		Clients []struct {
			Name  string
			Marks []struct{ Region, Reason string }
		}
		Decisions []struct{ Kind, Region, Reason string }
	}
	response := ask(page, "/debug/cosmos/?format=json")
	if err := json.NewDecoder(response.Body).Decode(&view); err != nil {
		log.Fatal(err)
	}
	for _, c := range view.Clients {
		for _, m := range c.Marks {
			fmt.Printf("%s: %s is tried last: %s\n", c.Name, m.Region, m.Reason)
		}
	}
	for _, d := range view.Decisions { // newest first
		fmt.Printf("%s in %s: %s\n", d.Kind, d.Region, d.Reason)
	}
	// Output:
	// shop: East US is tried last: unavailable
	// failover in East US: the endpoint could not be reached
	// endpoint_marked in East US: unavailable
	// local_retry in East US: the endpoint could not be reached
}

// Why would this key go where?
func ExamplePage_ServeHTTP_explain() {
	page := brokenShop("pageexplain")
	question := url.Values{"collection": {"dbs/shop/colls/orders"}, "key": {"ann"}, "format": {"json"}}
	response := ask(page, "/debug/cosmos/explain?"+question.Encode())
	var answer struct {
		Candidates []struct{ Region, Marked, Breaker string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	for i, c := range answer.Candidates {
		fmt.Printf("%d. %s: breaker %s, mark %q\n", i+1, c.Region, c.Breaker, c.Marked)
	}
	// Output:
	// 1. West US: breaker closed, mark ""
	// 2. East US: breaker closed, mark "unavailable"
}

// ask asks a handler.
func ask(h http.Handler, target string) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w.Result()
}

// brokenShop is the page of a program whose first region has gone away.
func brokenShop(name string) *debug.Page {
	page, err := debug.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Name: name, Regions: []string{"East US", "West US"},
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := account.Seed("shop", "orders", map[string]any{"id": "1", "pk": "ann"}); err != nil {
		log.Fatal(err)
	}
	account.SetFaults(cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused})
	readOrder(account, page)
	return page
}

// readOrder reads an order with a client that has the page among its observers,
// and waits until the page has seen it all.
func readOrder(account *cosmostest.Account, page *debug.Page) {
	var seen sync.WaitGroup
	seen.Add(1)
	observer := policies.ObserverFunc(func(ctx context.Context, e policies.Event) {
		page.Observe(ctx, e)
		if e.Kind == policies.EventCompleted && e.Operation == "read" {
			seen.Done()
		}
	})
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport()}}
	set, err := policies.Install(options, account.Endpoint(), &policies.Options{Observers: []policies.Observer{observer}})
	if err != nil {
		log.Fatal(err)
	}
	page.Add("shop", set)
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
	if _, err := orders.ReadItem(context.Background(), azcosmos.NewPartitionKeyString("ann"), "1", nil); err != nil {
		log.Fatal(err)
	}
	seen.Wait()
}
