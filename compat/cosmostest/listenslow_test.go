package cosmostest

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"
)

// TestListenSlowBody: over a connection, too, the headers come at once and the body trickles in.
func TestListenSlowBody(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			acct, client := listening(t, p.options)
			noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a", "text": strings.Repeat("x", 1000)}))
			acct.SetFaults(Fault{Region: "*", Bandwidth: 20_000})
			start := time.Now()
			resp, err := signed(t, acct, client, "GET", acct.RegionEndpoint("East US")+"dbs/db/colls/c/docs/1", keyA, nil)
			noError(t, err)
			body, err := io.ReadAll(resp.Body)
			noError(t, err)
			if took := time.Since(start); int64(len(body)) != resp.ContentLength || len(body) < 1000 || took < 50*time.Millisecond {
				t.Errorf("%d of %d bytes in %v", len(body), resp.ContentLength, took)
			}
		})
	}
}

// TestListenStreamReset: an HTTP/2 connection outlives the reset of one of its streams, and no GOAWAY.
func TestListenStreamReset(t *testing.T) {
	acct, client := listening(t, nil)
	url := acct.RegionEndpoint("East US") + "dbs/db/colls/c/docs/1"
	reused := func(f ...Fault) bool {
		t.Helper()
		acct.SetFaults(f...)
		if resp, err := signed(t, acct, client, "GET", url, keyA, nil); (err == nil) != (len(f) == 0) {
			t.Fatalf("error %v", err)
		} else if err == nil {
			drain(resp)
		}
		acct.SetFaults()
		again := false
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { again = info.Reused }}
		req, _ := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "GET", url, nil)
		req.Header.Set(headerPartitionKey, `["a"]`)
		noError(t, acct.Sign(req))
		resp, err := client.Do(req)
		noError(t, err)
		drain(resp)
		return again
	}
	if !reused() || !reused(Fault{Transport: StreamReset}) || reused(Fault{Transport: GoAway}) {
		t.Error("a stream's reset took the connection with it, or a GOAWAY did not")
	}
}
