package compat_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// The account of the tests has these regions, unless a test says otherwise.
const (
	east  = "East US"
	west  = "West US"
	north = "North Europe"
)

// newAccount is an account with the container db/c and the item "i" of the
// partition key "p" in it. change may be nil.
func newAccount(t testing.TB, change func(*cosmostest.Config)) *cosmostest.Account {
	t.Helper()
	config := &cosmostest.Config{Containers: []cosmostest.Container{{Database: "db", ID: "c"}}}
	if change != nil {
		change(config)
	}
	acct := cosmostest.New(t, config)
	if err := acct.Seed("db", "c", map[string]any{"id": "i", "pk": "p", "n": 1}); err != nil {
		t.Fatal(err)
	}
	return acct
}

// multiWrite makes every region writable.
func multiWrite(c *cosmostest.Config) { c.MultiWrite = true }

// client is what the client of a test is made with; the zero value is a plain
// client of the account in process, with all policies.
type client struct {
	transport policy.Transporter
	retry     policy.RetryOptions
	logging   policy.LogOptions
	perCall   []policy.Policy
	settings  *policies.Settings
}

func newKey(t testing.TB) azcosmos.KeyCredential {
	t.Helper()
	key, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// options are the client's options for azcosmos.
func (c client) options(acct *cosmostest.Account) *azcosmos.ClientOptions {
	if c.transport == nil {
		c.transport = acct.Transport()
	}
	return &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{
		Transport: c.transport, Retry: c.retry, Logging: c.logging, PerCallPolicies: c.perCall,
	}}
}

// container is the client's view of db/c.
func (c client) container(t testing.TB, acct *cosmostest.Account) *azcosmos.ContainerClient {
	t.Helper()
	o := &policies.Options{Settings: c.settings, Logger: slog.New(slog.DiscardHandler)}
	cl, err := compat.NewClientWithKey(acct.Endpoint(), newKey(t), c.options(acct), o)
	if err != nil {
		t.Fatal(err)
	}
	container, err := cl.NewContainer("db", "c")
	if err != nil {
		t.Fatal(err)
	}
	return container
}

var key = azcosmos.NewPartitionKeyString("p")

// operation is what a program does with a container.
type operation func(ctx context.Context, c *azcosmos.ContainerClient) error

// operations are one of each kind. The item "i" stays, whatever they do.
var operations = map[string]operation{
	"read": read,
	"create": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		return create(ctx, c, `{"id":"new","pk":"p"}`)
	},
	"upsert": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.UpsertItem(ctx, key, []byte(`{"id":"i","pk":"p","n":1}`), nil)
		return err
	},
	"replace": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.ReplaceItem(ctx, key, "i", []byte(`{"id":"i","pk":"p","n":1}`), nil)
		return err
	},
	"patch": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		var p azcosmos.PatchOperations
		p.AppendSet("/n", 1)
		_, err := c.PatchItem(ctx, key, "i", p, nil)
		return err
	},
	"batch": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		b := c.NewTransactionalBatch(key)
		b.UpsertItem([]byte(`{"id":"i","pk":"p","n":1}`), nil)
		_, err := c.ExecuteTransactionalBatch(ctx, b, nil)
		return err
	},
	"query": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.NewQueryItemsPager("SELECT * FROM c", key, nil).NextPage(ctx)
		return err
	},
}

func read(ctx context.Context, c *azcosmos.ContainerClient) error {
	_, err := c.ReadItem(ctx, key, "i", nil)
	return err
}

func create(ctx context.Context, c *azcosmos.ContainerClient, body string) error {
	_, err := c.CreateItem(ctx, key, []byte(body), nil)
	return err
}

// visits lists the regions that the data-plane requests of the log went to.
func visits(acct *cosmostest.Account) []string {
	var regions []string
	for _, r := range acct.Requests() {
		if !r.Account {
			regions = append(regions, r.Region)
		}
	}
	return regions
}

// wantVisits fails the test unless the requests went to these regions, and
// empties the log.
func wantVisits(t testing.TB, acct *cosmostest.Account, want ...string) {
	t.Helper()
	if got := visits(acct); !slices.Equal(got, want) {
		t.Errorf("the requests went to %q, want %q", got, want)
	}
	acct.ResetLog()
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

// warmUp makes the client read the account and, over a network, open a
// connection; the log is empty afterwards.
func warmUp(t testing.TB, acct *cosmostest.Account, c *azcosmos.ContainerClient) {
	t.Helper()
	noError(t, read(t.Context(), c))
	acct.ResetLog()
}

// roundTripper is a function in the place of a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) Do(req *http.Request) (*http.Response, error) { return f(req) }

// chain is what a caller finds in an error.
type chain struct{ ours, response, op, dns bool }

func chainOf(err error) chain {
	_, ours := errors.AsType[*policies.Error](err)
	_, response := errors.AsType[*azcore.ResponseError](err)
	_, op := errors.AsType[*net.OpError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	return chain{ours, response, op, dns}
}
