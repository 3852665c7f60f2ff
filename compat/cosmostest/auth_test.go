package cosmostest

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// otherKey is a key that no account has.
const otherKey = "bm90IHRoZSBrZXkgb2YgdGhpcyBhY2NvdW50"

func TestAuthorization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct, other := New(t, oneContainer()), New(t, &Config{Key: otherKey})
		for name, sign := range map[string]func(*http.Request){
			"unsigned":     func(*http.Request) {},
			"wrong key":    func(r *http.Request) { noError(t, other.Sign(r)) },
			"wrong date":   func(r *http.Request) { noError(t, acct.Sign(r)); r.Header.Set("x-ms-date", "yesterday") },
			"wrong verb":   func(r *http.Request) { noError(t, acct.Sign(r)); r.Method = "DELETE" },
			"wrong path":   func(r *http.Request) { noError(t, acct.Sign(r)); r.URL.Path += "1" },
			"no signature": func(r *http.Request) { r.Header.Set("Authorization", "type%3dmaster") },
			"unknown type": func(r *http.Request) { r.Header.Set("Authorization", "type=resource&ver=1.0&sig=x") },
		} {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", docURL, nil)
			req.Header.Set(headerPartitionKey, `["a"]`)
			sign(req)
			resp, err := acct.Transport().Do(req)
			noError(t, err)
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: status %d, want 401", name, resp.StatusCode)
			}
		}
	})
}

// fixedToken is a credential that always has the same token.
type fixedToken string

func (c fixedToken) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: string(c), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func TestTokens(t *testing.T) {
	for _, tc := range []struct {
		accepted []string
		want     int
	}{{nil, 404}, {[]string{"a", "b+/="}, 404}, {[]string{"a"}, 401}} {
		synctest.Test(t, func(t *testing.T) {
			acct := New(t, &Config{Tokens: tc.accepted, Containers: oneContainer().Containers})
			client, err := azcosmos.NewClient(acct.Endpoint(), fixedToken("b+/="), &azcosmos.ClientOptions{
				ClientOptions: azcore.ClientOptions{Transport: acct.Transport()},
			})
			noError(t, err)
			c, err := client.NewContainer("db", "c")
			noError(t, err)
			_, _ = c.ReadItem(t.Context(), azcosmos.NewPartitionKeyString("a"), "1", nil)
			synctest.Wait() // the client reads the account once more in the background
			if log := acct.Requests(); log[len(log)-1].Status != tc.want {
				t.Errorf("accepted %q: %v, want %d", tc.accepted, log, tc.want)
			}
		})
	}
}

// TestSignedLinks: ids that need escaping are signed as the official client signs them.
func TestSignedLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, &Config{Containers: []Container{{Database: "d b", ID: "sprocs"}}})
		c, err := newClient(t, acct, acct.Transport()).NewContainer("d b", "sprocs")
		noError(t, err)
		for _, id := range []string{"ä ö", "a%2Fb", "sprocs", "a+b&c=d", "docs"} {
			pk := azcosmos.NewPartitionKeyString("ü")
			body := mustJSON(t, map[string]string{"id": id, "pk": "ü"})
			if _, err := c.CreateItem(t.Context(), pk, body, nil); err != nil {
				t.Errorf("create %q: %v", id, err)
			}
			if read, err := c.ReadItem(t.Context(), pk, id, nil); err != nil || property(t, read.Value, "id") != id {
				t.Errorf("read %q: %v %s", id, err, read.Value)
			}
		}
	})
}
