package compat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/regioncache"
)

// KeyAccountReader reads the account with a key. It sends over the transport of
// options and through the policies that options has now, so call it before the
// policies of this module are installed there. nil means azcosmos's defaults.
//
// The account read can only be signed by azcosmos. A read therefore makes a
// short-lived client for the endpoint in question, begins one metadata call,
// which makes the client read the account first, and stops it right behind
// that: exactly one GET / goes out.
func KeyAccountReader(cred azcosmos.KeyCredential, options *azcosmos.ClientOptions) regioncache.AccountReader {
	return newReader(options, func(endpoint string, o *azcosmos.ClientOptions) (*azcosmos.Client, error) {
		return azcosmos.NewClientWithKey(endpoint, cred, o)
	})
}

// TokenAccountReader reads the account with a token credential; see
// [KeyAccountReader]. Tokens are asked for with the scope of the first endpoint
// that is read, which is the account's own: regional endpoints are no resources
// that a token could be for.
func TokenAccountReader(cred azcore.TokenCredential, options *azcosmos.ClientOptions) regioncache.AccountReader {
	scoped := &accountScope{credential: cred}
	return newReader(options, func(endpoint string, o *azcosmos.ClientOptions) (*azcosmos.Client, error) {
		return azcosmos.NewClient(endpoint, scoped, o)
	})
}

type clientMaker func(endpoint string, o *azcosmos.ClientOptions) (*azcosmos.Client, error)

func newReader(options *azcosmos.ClientOptions, newClient clientMaker) regioncache.AccountReader {
	base := copyOptions(options)
	base.PreferredRegions = nil
	base.Retry = policy.RetryOptions{MaxRetries: -1}
	base.TracingProvider = tracing.Provider{} // no span of the program's belongs to it
	return func(ctx context.Context, endpoint string) ([]byte, error) {
		tap := &accountTap{ctx: ctx}
		o := copyOptions(base)
		o.PerCallPolicies = append([]policy.Policy{tap}, o.PerCallPolicies...)
		client, err := newClient(endpoint, o)
		if err != nil {
			return nil, err
		}
		database, err := client.NewDatabase("cosmosretry")
		if err != nil {
			return nil, err
		}
		_, err = database.Read(ctx, nil)
		switch {
		case tap.document != nil:
			return tap.document, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("account read at %s: %w", endpoint, errors.Join(tap.err, err))
	}
}

// accountTap lets one account read through and keeps its answer. Whatever the
// client wants to send after it is stopped, also the account reads that it
// starts in the background when the first one fails.
type accountTap struct {
	ctx      context.Context
	used     atomic.Bool
	document []byte
	err      error
}

// Do implements [policy.Policy].
func (t *accountTap) Do(req *policy.Request) (*http.Response, error) {
	if path := req.Raw().URL.Path; path != "" && path != "/" || t.used.Swap(true) {
		return nil, errStopped
	}
	// azcosmos cuts the context's cancellation off for this request.
	resp, err := req.WithContext(t.ctx).Next()
	if err != nil {
		t.err = err
		return resp, err
	}
	if resp.StatusCode != http.StatusOK {
		t.err = runtime.NewResponseError(resp)
		return resp, nil
	}
	t.document, t.err = runtime.Payload(resp)
	return resp, t.err
}

// stopped ends a call behind its account read, without a retry.
type stopped struct{}

var errStopped = stopped{}

func (stopped) Error() string { return "stopped behind the account read" }
func (stopped) NonRetriable() {}

// accountScope asks for tokens with the scopes that it is first asked for.
type accountScope struct {
	credential azcore.TokenCredential
	once       sync.Once
	scopes     []string
}

// GetToken implements [azcore.TokenCredential].
func (a *accountScope) GetToken(ctx context.Context, options policy.TokenRequestOptions) (azcore.AccessToken, error) {
	a.once.Do(func() { a.scopes = options.Scopes })
	options.Scopes = a.scopes
	return a.credential.GetToken(ctx, options)
}
