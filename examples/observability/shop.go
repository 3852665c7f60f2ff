package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

const (
	home   = "East US" // the write region, and the nearest
	second = "West US"
	third  = "North Europe"
	orders = 64 // that exist from the start
)

// shop is the program's business: an account and a client for it.
type shop struct {
	account *cosmostest.Account
	orders  *azcosmos.ContainerClient
}

// newShop makes an account and a client that tells the signals what it does. Its
// breakers and marks last for a part of the run, so that they also end in it.
func newShop(s *signals, length time.Duration) (*shop, error) {
	account, err := newAccount()
	if err != nil {
		return nil, err
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		return nil, err
	}
	options := &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: account.Transport(), TracingProvider: s.spanProvider()},
		PreferredRegions: []string{home, second, third},
	}
	budget, err := policies.NewBudget(&policies.BudgetOptions{Ratio: 1, MinPerSecond: 10, Window: time.Second})
	if err != nil {
		return nil, err
	}
	settings, err := policies.ParseSettings(fmt.Appendf(nil, `{
		"failover": {"backend": {"delay": %q}},
		"regions": {"unavailableFor": %q, "refreshInterval": %q},
		"breaker": {"unavailableFor": %q}
	}`, length/100, length/20, length/40, length/40))
	if err != nil {
		return nil, err
	}
	set, err := policies.Install(options, account.Endpoint(), &policies.Options{
		Settings: settings, Account: compat.KeyAccountReader(cred, options),
		Budget: budget, Observers: s.observers(), DeadLetters: fullDisk{},
	})
	if err != nil {
		return nil, err
	}
	s.telemetry.Watch(set)
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, options)
	if err != nil {
		return nil, err
	}
	container, err := client.NewContainer("shop", "orders")
	return &shop{account, container}, err
}

func newAccount() (*cosmostest.Account, error) {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Regions: []string{home, second, third}, PPAF: true,
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders", PartitionKey: []string{"/customer"}, Partitions: 4}},
	})
	if err != nil {
		return nil, err
	}
	for i := range orders {
		if err := account.Seed("shop", "orders", order(i)); err != nil {
			return nil, err
		}
	}
	return account, nil
}

func order(i int) map[string]any {
	return map[string]any{"id": fmt.Sprint("order-", i), "customer": customer(i), "status": "open"}
}

func customer(i int) string { return fmt.Sprint("customer-", i%16) }

// fullDisk is a store of dead letters that has no room left; package
// policies/deadletter has a better one.
type fullDisk struct{}

func (fullDisk) Keep(context.Context, policies.Letter) error { return errors.New("no space left") }
