package cosmostest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// oneContainer is an account with the container db/c, partitioned by /pk.
func oneContainer() *Config {
	return &Config{Containers: []Container{{Database: "db", ID: "c"}}}
}

// newClient is an azcosmos client that tries once.
func newClient(t testing.TB, a *Account, transport policy.Transporter) *azcosmos.Client {
	t.Helper()
	cred, err := azcosmos.NewKeyCredential(DefaultKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(a.Endpoint(), cred, &azcosmos.ClientOptions{
		ClientOptions: azcore.ClientOptions{Transport: transport, Retry: policy.RetryOptions{MaxRetries: -1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newContainerClient(t testing.TB, a *Account, transport policy.Transporter) *azcosmos.ContainerClient {
	t.Helper()
	c, err := newClient(t, a, transport).NewContainer("db", "c")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantStatus fails the test unless err is a service error with this status.
func wantStatus(t testing.TB, err error, status int) *azcore.ResponseError {
	t.Helper()
	respErr, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok || respErr.StatusCode != status {
		t.Fatalf("error is %v, want status %d", err, status)
	}
	return respErr
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	body, err := json.Marshal(v)
	noError(t, err)
	return body
}

// property reads one property of a JSON object.
func property(t testing.TB, body []byte, name string) any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return doc[name]
}

// signed is a signed request, sent as it is.
func signed(t testing.TB, a *Account, transport policy.Transporter, method, url string, header map[string]string, body []byte) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bodyReader(body))
	noError(t, err)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	noError(t, a.Sign(req))
	return transport.Do(req)
}

func bodyReader(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}
