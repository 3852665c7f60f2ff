package policies_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// newClient makes an azcosmos client with all policies over an in-process account.
func newClient(t *testing.T, account *cosmostest.Account, o *policies.Options) (*azcosmos.ContainerClient, *policies.Set) {
	t.Helper()
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: account.Transport()}}
	set, err := policies.Install(options, account.Endpoint(), o)
	if err != nil {
		t.Fatal(err)
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, options)
	if err != nil {
		t.Fatal(err)
	}
	container, err := client.NewContainer("db", "c")
	if err != nil {
		t.Fatal(err)
	}
	return container, set
}

func newAccount(t *testing.T) *cosmostest.Account {
	t.Helper()
	account := cosmostest.New(t, &cosmostest.Config{Containers: []cosmostest.Container{{Database: "db", ID: "c"}}})
	if err := account.Seed("db", "c", map[string]any{"id": "i", "pk": "a"}); err != nil {
		t.Fatal(err)
	}
	return account
}

func read(ctx context.Context, c *azcosmos.ContainerClient) error {
	_, err := c.ReadItem(ctx, azcosmos.NewPartitionKeyString("a"), "i", nil)
	return err
}

func TestInstallOrder(t *testing.T) {
	mine := new(failover.Policy)
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{PerRetryPolicies: make([]policy.Policy, 1, 8)}}
	options.PerRetryPolicies[0] = mine
	spare := options.PerRetryPolicies[:4]
	if _, err := policies.Install(options, "https://acct.documents.azure.com:443/", nil); err != nil {
		t.Fatal(err)
	}
	if len(options.PerCallPolicies) != 1 || len(options.PerRetryPolicies) != 2 || options.PerRetryPolicies[0] != policy.Policy(mine) {
		t.Fatalf("got %d and %d policies, want 1 and 1 behind the one that was there", len(options.PerCallPolicies), len(options.PerRetryPolicies))
	}
	if spare[1] != nil {
		t.Error("the spare room of the caller's slice was written to")
	}
}

func TestInstallRejects(t *testing.T) {
	const endpoint = "https://acct.documents.azure.com:443/"
	installed := new(azcosmos.ClientOptions)
	if _, err := policies.Install(installed, endpoint, nil); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		options  *azcosmos.ClientOptions
		endpoint string
		o        *policies.Options
		want     string
	}{
		{"no options", nil, endpoint, nil, "options is nil"},
		{"options that have them", installed, endpoint, nil, "already"},
		{"no endpoint", new(azcosmos.ClientOptions), "", nil, "endpoint"},
		{"another scheme", new(azcosmos.ClientOptions), "ftp://acct", nil, "https"},
		{"no host", new(azcosmos.ClientOptions), "https://", nil, "host"},
		{"a senseless setting", new(azcosmos.ClientOptions), endpoint, &policies.Options{Settings: &policies.Settings{Breaker: policies.BreakerSettings{Capacity: -1}}}, "breaker.capacity"},
		{"a nameless region", &azcosmos.ClientOptions{PreferredRegions: []string{"East US", "--"}}, endpoint, nil, "PreferredRegions[1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := 0
			if tt.options != nil {
				before = len(tt.options.PerRetryPolicies)
			}
			_, err := policies.Install(tt.options, tt.endpoint, tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
			if tt.options != nil && len(tt.options.PerRetryPolicies) != before {
				t.Error("the options were changed all the same")
			}
		})
	}
}

func TestApplyHoldsForLaterOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		container, set := newClient(t, account, nil)
		account.SetFaults(cosmostest.Fault{Region: "*", Status: http.StatusServiceUnavailable})
		for _, step := range []struct {
			settings *policies.Settings
			want     int
		}{
			{nil, 4},
			{&policies.Settings{Failover: policies.FailoverSettings{MaxRetries: 1}}, 2},
			{&policies.Settings{Failover: policies.FailoverSettings{MaxRetries: -1}}, 1},
			{nil, 4},
		} {
			if err := set.Apply(step.settings); err != nil {
				t.Fatal(err)
			}
			account.ResetLog()
			err := read(t.Context(), container)
			got := 0
			for _, r := range account.Requests() {
				if !r.Account {
					got++
				}
			}
			if e, ok := errors.AsType[*azcore.ResponseError](err); !ok || e.StatusCode != http.StatusServiceUnavailable || got != step.want {
				t.Errorf("%+v: got %d requests and %v, want %d and the 503", step.settings, got, err, step.want)
			}
		}
	})
}

func TestApplyRejectsWithoutAnEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		_, set := newClient(t, account, nil)
		before := set.Cache().BreakerEnabled()
		bad := &policies.Settings{Breaker: policies.BreakerSettings{Enabled: new(false), Capacity: -1}}
		if err := set.Apply(bad); err == nil || !strings.Contains(err.Error(), "breaker.capacity") {
			t.Errorf("got %v, want an error that names breaker.capacity", err)
		}
		if set.Cache().BreakerEnabled() != before {
			t.Error("part of the settings was applied")
		}
	})
}

func TestKillSwitchWinsAtRunTime(t *testing.T) {
	t.Setenv("AZURE_COSMOS_PPCB_ENABLED_OVERRIDE", "false")
	options := new(azcosmos.ClientOptions)
	set, err := policies.Install(options, "https://acct.documents.azure.com:443/", &policies.Options{
		Settings: &policies.Settings{Breaker: policies.BreakerSettings{Enabled: new(true)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if set.Cache().BreakerEnabled() {
		t.Error("the breaker is on")
	}
	t.Setenv("AZURE_COSMOS_PPCB_ENABLED_OVERRIDE", "")
	if err := set.Apply(nil); err != nil {
		t.Fatal(err)
	}
	if !set.Cache().BreakerEnabled() {
		t.Error("the breaker stays off after the switch is gone")
	}
}

func TestClientsShareACache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		cache, err := regioncache.New(account.Endpoint(), nil)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := newClient(t, account, &policies.Options{Cache: cache})
		second, _ := newClient(t, account, &policies.Options{Cache: cache})
		account.SetFaults(cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused})
		if err := read(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		account.ResetLog()
		if err := read(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		for _, r := range account.Requests() {
			if !r.Account && r.Region != "West US" {
				t.Errorf("the second client went to %s: want what the first one learned", r.Region)
			}
		}
	})
}

func TestDoneContextSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		container, _ := newClient(t, account, nil)
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		account.ResetLog()
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		err := read(ctx, container)
		if !errors.Is(err, context.DeadlineExceeded) || len(account.Requests()) != 0 {
			t.Errorf("got %v and %d requests, want the deadline and none", err, len(account.Requests()))
		}
		if e, ok := errors.AsType[*azcore.ResponseError](err); !ok || e.RawResponse.Header.Get("x-ms-substatus") != "20008" {
			t.Errorf("got %v, want 408/20008", err)
		}
	})
}

func TestErrorTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		container, _ := newClient(t, account, nil)
		account.SetFaults(cosmostest.Fault{Region: "*", Status: http.StatusServiceUnavailable})
		err := read(t.Context(), container)
		e, ok := errors.AsType[*policies.Error](err)
		if !ok {
			t.Fatalf("got %v, want a *policies.Error", err)
		}
		if len(e.Attempts()) != 4 || !e.Transient() || e.Attempts()[1].Region != "West US" || e.Attempts()[1].Status != 503 {
			t.Errorf("got %+v", e.Attempts())
		}
		for _, want := range []string{"read", "dbs/db/colls/c", "503", "4 attempts", "East US ×2", "retry later"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	})
}
