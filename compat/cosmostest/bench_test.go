package cosmostest

import (
	"net/http"
	"testing"
)

// BenchmarkRead is a point read in process, signature check included.
func BenchmarkRead(b *testing.B) {
	acct := New(b, &Config{LogLimit: -1, Containers: oneContainer().Containers})
	noError(b, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"}))
	req, err := http.NewRequestWithContext(b.Context(), "GET", docURL, nil)
	noError(b, err)
	req.Header.Set(headerPartitionKey, `["a"]`)
	noError(b, acct.Sign(req))
	transport := acct.Transport()
	b.ReportAllocs()
	for b.Loop() {
		resp, err := transport.Do(req)
		if err != nil || resp.StatusCode != 200 {
			b.Fatal(resp, err)
		}
	}
}
