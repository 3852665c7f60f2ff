package storm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// scenario is one run. Its times are seconds from the start.
type scenario struct {
	seed      uint64
	clients   int
	perSecond int   // operations of each client
	capacity  int   // operations per second that the service can serve
	slow      int   // as many times slower it is while it is in trouble
	trouble   phase // that
	length    int
	// budget, when set, is shared by the clients from the start.
	budget *policies.BudgetOptions
	// settings, when set, are what an operator applies to each client at switched.
	settings *policies.Settings
	switched int
}

// phase is a part of a run, from one second to another.
type phase struct{ from, to int }

// run plays a scenario in virtual time.
func run(t *testing.T, s scenario) *counter {
	t.Helper()
	var c *counter
	synctest.Test(t, func(t *testing.T) { c = s.play(t) })
	return c
}

func (s *scenario) play(t *testing.T) *counter {
	account := cosmostest.New(t, &cosmostest.Config{
		Regions: []string{"East US"}, LogLimit: -1,
		Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}},
	})
	if err := account.Seed("shop", "orders", map[string]any{"id": "order", "pk": "ann"}); err != nil {
		t.Fatal(err)
	}
	c := new(counter)
	service := &service{
		account: account.Transport(), unit: time.Second / time.Duration(s.capacity), slow: s.slow,
		seen: func() { c.count(second{requests: 1}) },
	}
	shops := s.connect(t, account.Endpoint(), service, c)
	c.begin()
	service.trouble = window{c.start.Add(seconds(s.trouble.from)), c.start.Add(seconds(s.trouble.to))}
	var users sync.WaitGroup
	for i, shop := range shops {
		users.Go(func() { s.load(t, uint64(i), shop, c) })
	}
	if s.settings != nil {
		time.Sleep(seconds(s.switched))
		for _, shop := range shops {
			if err := shop.policies.Apply(s.settings); err != nil {
				t.Error(err)
			}
		}
	}
	users.Wait()
	return c
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// shop is a client and its policies.
type shop struct {
	orders   *azcosmos.ContainerClient
	policies *policies.Set
}

// connect makes the clients. Their first request reads the account.
func (s *scenario) connect(t *testing.T, endpoint string, service *service, c *counter) []shop {
	t.Helper()
	o := s.options(t)
	o.Observers = []policies.Observer{c}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		t.Fatal(err)
	}
	c.begin()
	shops := make([]shop, s.clients)
	for i := range shops {
		options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: service}}
		if shops[i].policies, err = policies.Install(options, endpoint, o); err != nil {
			t.Fatal(err)
		}
		client, err := azcosmos.NewClientWithKey(endpoint, cred, options)
		if err != nil {
			t.Fatal(err)
		}
		if shops[i].orders, err = client.NewContainer("shop", "orders"); err != nil {
			t.Fatal(err)
		}
		if err := shops[i].order(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	return shops
}

// options are the defaults, but for an attempt's time-out of 1 s.
func (s *scenario) options(t *testing.T) *policies.Options {
	t.Helper()
	o := &policies.Options{
		Settings: new(policies.Settings),
		// As the policies wait by themselves, but with chance from the seed.
		Backoff:         seeded{policies.ExponentialBackoff{Base: 5 * time.Millisecond, Max: 5 * time.Second}, s.seed},
		FailoverBackoff: seeded{policies.ImmediateOnce{Then: policies.ExponentialBackoff{Base: 100 * time.Millisecond, Max: time.Second}}, s.seed},
	}
	o.Settings.Failover.AttemptTimeout.Point = policies.Duration(time.Second)
	if s.settings != nil {
		s.settings.Failover.AttemptTimeout = o.Settings.Failover.AttemptTimeout
	}
	if s.budget != nil {
		budget, err := policies.NewBudget(s.budget)
		if err != nil {
			t.Fatal(err)
		}
		o.Budget = budget
	}
	return o
}

// load begins operations at random until the run is over, and waits for the
// last ones.
func (s *scenario) load(t *testing.T, client uint64, shop shop, c *counter) {
	random := rand.New(rand.NewPCG(s.seed, client))
	mean := time.Second / time.Duration(s.perSecond)
	end := c.start.Add(seconds(s.length))
	var operations sync.WaitGroup
	defer operations.Wait()
	for n := 0; ; n++ {
		time.Sleep(time.Duration(random.Int64N(2 * int64(mean))))
		if !time.Now().Before(end) {
			return
		}
		operations.Go(func() {
			c.count(second{offered: 1})
			if err := shop.order(t.Context(), n); err != nil {
				c.count(second{failed: 1})
			} else {
				c.count(second{good: 1})
			}
		})
	}
}

// order reads or writes.
func (s *shop) order(ctx context.Context, n int) error {
	customer := azcosmos.NewPartitionKeyString("ann")
	if n%2 == 0 {
		_, err := s.orders.ReadItem(ctx, customer, "order", nil)
		return err
	}
	_, err := s.orders.UpsertItem(ctx, customer, fmt.Appendf(nil, `{"id":"order","pk":"ann","n":%d}`, n), nil)
	return err
}

// seeded is a strategy whose chance comes from a seed and the time.
type seeded struct {
	policies.Backoff
	seed uint64
}

// Delay implements policies.Backoff.
func (s seeded) Delay(retry int, previous time.Duration, _ float64) time.Duration {
	random := rand.NewPCG(s.seed+uint64(retry), uint64(time.Now().UnixNano()))
	return s.Backoff.Delay(retry, previous, rand.New(random).Float64())
}
