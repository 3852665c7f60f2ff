package compat_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// tokens is a credential that remembers what it was asked for.
type tokens struct {
	mu     sync.Mutex
	scopes []string
	delay  time.Duration
	err    error
}

func (c *tokens) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	c.mu.Lock()
	c.scopes = append(c.scopes, o.Scopes...)
	c.mu.Unlock()
	select {
	case <-time.After(c.delay):
	case <-ctx.Done():
		return azcore.AccessToken{}, ctx.Err()
	}
	return azcore.AccessToken{Token: "token", ExpiresOn: time.Now().Add(time.Hour)}, c.err
}

// readers are the ways to read an account.
func readers(t *testing.T, o *azcosmos.ClientOptions) map[string]regioncache.AccountReader {
	return map[string]regioncache.AccountReader{
		"key":   compat.KeyAccountReader(newKey(t), o),
		"token": compat.TokenAccountReader(new(tokens), o),
	}
}

// settle lets everything that azcosmos has started in the background end.
func settle() {
	synctest.Wait()
	time.Sleep(time.Minute)
	synctest.Wait()
}

// TestReadersSendOneRequest: exactly one GET / for each read, and nothing behind
// it, whether the read succeeds or fails.
func TestReadersSendOneRequest(t *testing.T) {
	eager := policy.RetryOptions{MaxRetries: 10, StatusCodes: []int{200, 401, 403, 404, 503}}
	for name, c := range map[string]struct {
		fault cosmostest.Fault
		fails string // in the error, "" for none
	}{
		"success":       {cosmostest.Fault{Region: north, Status: 503}, ""},
		"unavailable":   {cosmostest.Fault{Status: 503}, "503"},
		"throttled":     {cosmostest.Fault{Status: 429, Header: http.Header{"Retry-After": {"1"}}}, "429"},
		"unauthorized":  {cosmostest.Fault{Status: 401}, "401"},
		"account lost":  {cosmostest.Fault{Status: 403, SubStatus: 1008}, "403"},
		"not found":     {cosmostest.Fault{Status: 404, SubStatus: 1002}, "404"},
		"refused":       {cosmostest.Fault{Transport: cosmostest.Refused}, "refused"},
		"unknown name":  {cosmostest.Fault{Transport: cosmostest.DNS}, "no such host"},
		"reset":         {cosmostest.Fault{Transport: cosmostest.Reset}, "reset"},
		"broken answer": {cosmostest.Fault{Transport: cosmostest.Truncated}, "EOF"},
	} {
		for _, retry := range []policy.RetryOptions{{}, {MaxRetries: -1}, eager} {
			for credential := range readers(t, nil) {
				synctest.Test(t, func(t *testing.T) {
					acct := newAccount(t, nil)
					c.fault.Account = true
					acct.SetFaults(c.fault)
					for _, endpoint := range []string{acct.Endpoint(), acct.RegionEndpoint(west)} {
						acct.ResetLog()
						document, err := readers(t, client{retry: retry}.options(acct))[credential](t.Context(), endpoint)
						settle()
						if got := acct.Requests(); len(got) != 1 || got[0].Method != http.MethodGet || got[0].Path != "/" {
							t.Errorf("%s with a %s: %d requests, want 1: %+v", name, credential, len(got), got)
						}
						checkRead(t, document, err, c.fails)
					}
				})
			}
		}
	}
}

func checkRead(t *testing.T, document []byte, err error, fails string) {
	t.Helper()
	var account struct {
		ID        string
		Locations []any `json:"readableLocations"`
	}
	switch {
	case fails != "":
		if err == nil || !strings.Contains(err.Error(), fails) || document != nil {
			t.Errorf("got %v, want an error with %q", err, fails)
		}
	case err != nil:
		t.Errorf("got %v", err)
	case json.Unmarshal(document, &account) != nil || account.ID != "acct" || len(account.Locations) != 3:
		t.Errorf("got %s", document)
	}
}

// TestReadersHeedTheirContext: azcosmos cuts the context off from the account
// read; the reader gives it back.
func TestReadersHeedTheirContext(t *testing.T) {
	for credential := range readers(t, nil) {
		for name, end := range map[string]struct {
			context func(context.Context) (context.Context, context.CancelFunc)
			want    error
			after   time.Duration
		}{
			"cancellation": {func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Second, cancel)
				return ctx, cancel
			}, context.Canceled, time.Second},
			"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 2*time.Second)
			}, context.DeadlineExceeded, 2 * time.Second},
			"deadline that was over": {func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, -time.Second)
			}, context.DeadlineExceeded, 0},
		} {
			t.Run(credential+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					acct := newAccount(t, nil)
					acct.SetFaults(cosmostest.Fault{Account: true, Transport: cosmostest.Blackhole})
					ctx, cancel := end.context(t.Context())
					defer cancel()
					start := time.Now()
					_, err := readers(t, client{}.options(acct))[credential](ctx, acct.Endpoint())
					if !errors.Is(err, end.want) || time.Since(start) != end.after {
						t.Errorf("got %v after %v, want %v after %v", err, time.Since(start), end.want, end.after)
					}
					settle()
				})
			})
		}
	}
}

// TestTokenReadersAskForTheAccount: tokens are for the account, also when a
// regional endpoint is read.
func TestTokenReadersAskForTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := newAccount(t, nil)
		credential := new(tokens)
		reader := compat.TokenAccountReader(credential, client{}.options(acct))
		for _, endpoint := range []string{acct.Endpoint(), acct.RegionEndpoint(west), acct.RegionEndpoint(east), acct.Endpoint()} {
			_, err := reader(t.Context(), endpoint)
			noError(t, err)
		}
		settle()
		if len(credential.scopes) != 4 {
			t.Errorf("%d tokens, want 4", len(credential.scopes))
		}
		for _, scope := range credential.scopes {
			if scope != "https://acct.documents.azure.com/.default" {
				t.Errorf("a token for %q", scope)
			}
		}
	})
}

// TestTokenReadersTellWhyThereIsNoToken: a credential that fails, or is slow.
func TestTokenReadersTellWhyThereIsNoToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := newAccount(t, nil)
		failing := &tokens{err: errors.New("the tenant is locked")}
		_, err := compat.TokenAccountReader(failing, client{}.options(acct))(t.Context(), acct.Endpoint())
		if err == nil || !strings.Contains(err.Error(), "the tenant is locked") {
			t.Errorf("got %v", err)
		}
		settle()
		slow := &tokens{delay: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		_, err = compat.TokenAccountReader(slow, client{}.options(acct))(ctx, acct.Endpoint())
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if got := visits(acct); len(acct.Requests()) != 0 {
			t.Errorf("%d requests without a token: %q", len(acct.Requests()), got)
		}
		settle()
	})
}

// TestReadersUseThePipelineOfTheCaller: its policies, not those of this module.
func TestReadersUseThePipelineOfTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := newAccount(t, nil)
		var passed []string
		pass := func(name string) policy.Policy {
			return policyFunc(func(req *policy.Request) (*http.Response, error) {
				passed = append(passed, name)
				return req.Next()
			})
		}
		o := client{}.options(acct)
		o.PerCallPolicies, o.PerRetryPolicies = []policy.Policy{pass("call")}, []policy.Policy{pass("retry")}
		o.PreferredRegions = []string{west}
		reader := compat.KeyAccountReader(newKey(t), o)
		o.PerCallPolicies[0] = pass("put in later")
		_, err := reader(t.Context(), acct.Endpoint())
		noError(t, err)
		if !slices.Equal(passed, []string{"call", "retry"}) {
			t.Errorf("the read passed %q", passed)
		}
		settle()
	})
}

type policyFunc func(*policy.Request) (*http.Response, error)

func (f policyFunc) Do(req *policy.Request) (*http.Response, error) { return f(req) }

// TestReadersDoNotAskWhereNobodyIs: endpoints that are none.
func TestReadersDoNotAskWhereNobodyIs(t *testing.T) {
	for credential, reader := range readers(t, client{transport: roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("a request went out")
		return nil, errors.New("nobody is there")
	})}.options(nil)) {
		for _, endpoint := range []string{"", "acct", "://", "https://", "%"} {
			if _, err := reader(t.Context(), endpoint); err == nil {
				t.Errorf("%s: %q can be read", credential, endpoint)
			}
		}
	}
}
