package session_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

const document = `{"writableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"}],
"readableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"},
{"name":"West US","databaseAccountEndpoint":"https://acct-westus.documents.azure.com:443/"}]}`

// lagging is a transport on which no region has caught up.
type lagging struct {
	hosts  []string
	tokens []string
}

func (l *lagging) Do(req *http.Request) (*http.Response, error) {
	l.hosts = append(l.hosts, req.URL.Host)
	l.tokens = append(l.tokens, req.Header.Get("x-ms-session-token"))
	return &http.Response{
		StatusCode: http.StatusNotFound, Status: "404 Not Found", Request: req, Body: http.NoBody,
		Header: http.Header{"X-Ms-Substatus": {"1002"}},
	}, nil
}

// TestAlone: without the failover policy, the first request goes where the
// client sends it and only the retries are rerouted.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache, err := regioncache.New("https://acct.documents.azure.com:443/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := cache.Learn([]byte(document), time.Now()); err != nil {
			t.Fatal(err)
		}
		p, err := session.New(cache, nil)
		if err != nil {
			t.Fatal(err)
		}
		transport := new(lagging)
		pipeline := runtime.NewPipeline("test", "v0", runtime.PipelineOptions{}, &policy.ClientOptions{
			Transport: transport, PerRetryPolicies: []policy.Policy{p},
		})
		req, err := runtime.NewRequest(t.Context(), http.MethodGet, "https://acct-westus.documents.azure.com:443/dbs/d/colls/c/docs/i")
		if err != nil {
			t.Fatal(err)
		}
		req.Raw().Header.Set("x-ms-session-token", "0:-1#42")
		_, err = pipeline.Do(req)
		if e, ok := errors.AsType[*azcore.ResponseError](err); !ok || e.StatusCode != http.StatusNotFound {
			t.Errorf("got %v, want the 404", err)
		}
		want := []string{"acct-westus.documents.azure.com:443", "acct-eastus.documents.azure.com:443", "acct-eastus.documents.azure.com:443"}
		if !slices.Equal(transport.hosts, want) {
			t.Errorf("sent to %q, want %q", transport.hosts, want)
		}
		if !slices.Equal(transport.tokens, []string{"0:-1#42", "0:-1#42", "0:-1#42"}) {
			t.Errorf("session tokens %q: want the caller's on every request", transport.tokens)
		}
	})
}

func TestNewWithoutCache(t *testing.T) {
	if _, err := session.New(nil, nil); err == nil {
		t.Error("a nil cache is accepted")
	}
}
