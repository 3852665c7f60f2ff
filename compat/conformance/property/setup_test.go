package property

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// sabotage breaks the stack on purpose, for the tests of the properties themselves. It leaves account reads and the
// operation that warms a client up alone.
type sabotage struct {
	transport func(next policy.Transporter, req *http.Request) (*http.Response, error)
	// outer stands outside of the policies, inner between them and the transport.
	outer, inner func(*policy.Request) (*http.Response, error)
}

// Do implements [policy.Transporter] with the sabotage.
func (p *player) Do(req *http.Request) (*http.Response, error) {
	if !p.live || req.URL.Path == "" || req.URL.Path == "/" {
		return p.recorder.Do(req)
	}
	return p.broken.transport(p.recorder, req)
}

// breaks is a policy of the sabotage.
func (p *player) breaks(do func(*policy.Request) (*http.Response, error)) policy.Policy {
	return policyFunc(func(req *policy.Request) (*http.Response, error) {
		if path := req.Raw().URL.Path; !p.live || path == "" || path == "/" {
			return req.Next()
		}
		return do(req)
	})
}

type policyFunc func(*policy.Request) (*http.Response, error)

func (f policyFunc) Do(req *policy.Request) (*http.Response, error) { return f(req) }

// newPlayer builds the account and the client of a world. It belongs into a bubble.
func newPlayer(w *world, broken sabotage) (*player, error) {
	account, err := cosmostest.NewAccount(&cosmostest.Config{
		Regions: w.account.regions, WriteRegions: w.account.write, MultiWrite: w.account.multi, PPAF: w.account.ppaf,
		Containers: []cosmostest.Container{{Database: databaseID, ID: containerID, Partitions: 2}},
	})
	if err != nil {
		return nil, err
	}
	p := &player{world: w, account: account, capture: &capture{bodies: map[string][]byte{}}, broken: broken, began: time.Now()}
	p.recorder = &recorder{next: account.Transport(), shape: w.account}
	credential, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		return nil, err
	}
	options := &azcosmos.ClientOptions{PreferredRegions: w.client.preferred}
	options.Transport = p.recorder
	reader := compat.KeyAccountReader(credential, options)
	if broken.transport != nil {
		options.Transport = p
	}
	options.PerCallPolicies = []policy.Policy{p.capture}
	if broken.outer != nil {
		options.PerCallPolicies = append(options.PerCallPolicies, p.breaks(broken.outer))
	}
	if err := w.install(account.Endpoint(), options, reader); err != nil {
		return nil, err
	}
	if broken.inner != nil {
		options.PerRetryPolicies = append(options.PerRetryPolicies, p.breaks(broken.inner))
	}
	return p, p.connect(credential, options)
}

func (p *player) connect(credential azcosmos.KeyCredential, options *azcosmos.ClientOptions) (err error) {
	if p.client, err = azcosmos.NewClientWithKey(p.account.Endpoint(), credential, options); err != nil {
		return err
	}
	if p.database, err = p.client.NewDatabase(databaseID); err != nil {
		return err
	}
	p.pipeline = runtime.NewPipeline("property", "v1.0.0", runtime.PipelineOptions{}, &options.ClientOptions)
	p.container, err = p.database.NewContainer(containerID)
	return err
}

// install puts the policies into the options, as the world's client wants them.
func (w *world) install(endpoint string, options *azcosmos.ClientOptions, reader regioncache.AccountReader) error {
	settings := w.settings
	settings.Regions.Excluded = w.client.excluded
	quiet := slog.New(slog.DiscardHandler)
	if w.client.order == nil {
		_, err := policies.Install(options, endpoint, &policies.Options{Settings: &settings, Account: reader, Logger: quiet})
		return err
	}
	cacheOptions := settings.CacheOptions()
	cacheOptions.Account, cacheOptions.Logger, cacheOptions.PreferredRegions = reader, quiet, w.client.preferred
	cache, err := regioncache.New(endpoint, cacheOptions)
	if err != nil {
		return err
	}
	for _, name := range w.client.order {
		var p policy.Policy
		switch name {
		case "failover":
			p, err = failover.New(cache, settings.FailoverOptions())
		case "session":
			p, err = session.New(cache, settings.SessionOptions())
		default:
			p, err = throttle.New(settings.ThrottleOptions())
		}
		if err != nil {
			return err
		}
		options.PerRetryPolicies = append(options.PerRetryPolicies, p)
	}
	return nil
}
