package cosmostest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// pinned sends every request but the account read to one region, whatever the client wants.
type pinned struct {
	account *Account
	region  string
}

func (p pinned) Do(req *http.Request) (*http.Response, error) {
	if req.URL.Path != "" && req.URL.Path != "/" {
		u, err := url.Parse(p.account.RegionEndpoint(p.region))
		if err != nil {
			return nil, err
		}
		req = req.Clone(req.Context())
		req.URL.Host, req.Host = u.Host, u.Host
	}
	return p.account.Transport().Do(req)
}

// session is a client that talks to one region, in a test.
type session struct {
	t      *testing.T
	acct   *Account
	region string
}

// in is a client for container db/c in one region.
func in(t *testing.T, acct *Account, region string) session { return session{t, acct, region} }

// c is a new client each time: azcosmos 1.4.1 has data races when it is used for more than five minutes, which are over
// soon in virtual time.
func (s session) c() *azcosmos.ContainerClient {
	s.t.Helper()
	return newContainerClient(s.t, s.acct, pinned{s.acct, s.region})
}

var pkA = azcosmos.NewPartitionKeyString("a")

// create writes an item with partition key "a" and returns the session token of the answer.
func (s session) create(id string) string {
	s.t.Helper()
	resp, err := s.c().CreateItem(s.t.Context(), pkA, mustJSON(s.t, map[string]any{"id": id, "pk": "a"}), nil)
	noError(s.t, err)
	return *resp.SessionToken
}

// upsert writes an item with partition key "a" and a number in it.
func (s session) upsert(id string, n int) string {
	s.t.Helper()
	resp, err := s.c().UpsertItem(s.t.Context(), pkA, mustJSON(s.t, map[string]any{"id": id, "pk": "a", "n": n}), nil)
	noError(s.t, err)
	return *resp.SessionToken
}

// read returns the item's number, or the status and sub-status of the error.
func (s session) read(id, token string, level azcosmos.ConsistencyLevel) (n, status, subStatus int) {
	s.t.Helper()
	o := &azcosmos.ItemOptions{}
	if token != "" {
		o.SessionToken = &token
	}
	if level != "" {
		o.ConsistencyLevel = &level
	}
	resp, err := s.c().ReadItem(s.t.Context(), pkA, id, o)
	if err != nil {
		status, subStatus = statusOf(s.t, err)
		return 0, status, subStatus
	}
	var doc struct{ N int }
	noError(s.t, json.Unmarshal(resp.Value, &doc))
	return doc.N, http.StatusOK, 0
}

// want fails the test unless reading the item gives this status.
func (s session) want(what, id, token string, level azcosmos.ConsistencyLevel, status, subStatus int) {
	s.t.Helper()
	if _, got, sub := s.read(id, token, level); got != status || sub != subStatus {
		s.t.Errorf("%s: read of %q with token %q and level %q: %d/%d, want %d/%d", what, id, token, level, got, sub, status, subStatus)
	}
}

// statusOf is the status and sub-status of a service error.
func statusOf(t testing.TB, err error) (status, subStatus int) {
	t.Helper()
	if err == nil {
		return http.StatusOK, 0
	}
	respErr, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok {
		t.Fatalf("%v is no service error", err)
	}
	sub, _ := strconv.Atoi(respErr.RawResponse.Header.Get(headerSubStatus))
	return respErr.StatusCode, sub
}

var _ policy.Transporter = pinned{}

func statusText(status, subStatus int) string {
	return strconv.Itoa(status) + "/" + strconv.Itoa(subStatus)
}

// documents are the items in the body of a feed.
func documents(t testing.TB, resp *http.Response) []map[string]any {
	t.Helper()
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified {
		return nil
	}
	var body struct{ Documents, Conflicts []map[string]any }
	noError(t, json.NewDecoder(resp.Body).Decode(&body))
	return append(body.Documents, body.Conflicts...)
}

func readBody(t testing.TB, resp *http.Response) []byte {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	noError(t, err)
	return body
}
