package bench

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
)

const (
	endpoint = "https://acct.documents.azure.com:443/"
	key      = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
)

var (
	account = []byte(`{"id":"acct",` +
		`"writableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"}],` +
		`"readableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"},` +
		`{"name":"West US","databaseAccountEndpoint":"https://acct-westus.documents.azure.com:443/"},` +
		`{"name":"North Europe","databaseAccountEndpoint":"https://acct-northeurope.documents.azure.com:443/"}],` +
		`"enableMultipleWriteLocations":false,"enablePerPartitionFailoverBehavior":false,` +
		`"userConsistencyPolicy":{"defaultConsistencyLevel":"Session"}}`)
	item = []byte(`{"id":"item","pk":"a","value":42,"_rid":"qIAXAMMeS2ABAAAAAAAAAA==","_etag":"\"00000000-0000-0000-0000-000000000001\"","_ts":1700000000}`)
)

// memory answers every request with success. It does for both sides what a
// transport must, and no more: it reads the request's body to its end, and each
// answer has a header and a body of its own.
type memory struct{}

func (memory) Do(req *http.Request) (*http.Response, error) {
	status, document := http.StatusOK, item
	switch {
	case req.URL.Path == "" || req.URL.Path == "/":
		document = account
	case req.Method == http.MethodPost:
		status = http.StatusCreated
	}
	if req.Body != nil {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Content-Type":                        {"application/json"},
			"Etag":                                {`"00000000-0000-0000-0000-000000000001"`},
			"X-Ms-Activity-Id":                    {"5a0bc6a9-0c3c-4f4b-9d4b-0c2f5d9a2d0e"},
			"X-Ms-Alt-Content-Path":               {"dbs/db/colls/c"},
			"X-Ms-Content-Path":                   {"qIAXAMMeS2A="},
			"X-Ms-Documentdb-Partitionkeyrangeid": {"0"},
			"X-Ms-Request-Charge":                 {"1"},
			"X-Ms-Session-Token":                  {"0:-1#42"},
		},
		Body:          io.NopCloser(bytes.NewReader(document)),
		ContentLength: int64(len(document)),
		Request:       req,
	}, nil
}

// clientOptions are the same on both sides.
func clientOptions() *azcosmos.ClientOptions {
	return &azcosmos.ClientOptions{
		ClientOptions:    azcore.ClientOptions{Transport: memory{}},
		PreferredRegions: []string{"East US", "West US", "North Europe"},
	}
}

// newSides returns a container client of azcosmos alone, and one with all
// policies.
func newSides(tb testing.TB) [2]*azcosmos.ContainerClient {
	tb.Helper()
	cred, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		tb.Fatal(err)
	}
	bare, err := azcosmos.NewClientWithKey(endpoint, cred, clientOptions())
	if err != nil {
		tb.Fatal(err)
	}
	full, err := compat.NewClientWithKey(endpoint, cred, clientOptions(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	var sides [2]*azcosmos.ContainerClient
	for side, client := range []*azcosmos.Client{bare, full} {
		if sides[side], err = client.NewContainer("db", "c"); err != nil {
			tb.Fatal(err)
		}
	}
	return sides
}
