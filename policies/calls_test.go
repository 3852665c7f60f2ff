package policies_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

func TestErrorTellsWhenToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		container, _ := newClient(t, account, nil)
		account.SetFaults(cosmostest.Fault{Region: "*", Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"7"}}})
		err := read(t.Context(), container)
		if e, ok := errors.AsType[*policies.Error](err); !ok || e.RetryAfter() != 7*time.Second {
			t.Errorf("got %v, want a *policies.Error that says 7 s", err)
		}
	})
}

// TestHeadersBelongToTheirRequests: a header that asks the service for something
// is only where the specification wants it.
func TestHeadersBelongToTheirRequests(t *testing.T) {
	const noRetry449, tentative = "x-ms-noretry-449", "x-ms-cosmos-allow-tentative-writes"
	for _, multiWrite := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			account := newAccount(t)
			if err := account.Update(func(c *cosmostest.Config) error { c.MultiWrite = multiWrite; return nil }); err != nil {
				t.Fatal(err)
			}
			container, _ := newClient(t, account, nil)
			sent := func(err error) http.Header {
				t.Helper()
				requests := account.Requests()
				if err != nil || len(requests) == 0 {
					t.Fatalf("got %d requests and %v", len(requests), err)
				}
				return requests[len(requests)-1].Header
			}
			_, err := container.Read(t.Context(), nil)
			if h := sent(err); h.Get(noRetry449) != "" || h.Get(tentative) != "" && !multiWrite {
				t.Errorf("multi-write %v: the headers of a container read are %v", multiWrite, h)
			}
			_, err = container.UpsertItem(t.Context(), azcosmos.NewPartitionKeyString("a"), []byte(`{"id":"i","pk":"a"}`), nil)
			if h := sent(err); h.Get(noRetry449) == "" || (h.Get(tentative) != "") != multiWrite {
				t.Errorf("multi-write %v: the headers of an upsert are %v", multiWrite, h)
			}
		})
	}
}

// transport is a function in the place of a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) Do(req *http.Request) (*http.Response, error) { return f(req) }

// send sends one GET through a pipeline of the options' policies.
func send(ctx context.Context, t *testing.T, o policy.ClientOptions, url string) (*http.Response, error) {
	t.Helper()
	req, err := runtime.NewRequest(ctx, http.MethodGet, url)
	if err != nil {
		t.Fatal(err)
	}
	return runtime.NewPipeline("test", "v0", runtime.PipelineOptions{}, &o).Do(req)
}

func TestOperationTimeoutSparesTheAccountRead(t *testing.T) {
	const endpoint = "https://acct.documents.azure.com:443/"
	const document = `{"writableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"}]}`
	synctest.Test(t, func(t *testing.T) {
		options := new(azcosmos.ClientOptions)
		options.Transport = transport(func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(2 * time.Second):
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(document)), Request: req}, nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		})
		settings := &policies.Settings{OperationTimeout: policies.Duration(time.Second)}
		set, err := policies.Install(options, endpoint, &policies.Options{Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := send(t.Context(), t, options.ClientOptions, endpoint); err != nil || set.Cache().Snapshot() == nil {
			t.Errorf("the account read ends with %v, want an answer after 2 s", err)
		}
		start := time.Now()
		_, err = send(t.Context(), t, options.ClientOptions, endpoint+"dbs/db/colls/c/docs/i")
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("an item read ends after %v with %v, want the deadline after 1 s", took, err)
		}
	})
}

func TestApplyKeepsWhatTheBudgetHasCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		settings := func(perMinute int) *policies.Settings {
			return &policies.Settings{Budget: policies.BudgetSettings{MaxPerMinute: perMinute}}
		}
		container, set := newClient(t, account, &policies.Options{Settings: settings(2)})
		account.SetFaults(cosmostest.Fault{Region: "*", Status: http.StatusServiceUnavailable})
		if err := read(t.Context(), container); err == nil {
			t.Fatal("got no error")
		}
		for _, c := range []struct {
			perMinute int
			left      float64
		}{{2, 0}, {3, 1}} { // other numbers are no new budget
			if err := set.Apply(settings(c.perMinute)); err != nil {
				t.Fatal(err)
			}
			if left, _ := set.Budget().Left(); left != c.left {
				t.Errorf("%d retries a minute: %v are left, want %v", c.perMinute, left, c.left)
			}
		}
	})
}

func TestInstallLeavesTheCallersSpareRoomAlone(t *testing.T) {
	room := make([]policy.Policy, 8)
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{PerCallPolicies: room[:0], PerRetryPolicies: room[4:4]}}
	if _, err := policies.Install(options, "https://acct.documents.azure.com:443/", nil); err != nil {
		t.Fatal(err)
	}
	if room[0] != nil || room[4] != nil {
		t.Error("the spare room of the caller's slices was written to")
	}
}

// TestSinglePoliciesSendNothingWhenDone: each policy alone, without [policies.Install],
// looks at the context before it sends.
func TestSinglePoliciesSendNothingWhenDone(t *testing.T) {
	const endpoint = "https://acct.documents.azure.com:443/"
	cache, err := regioncache.New(endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err1 := failover.New(cache, nil)
	second, err2 := session.New(cache, nil)
	third, err3 := throttle.New(nil)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]policy.Policy{"failover": first, "session": second, "throttle": third} {
		sent := 0
		o := policy.ClientOptions{PerRetryPolicies: []policy.Policy{p}, Transport: transport(func(req *http.Request) (*http.Response, error) {
			sent++
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
		})}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := send(ctx, t, o, endpoint+"dbs/db/colls/c/docs/i"); !errors.Is(err, context.Canceled) || sent != 0 {
			t.Errorf("%s: got %v and %d requests, want the cancellation and none", name, err, sent)
		}
	}
}
