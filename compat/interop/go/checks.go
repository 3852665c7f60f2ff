package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
)

// maker makes a client.
type maker struct {
	name string // what the results call it
	make func(endpoint string, cred azcosmos.KeyCredential, options *azcosmos.ClientOptions) (*azcosmos.Client, error)
}

const azcosmosAlone = "azcosmos 1.5.0-beta.7"

// makers make the clients of this program: azcosmos alone, and with the policies of this repository.
var makers = []maker{
	{azcosmosAlone, azcosmos.NewClientWithKey},
	{"with cosmosretry", func(endpoint string, cred azcosmos.KeyCredential, options *azcosmos.ClientOptions) (*azcosmos.Client, error) {
		return compat.NewClientWithKey(endpoint, cred, options, nil)
	}},
}

// check is something that a client must be able to do.
type check struct {
	name string // the same as that of the other clients
	do   func(context.Context, *env) error
	ours bool // azcosmos alone cannot do it
}

// checks are all of them, in order.
var checks = []check{
	{name: "refuses an unknown CA", do: checkTLS},
	{name: "create and read", do: checkCreate},
	{name: "upsert and replace", do: checkReplace},
	{name: "conditional replace", do: checkCondition},
	{name: "patch", do: checkPatch},
	{name: "delete", do: checkDelete},
	{name: "batch", do: checkBatch},
	{name: "batch is atomic", do: checkAtomic},
	{name: "query in one partition", do: checkQuery},
	{name: "query in pages", do: checkPages},
	{name: "query in order", do: checkOrder},
	{name: "aggregates", do: checkAggregates},
	{name: "query across partitions", do: checkAcross},
	{name: "read many", do: checkMany},
	{name: "feed ranges", do: checkRanges},
	{name: "change feed", do: checkFeed},
	{name: "databases and containers", do: checkContainers},
	{name: "throughput", do: checkThroughput},
	{name: "404/1002 is retried", do: checkSession},
	{name: "429 is waited out", do: checkThrottle},
	{name: "503 moves a read", do: checkUnavailable},
	{name: "503 moves a write of a multi-write account", do: checkMultiWrite},
	{name: "503 moves a write of a partition", do: checkPartition, ours: true},
	{name: "a lag is bridged", do: checkLag},
	{name: "a container is out of throughput", do: checkSpent},
	{name: "a partition splits", do: checkSplit},
	{name: "a stopped region moves a read", do: checkStop},
	{name: "the write region fails over", do: checkFailover},
}

// slow are the checks in which the client pauses for a second and more.
var slow = map[string]bool{"a stopped region moves a read": true, "the write region fails over": true, "a container is out of throughput": true}

// env is what a check works with. Each has a client of its own, which knows of no earlier trouble.
type env struct {
	*program
	maker
	client   *azcosmos.Client
	orders   *azcosmos.ContainerClient
	customer string // a partition key that no other check uses
	roots    *x509.CertPool
}

// runChecks runs checks of azcosmos.
func runChecks(ctx context.Context, p *program, m maker, checks []check, t *table) error {
	for i, c := range checks {
		if c.ours && m.name == azcosmosAlone {
			continue
		}
		if err := p.repair(ctx); err != nil {
			return err
		}
		start := time.Now()
		r := result{client: m.name, check: c.name}
		if err := runCheck(ctx, p, m, c, fmt.Sprintf("customer-%d", i)); err != nil {
			r.failure = err.Error()
		}
		r.took = time.Since(start)
		t.add(r)
	}
	return nil
}

func runCheck(ctx context.Context, p *program, m maker, c check, customer string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	pem, err := os.ReadFile(p.CA)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	e := &env{program: p, maker: m, customer: customer, roots: pool}
	client, done, err := e.newClient(pool, policy.RetryOptions{}, "East US", "West US", "North Europe")
	if err != nil {
		return err
	}
	defer done()
	e.client = client
	if e.orders, err = client.NewContainer("shop", "orders"); err != nil {
		return err
	}
	return c.do(ctx, e)
}

// newClient makes a client that trusts only the given certificates; done ends it.
func (e *env) newClient(roots *x509.CertPool, retry policy.RetryOptions, preferred ...string) (client *azcosmos.Client, done func(), err error) {
	cred, err := azcosmos.NewKeyCredential(e.Key)
	if err != nil {
		return nil, nil, err
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	client, err = e.make(e.Endpoint, cred, &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: &http.Client{Transport: transport}, Retry: retry},
		PreferredRegions: preferred,
	})
	return client, func() {
		client.Close()
		transport.CloseIdleConnections()
	}, err
}

// order is the item that the checks work on.
type order struct {
	ID       string `json:"id"`
	Customer string `json:"customer"`
	Total    int    `json:"total"`
	Note     string `json:"note,omitempty"`
	Lot      string `json:"lot,omitempty"` // orders of several customers that one check made
}

func (e *env) key() azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(e.customer) }

// order is an order of the check's customer.
func (e *env) order(id string, total int) order {
	return order{ID: id, Customer: e.customer, Total: total}
}

// create creates an order of the check's customer.
func (e *env) create(ctx context.Context, id string, total int) (azcosmos.ItemResponse, error) {
	return e.orders.CreateItem(ctx, e.key(), body(e.order(id, total)), nil)
}

// read reads an order of the check's customer.
func (e *env) read(ctx context.Context, id string) (order, error) {
	var o order
	resp, err := e.orders.ReadItem(ctx, e.key(), id, nil)
	if err == nil {
		err = json.Unmarshal(resp.Value, &o)
	}
	return o, err
}

// wantTotal fails unless the order can be read and has that total.
func (e *env) wantTotal(ctx context.Context, id string, total int) error {
	o, err := e.read(ctx, id)
	if err != nil {
		return err
	}
	return want("the total", o.Total, total)
}

// body is an order as JSON.
func body(o order) []byte {
	data, _ := json.Marshal(o) // strings and a number: cannot fail
	return data
}

// want fails unless got is wanted.
func want[T comparable](what string, got, wanted T) error {
	if got != wanted {
		return fmt.Errorf("%s is %v, want %v", what, got, wanted)
	}
	return nil
}

// wantStatus fails unless err is that status.
func wantStatus(err error, status int) error {
	if answer, ok := errors.AsType[*azcore.ResponseError](err); ok && answer.StatusCode == status {
		return nil
	}
	return fmt.Errorf("the error is %v, want status %d", err, status)
}
