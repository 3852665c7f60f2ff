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

// makers make the clients of this program: azcosmos alone, and with the policies of this repository.
var makers = []maker{
	{"azcosmos 1.5.0-beta.7", azcosmos.NewClientWithKey},
	{"with cosmosretry", func(endpoint string, cred azcosmos.KeyCredential, options *azcosmos.ClientOptions) (*azcosmos.Client, error) {
		return compat.NewClientWithKey(endpoint, cred, options, nil)
	}},
}

// check is something that a client must be able to do.
type check struct {
	name string // the same as that of the other clients
	do   func(context.Context, *env) error
}

// checks are all of them, in order.
var checks = []check{
	{"refuses an unknown CA", checkTLS},
	{"create and read", checkCreate},
	{"upsert and replace", checkReplace},
	{"conditional replace", checkCondition},
	{"patch", checkPatch},
	{"delete", checkDelete},
	{"batch", checkBatch},
	{"batch is atomic", checkAtomic},
	{"query in one partition", checkQuery},
	{"query in pages", checkPages},
	{"query in order", checkOrder},
	{"aggregates", checkAggregates},
	{"query across partitions", checkAcross},
	{"read many", checkMany},
	{"feed ranges", checkRanges},
	{"change feed", checkFeed},
	{"databases and containers", checkContainers},
	{"throughput", checkThroughput},
	{"404/1002 is retried", checkSession},
	{"429 is waited out", checkThrottle},
	{"503 moves a read", checkUnavailable},
	{"a region lags", checkLag},
	{"a container is out of throughput", checkSpent},
	{"a partition splits", checkSplit},
	{"a region stops and starts", checkStop},
	{"the write region fails over", checkFailover},
}

// slow are the checks in which the client pauses for a second and more.
var slow = map[string]bool{"a region stops and starts": true, "the write region fails over": true, "a container is out of throughput": true}

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
