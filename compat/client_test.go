package compat_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// constructor is any of the ways to make a client.
type constructor func(endpoint string, o *azcosmos.ClientOptions, p *policies.Options) (*azcosmos.Client, error)

func constructors(t *testing.T) map[string]constructor {
	return map[string]constructor{
		"key": func(endpoint string, o *azcosmos.ClientOptions, p *policies.Options) (*azcosmos.Client, error) {
			return compat.NewClientWithKey(endpoint, newKey(t), o, p)
		},
		"token": func(endpoint string, o *azcosmos.ClientOptions, p *policies.Options) (*azcosmos.Client, error) {
			return compat.NewClient(endpoint, new(tokens), o, p)
		},
		"connection string": func(endpoint string, o *azcosmos.ClientOptions, p *policies.Options) (*azcosmos.Client, error) {
			return compat.NewClientFromConnectionString("AccountEndpoint="+endpoint+";AccountKey="+cosmostest.DefaultKey, o, p)
		},
	}
}

// works sends one read through a region that fails.
func works(t *testing.T, acct *cosmostest.Account, cl *azcosmos.Client) {
	t.Helper()
	c, err := cl.NewContainer("db", "c")
	noError(t, err)
	acct.SetFaults(cosmostest.Fault{Region: east, Status: 503})
	acct.ResetLog()
	noError(t, read(t.Context(), c))
	wantVisits(t, acct, east, west)
}

func TestConstructorsMakeClientsThatFailOver(t *testing.T) {
	for name, construct := range constructors(t) {
		for options, p := range map[string]*policies.Options{"nil": nil, "zero": {}, "settings": {Settings: new(policies.Settings)}} {
			t.Run(name+" with "+options, func(t *testing.T) {
				acct := newAccount(t, nil)
				cl, err := construct(acct.Endpoint(), client{}.options(acct), p)
				noError(t, err)
				if cl.Endpoint() != acct.Endpoint() {
					t.Errorf("the client's endpoint is %q", cl.Endpoint())
				}
				works(t, acct, cl)
			})
		}
	}
}

// TestConstructorsTakeNoOptions: nil and zero options mean the defaults, and
// nothing is sent.
func TestConstructorsTakeNoOptions(t *testing.T) {
	for name, construct := range constructors(t) {
		for _, o := range []*azcosmos.ClientOptions{nil, {}} {
			if cl, err := construct("https://acct.documents.azure.com:443/", o, nil); cl == nil || err != nil {
				t.Errorf("%s: got %v, %v", name, cl, err)
			}
		}
	}
}

// TestConstructorsChangeNothingOfTheCallers: neither the options nor what their
// slices have room for, so that one value makes many clients.
func TestConstructorsChangeNothingOfTheCallers(t *testing.T) {
	pass := policyFunc(func(req *policy.Request) (*http.Response, error) { return req.Next() })
	room := func() []policy.Policy { return append(make([]policy.Policy, 0, 8), pass) }
	for name, construct := range constructors(t) {
		acct := newAccount(t, nil)
		o := client{}.options(acct)
		o.PerCallPolicies, o.PerRetryPolicies = room(), room()
		o.PreferredRegions = append(make([]string, 0, 8), east, west)
		o.Telemetry.ApplicationID = "orders"
		p := &policies.Options{Settings: new(policies.Settings)}
		before, settings := *o, *p.Settings
		for range 3 {
			cl, err := construct(acct.Endpoint(), o, p)
			noError(t, err)
			works(t, acct, cl)
		}
		if len(o.PerCallPolicies) != 1 || len(o.PerRetryPolicies) != 1 || len(o.PreferredRegions) != 2 ||
			o.Telemetry != before.Telemetry || o.Transport != before.Transport || !reflect.DeepEqual(o.Retry, before.Retry) {
			t.Errorf("%s: the options are %+v now", name, o)
		}
		for _, list := range [][]policy.Policy{o.PerCallPolicies[:8], o.PerRetryPolicies[:8]} {
			for _, p := range list[1:] {
				if p != nil {
					t.Errorf("%s: %T was written behind the end of the caller's list", name, p)
				}
			}
		}
		if p.Account != nil || !reflect.DeepEqual(*p.Settings, settings) {
			t.Errorf("%s: the policies' options are %+v now", name, p)
		}
	}
}

// TestConstructorsKeepTheirRegions: a list that the caller changes later is not
// the client's.
func TestConstructorsKeepTheirRegions(t *testing.T) {
	acct := newAccount(t, nil)
	o := client{}.options(acct)
	o.PreferredRegions = []string{west, east}
	cl, err := compat.NewClientWithKey(acct.Endpoint(), newKey(t), o, nil)
	noError(t, err)
	o.PreferredRegions[0] = north
	c, err := cl.NewContainer("db", "c")
	noError(t, err)
	noError(t, read(t.Context(), c))
	wantVisits(t, acct, west)
}

// installed is an observer that keeps the set it is installed in.
type installed struct{ set *policies.Set }

func (*installed) Observe(context.Context, policies.Event) {}
func (i *installed) Installed(set *policies.Set)           { i.set = set }

// TestConstructorsKeepTheirRegionsForLaterSettings: settings that are applied
// later and name no regions go back to the list that the client was made with.
func TestConstructorsKeepTheirRegionsForLaterSettings(t *testing.T) {
	for name, construct := range constructors(t) {
		acct := newAccount(t, nil)
		o := client{}.options(acct)
		o.PreferredRegions = []string{west, east}
		observer := new(installed)
		cl, err := construct(acct.Endpoint(), o, &policies.Options{Observers: []policies.Observer{observer}})
		noError(t, err)
		o.PreferredRegions[0] = north
		noError(t, observer.set.Apply(nil))
		c, err := cl.NewContainer("db", "c")
		noError(t, err)
		noError(t, read(t.Context(), c))
		if got := visits(acct); !slices.Equal(got, []string{west}) {
			t.Errorf("%s: the requests went to %q", name, got)
		}
	}
}

// TestConstructorsRefuseWhatIsNoEndpoint: with an error that says which and what
// is allowed, and without a secret in it.
func TestConstructorsRefuseWhatIsNoEndpoint(t *testing.T) {
	for name, construct := range constructors(t) {
		for _, endpoint := range []string{
			"", " ", "acct", "acct.documents.azure.com", "ftp://acct.documents.azure.com", "https://", "https://:443/", "://acct", "%zz",
			"https://user:swordfish@acct.documents.azure.com", "ftp://user:swordfish@acct.documents.azure.com", "https://user:swordfish@/",
			"https://acct.documents.azure.com/?sig=swordfish", "https://acct.documents.azure.com/#swordfish",
			"AccountEndpoint=https://acct.documents.azure.com;AccountKey=swordfish", "AccountKey=swordfish",
		} {
			if name == "connection string" && strings.ContainsAny(endpoint, ";=") {
				continue // another connection string
			}
			cl, err := construct(endpoint, nil, nil)
			if cl != nil || err == nil || !strings.Contains(err.Error(), "endpoint") && !strings.Contains(err.Error(), "AccountEndpoint") {
				t.Errorf("%s: %q makes %v, %v", name, endpoint, cl, err)
			}
			if err != nil && strings.Contains(err.Error(), "swordfish") {
				t.Errorf("%s: %q: the error tells the secret: %v", name, endpoint, err)
			}
		}
	}
}

// TestConstructorsRefuseSettingsThatMakeNoSense: and name the field.
func TestConstructorsRefuseSettingsThatMakeNoSense(t *testing.T) {
	settings := new(policies.Settings)
	settings.Failover.MaxRetries = 1 << 20
	for name, construct := range constructors(t) {
		_, err := construct("https://acct.documents.azure.com", nil, &policies.Options{Settings: settings})
		if err == nil || !strings.Contains(err.Error(), "failover.maxRetries") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestConnectionStrings: parts in any order and case, others ignored.
func TestConnectionStrings(t *testing.T) {
	const endpoint, accountKey = "https://acct.documents.azure.com:443/", cosmostest.DefaultKey
	for name, c := range map[string]struct{ s, fails string }{
		"as the portal gives it":  {"AccountEndpoint=" + endpoint + ";AccountKey=" + accountKey + ";", ""},
		"without the last ;":      {"AccountEndpoint=" + endpoint + ";AccountKey=" + accountKey, ""},
		"the other way round":     {"AccountKey=" + accountKey + ";AccountEndpoint=" + endpoint, ""},
		"lower case":              {"accountendpoint=" + endpoint + ";accountkey=" + accountKey, ""},
		"upper case":              {"ACCOUNTENDPOINT=" + endpoint + ";ACCOUNTKEY=" + accountKey, ""},
		"blanks and line breaks":  {" AccountEndpoint = " + endpoint + " ;\n AccountKey = " + accountKey + "\n", ""},
		"with other parts":        {"AccountEndpoint=" + endpoint + ";Database=db;AccountKey=" + accountKey + ";;x", ""},
		"empty":                   {"", "AccountEndpoint"},
		"no endpoint":             {"AccountKey=" + accountKey, "AccountEndpoint"},
		"no key":                  {"AccountEndpoint=" + endpoint, "AccountKey"},
		"empty key":               {"AccountEndpoint=" + endpoint + ";AccountKey=;", "AccountKey"},
		"empty endpoint":          {"AccountEndpoint=;AccountKey=" + accountKey, "AccountEndpoint"},
		"bad endpoint":            {"AccountEndpoint=acct;AccountKey=" + accountKey, "endpoint"},
		"key that is not base64":  {"AccountEndpoint=" + endpoint + ";AccountKey=sword!fish", "AccountKey"},
		"name that only ends so":  {"AccountEndpoint=" + endpoint + ";MyAccountKey=" + accountKey, "AccountKey"},
		"endpoint without a name": {endpoint + ";AccountKey=" + accountKey, "AccountEndpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			cl, err := compat.NewClientFromConnectionString(c.s, nil, nil)
			switch {
			case c.fails == "" && (err != nil || cl.Endpoint() != endpoint):
				t.Errorf("got %v, %v", cl, err)
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("got %v, want an error with %q", err, c.fails)
			}
			if err != nil && (strings.Contains(err.Error(), accountKey) || strings.Contains(err.Error(), "sword")) {
				t.Errorf("the error tells the key: %v", err)
			}
		})
	}
}

// TestClientsRefreshWithTheirOwnCredential: what an account read needs is there
// without a word from the caller.
func TestClientsRefreshWithTheirOwnCredential(t *testing.T) {
	for name, construct := range constructors(t) {
		t.Run(name, func(t *testing.T) {
			acct := newAccount(t, nil)
			cl, err := construct(acct.Endpoint(), client{}.options(acct), nil)
			noError(t, err)
			c, err := cl.NewContainer("db", "c")
			noError(t, err)
			warmUp(t, acct, c)
			noError(t, acct.Update(func(config *cosmostest.Config) error {
				config.WriteRegions = []string{west}
				return nil
			}))
			noError(t, operations["upsert"](t.Context(), c))
			wantVisits(t, acct, east, west)
		})
	}
}

// TestErrorsReachTheCaller: errors.As finds in what azcosmos returns what it
// found without the policies.
func TestErrorsReachTheCaller(t *testing.T) {
	acct := newAccount(t, nil)
	c := client{}.container(t, acct)
	warmUp(t, acct, c)
	acct.SetFaults(answered(404, 0))
	if answer, ok := errors.AsType[*azcore.ResponseError](read(t.Context(), c)); !ok || answer.StatusCode != 404 {
		t.Errorf("got %v", answer)
	}
	acct.SetFaults(broken(cosmostest.DNS))
	if got := chainOf(read(t.Context(), c)); got != (chain{ours: true, op: true, dns: true}) {
		t.Errorf("got %+v", got)
	}
	acct.SetFaults(broken(cosmostest.Refused))
	if got := chainOf(read(t.Context(), c)); got != (chain{ours: true, op: true}) {
		t.Errorf("got %+v", got)
	}
	acct.SetFaults(answered(410, 0))
	if got := chainOf(read(t.Context(), c)); got != (chain{ours: true, response: true}) {
		t.Errorf("got %+v", got)
	}
}
