package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// NewClientWithKey is azcosmos.NewClientWithKey with all policies installed.
// options is copied, never changed; nil means azcosmos's defaults. o configures
// the policies; nil means their defaults, and an o without an account reader
// gets one that uses cred.
//
// An endpoint, a setting or an environment variable that makes no sense is an
// error that names it.
func NewClientWithKey(endpoint string, cred azcosmos.KeyCredential, options *azcosmos.ClientOptions, o *policies.Options) (*azcosmos.Client, error) {
	options, err := install(endpoint, options, o, KeyAccountReader(cred, options))
	if err != nil {
		return nil, err
	}
	return azcosmos.NewClientWithKey(endpoint, cred, options)
}

// NewClient is azcosmos.NewClient with all policies installed; see
// [NewClientWithKey].
func NewClient(endpoint string, cred azcore.TokenCredential, options *azcosmos.ClientOptions, o *policies.Options) (*azcosmos.Client, error) {
	options, err := install(endpoint, options, o, TokenAccountReader(cred, options))
	if err != nil {
		return nil, err
	}
	return azcosmos.NewClient(endpoint, cred, options)
}

// NewClientFromConnectionString is azcosmos.NewClientFromConnectionString with
// all policies installed; see [NewClientWithKey]. The connection string must
// have the parts AccountEndpoint and AccountKey; the order and the case of their
// names do not matter, and other parts are ignored.
func NewClientFromConnectionString(s string, options *azcosmos.ClientOptions, o *policies.Options) (*azcosmos.Client, error) {
	endpoint, key, err := parseConnectionString(s)
	if err != nil {
		return nil, err
	}
	cred, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		// The error must not quote the key.
		return nil, errors.New("compat: connection string: AccountKey is not base64")
	}
	return NewClientWithKey(endpoint, cred, options, o)
}

func parseConnectionString(s string) (endpoint, key string, err error) {
	for part := range strings.SplitSeq(s, ";") {
		name, value, _ := strings.Cut(part, "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "accountendpoint":
			endpoint = strings.TrimSpace(value)
		case "accountkey":
			key = strings.TrimSpace(value)
		}
	}
	for name, value := range map[string]string{"AccountEndpoint": endpoint, "AccountKey": key} {
		if value == "" {
			return "", "", fmt.Errorf("compat: connection string has no %s: want AccountEndpoint=https://…;AccountKey=…;", name)
		}
	}
	return endpoint, key, nil
}

// install returns a copy of the client options that has the policies.
func install(endpoint string, options *azcosmos.ClientOptions, o *policies.Options, reader regioncache.AccountReader) (*azcosmos.ClientOptions, error) {
	options = copyOptions(options)
	own := policies.Options{}
	if o != nil {
		own = *o
	}
	if own.Account == nil {
		own.Account = reader
	}
	if _, err := policies.Install(options, endpoint, &own); err != nil {
		return nil, err
	}
	return options, nil
}

// copyOptions copies what the constructors, or the caller later, may change.
func copyOptions(options *azcosmos.ClientOptions) *azcosmos.ClientOptions {
	c := azcosmos.ClientOptions{}
	if options != nil {
		c = *options
	}
	c.PerCallPolicies = slices.Clone(c.PerCallPolicies)
	c.PerRetryPolicies = slices.Clone(c.PerRetryPolicies)
	c.PreferredRegions = slices.Clone(c.PreferredRegions)
	return &c
}
