package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/deadletter"
)

// order is what the shop stores.
type order struct {
	ID    string `json:"id"`
	PK    string `json:"pk"`
	State string `json:"state"`
}

var customer = azcosmos.NewPartitionKeyString("ann")

// shop is the program that gets killed. It tells on its standard output what
// the world may rely on: "stored" what the account has acknowledged, and "kept"
// what is in the file of dead letters.
type shop struct {
	letters *deadletter.Store
	client  *azcosmos.Client
	orders  *azcosmos.ContainerClient
}

// Keep implements policies.DeadLetters: it passes the letter on, and tells.
func (s *shop) Keep(ctx context.Context, l policies.Letter) error {
	err := s.letters.Keep(ctx, l)
	var o order
	if err == nil && json.Unmarshal(l.Body, &o) == nil {
		fmt.Println("kept", o.State, o.ID)
	}
	return err
}

// open makes the shop's client, with everything that a real program would have
// but the address: that of an account on this machine.
func open(endpoint, file string) (*shop, error) {
	letters, err := deadletter.Open(file, nil)
	if err != nil {
		return nil, err
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		return nil, err
	}
	s := &shop{letters: letters}
	if s.client, err = compat.NewClientWithKey(endpoint, cred, nil, &policies.Options{DeadLetters: s}); err != nil {
		return nil, err
	}
	s.orders, err = s.client.NewContainer("shop", "orders")
	return s, err
}

// sell takes orders and payments, in several goroutines, until it is killed.
func (s *shop) sell(ctx context.Context) {
	var wait sync.WaitGroup
	for clerk := range 3 {
		wait.Go(func() {
			etags := map[string]azcore.ETag{} // of the orders that are not paid yet
			for i := 0; ; i++ {
				id := fmt.Sprintf("order-%d-%d", clerk, i)
				if etag, err := s.create(ctx, id); err == nil {
					etags[id] = etag
				}
				if i%2 == 0 {
					continue
				}
				for id, etag := range etags {
					s.pay(ctx, id, etag)
					delete(etags, id)
					break
				}
			}
		})
	}
	wait.Wait()
}

func (s *shop) create(ctx context.Context, id string) (azcore.ETag, error) {
	resp, err := s.orders.CreateItem(ctx, customer, encode(order{id, "ann", "new"}), nil)
	if err == nil {
		fmt.Println("stored new", id)
	}
	return resp.ETag, err
}

// pay changes an order, on the condition that nobody else has changed it.
func (s *shop) pay(ctx context.Context, id string, etag azcore.ETag) {
	_, err := s.orders.ReplaceItem(ctx, customer, id, encode(order{id, "ann", "paid"}), &azcosmos.ItemOptions{IfMatchEtag: &etag})
	if err == nil {
		fmt.Println("stored paid", id)
	}
}

func encode(o order) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return text
}

// catchUp is what the shop does first when it starts: it sends the letters of
// its former life, and tries again while the account is away.
func (s *shop) catchUp(ctx context.Context) error {
	for {
		n, err := s.letters.Len()
		if err != nil {
			return err
		}
		fmt.Println("letters", n)
		if n == 0 {
			return s.letters.Close()
		}
		report, err := s.letters.Replay(ctx, s.client, &deadletter.ReplayOptions{OnItem: func(i deadletter.Item) {
			fmt.Println(i.Outcome, i.Operation)
		}})
		switch {
		case errors.Is(err, deadletter.ErrOutage):
			fmt.Println("outage", report)
			time.Sleep(200 * time.Millisecond)
		case err != nil:
			return err
		case report.Count(deadletter.Done) < len(report.Items):
			return fmt.Errorf("%v", report)
		}
	}
}

// runShop is the process of the shop.
func runShop(role string) error {
	s, err := open(os.Getenv(envEndpoint), os.Getenv(envFile))
	if err != nil {
		return err
	}
	if role == "sell" {
		s.sell(context.Background())
		return nil
	}
	return s.catchUp(context.Background())
}
