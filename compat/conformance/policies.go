package conformance

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// everything is azcosmos with the policies that a case asks for.
var everything = stack{install: installPolicies, scope: scopeOperation}

// silent keeps what the policies tell an operator out of the test's output.
var silent = slog.New(slog.DiscardHandler)

// installPolicies installs all of them, or those that the case lists.
func installPolicies(spec *clientSpec, endpoint string, credential azcosmos.KeyCredential, options *azcosmos.ClientOptions) error {
	settings, err := spec.parseSettings()
	if err != nil {
		return err
	}
	reader := compat.KeyAccountReader(credential, options)
	if spec.Policies == nil {
		_, err = policies.Install(options, endpoint, &policies.Options{Settings: settings, Account: reader, Logger: silent})
		return err
	}
	cacheOptions := settings.CacheOptions()
	cacheOptions.Account, cacheOptions.Logger = reader, silent
	if cacheOptions.PreferredRegions == nil {
		cacheOptions.PreferredRegions = spec.Preferred
	}
	cache, err := regioncache.New(endpoint, cacheOptions)
	if err != nil {
		return err
	}
	for _, name := range spec.Policies {
		chosen, err := newPolicy(name, cache, settings)
		if err != nil {
			return err
		}
		options.PerRetryPolicies = append(options.PerRetryPolicies, chosen)
	}
	return nil
}

// newPolicy makes the policy of that name, one of knownPolicies.
func newPolicy(name string, cache *regioncache.Cache, settings *policies.Settings) (policy.Policy, error) {
	switch name {
	case "failover":
		return failover.New(cache, settings.FailoverOptions())
	case "session":
		return session.New(cache, settings.SessionOptions())
	default:
		return throttle.New(settings.ThrottleOptions())
	}
}

// parseSettings reads the settings of the case and adds the regions that its client excludes.
func (c *clientSpec) parseSettings() (*policies.Settings, error) {
	document := c.Settings
	if document == nil {
		document = json.RawMessage("{}")
	}
	settings, err := policies.ParseSettings(document)
	if err != nil {
		return nil, err
	}
	settings.Regions.Excluded = append(settings.Regions.Excluded, c.Excluded...)
	return settings, nil
}

// scopeOperation puts what the step asks of the policies into the context.
func scopeOperation(ctx context.Context, step *stepSpec) context.Context {
	ctx = regioncache.WithExcludedRegions(ctx, step.Excluded...)
	if step.WriteRetry != nil {
		ctx = policies.WithWriteRetry(ctx, *step.WriteRetry)
	}
	return ctx
}
