package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// world is the service, the account that it uses and somebody who uses the service, in the bubble of a test.
type world struct {
	*testing.T
	account *cosmostest.Account
	service http.Handler
	session string // the token of the last answer
}

// newWorld makes a service that reads in West US, and whose write region is East US.
func newWorld(t *testing.T) *world {
	log.SetOutput(io.Discard)
	account := cosmostest.New(t, &cosmostest.Config{
		Regions:    []string{"East US", "West US"},
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders", PartitionKey: []string{"/customer"}}},
	})
	options := &azcosmos.ClientOptions{PreferredRegions: []string{"West US", "East US"}}
	options.Transport = account.Transport()
	orders, err := connect(account.Endpoint(), cosmostest.DefaultKey, options)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, account: account, service: newHandler(orders)}
	w.want(201, "POST", "/customers/ann/orders", `{"id": "first"}`) // the client knows the account from now on
	return w
}

// want sends a request to the service and fails the test unless it is answered that status within a second.
func (w *world) want(status int, method, path, body string) {
	w.Helper()
	req := httptest.NewRequestWithContext(w.Context(), method, path, strings.NewReader(body))
	req.Header.Set("Session-Token", w.session)
	rec, start := httptest.NewRecorder(), time.Now()
	w.service.ServeHTTP(rec, req)
	if took := time.Since(start); rec.Code != status || took > time.Second {
		w.Errorf("%s %s: %d %s after %v, want %d", method, path, rec.Code, rec.Body, took, status)
	}
	if token := rec.Header().Get("Session-Token"); token != "" {
		w.session = token
	}
}

// regions tells where the requests of the account went since the last time it was asked.
func (w *world) regions() string {
	var names []string
	for _, r := range w.account.Requests() {
		if !r.Account {
			names = append(names, r.Region)
		}
	}
	w.account.ResetLog()
	return strings.Join(names, ", ")
}

func TestService(t *testing.T) {
	for name, test := range map[string]func(*world){
		"a region is lost":       regionIsLost,
		"the write region moves": writeRegionMoves,
		"a region lags":          regionLags,
		"a throttle storm":       throttleStorm,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(newWorld(t)) })
		})
	}
}

// The region where the service reads goes away for two minutes: nobody notices.
func regionIsLost(w *world) {
	w.account.Stop("West US")
	for range 12 {
		w.want(200, "GET", "/customers/ann/orders/first", "")
		w.want(200, "GET", "/customers/ann/orders", "")
		time.Sleep(10 * time.Second)
	}
	w.account.Start("West US")
	time.Sleep(time.Minute)
	w.regions()
	w.want(200, "GET", "/customers/ann/orders/first", "")
	if got := w.regions(); got != "West US" {
		w.Errorf("the read went to %s, want West US: it is back", got)
	}
}

// The region that takes the writes goes away and comes back, and another one takes over: writes fail while there is no
// region that takes them, and not a moment longer.
func writeRegionMoves(w *world) {
	w.account.Stop("East US")
	w.want(503, "POST", "/customers/ann/orders", `{"id": "second"}`)
	w.want(200, "GET", "/customers/ann/orders/first", "")
	w.account.Start("East US")
	w.want(201, "POST", "/customers/ann/orders", `{"id": "second"}`)
	if err := w.account.Failover("West US"); err != nil {
		w.Fatal(err)
	}
	w.want(201, "POST", "/customers/ann/orders", `{"id": "third"}`)
	w.want(200, "GET", "/customers/ann/orders/third", "")
}

// Writes take a while to the region where the service reads: it sees its own ones all the same.
func regionLags(w *world) {
	if err := w.account.SetReplicationLag("East US", "West US", 30*time.Second); err != nil {
		w.Fatal(err)
	}
	w.want(201, "POST", "/customers/ann/orders", `{"id": "second"}`)
	w.want(200, "GET", "/customers/ann/orders/second", "")
	time.Sleep(30 * time.Second)
	w.regions()
	w.want(200, "GET", "/customers/ann/orders/second", "")
	if got := w.regions(); got != "West US" {
		w.Errorf("the read went to %s, want West US: it has caught up", got)
	}
}

// The account throttles most of what a crowd wants: everybody is served in the end.
func throttleStorm(w *world) {
	w.account.SetFaults(cosmostest.Fault{
		Percent: 60, Status: 429, SubStatus: 3200, Header: http.Header{"X-Ms-Retry-After-Ms": {"50"}},
	})
	var crowd sync.WaitGroup
	for i := range 50 {
		somebody := *w
		crowd.Go(func() { somebody.want(201, "POST", "/customers/bob/orders", fmt.Sprintf(`{"id": "%d"}`, i)) })
	}
	crowd.Wait()
	items, err := w.account.Items("shop", "orders", "")
	if err != nil || len(items) != 51 {
		w.Errorf("there are %d orders (%v), want 51", len(items), err)
	}
}
