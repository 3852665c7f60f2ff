package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

const (
	lost      = "East US" // the region that is taken away: the first preferred one
	second    = "West US" // where its traffic should go
	database  = "shop"
	container = "orders"
)

// regions are those of the account, nearest first: all of them take writes.
func regions() []string { return []string{lost, second, "North Europe"} }

// distances make the regions as far away as they are from a program in East
// US, or failing over would seem to cost nothing. They apply to every answer.
func distances() []cosmostest.Fault {
	return []cosmostest.Fault{
		{Region: lost, Delay: 2 * time.Millisecond},
		{Region: second, Delay: 30 * time.Millisecond},
		{Region: "North Europe", Delay: 45 * time.Millisecond},
	}
}

// side is one of the two programs, with the account that it uses.
type side struct {
	name    string
	account *cosmostest.Account
	http    *http.Client
	orders  *azcosmos.ContainerClient
	results recorder
}

// clientMaker is azcosmos.NewClientWithKey, or what takes its place.
type clientMaker func(endpoint string, cred azcosmos.KeyCredential, o *azcosmos.ClientOptions) (*azcosmos.Client, error)

// newSide starts an account and connects a client to it.
func newSide(ctx context.Context, name string, newClient clientMaker) (*side, error) {
	account, err := newAccount()
	if err != nil {
		return nil, err
	}
	s := &side{name: name, account: account, http: account.Client()}
	if err := s.connect(ctx, newClient); err != nil {
		s.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// newAccount returns an account that listens and holds the orders.
func newAccount() (*cosmostest.Account, error) {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Regions:    regions(),
		MultiWrite: true,
		Containers: []cosmostest.Container{{
			Database: database, ID: container, PartitionKey: []string{"/customer"}, Partitions: 4,
		}},
	})
	if err != nil {
		return nil, err
	}
	for i := range seeded {
		o := order{kind: replace, item: i}
		if err := account.Seed(database, container, o.document()); err != nil {
			return nil, err
		}
	}
	account.SetFaults(distances()...)
	return account, account.Listen(nil)
}

// connect makes the client, with azcosmos's default retries, and lets it do
// one operation, so that reading the account is not part of the measurement.
func (s *side) connect(ctx context.Context, newClient clientMaker) error {
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		return err
	}
	client, err := newClient(s.account.Endpoint(), cred, &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: s.http},
		PreferredRegions: regions(),
	})
	if err != nil {
		return err
	}
	if s.orders, err = client.NewContainer(database, container); err != nil {
		return err
	}
	if err := (order{kind: read}).do(ctx, s.orders); err != nil {
		return err
	}
	s.account.ResetLog()
	return nil
}

func (s *side) close() {
	s.http.CloseIdleConnections()
	_ = s.account.Close() // always nil
}
