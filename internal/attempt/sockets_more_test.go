package attempt_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// TestProxiesThatRefuseAreNotSent: no request goes through a proxy that does not
// open the way.
func TestProxiesThatRefuseAreNotSent(t *testing.T) {
	for name, c := range map[string]struct {
		proxy func(net.Conn)
		want  outcome
	}{
		"that wants a password": {func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
			_ = c.Close()
		}, outcome{attempt.Failed, false, true}},
		"that hangs up": {func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			hangUp(c)
		}, outcome{attempt.Failed, false, true}},
	} {
		f := fault{method: "POST", body: `{}`, want: c.want, client: func(t *testing.T) (*http.Client, string) {
			client, proxy := newTransport(t, nil, nil), "http://"+listen(t, c.proxy)
			client.Transport.(*http.Transport).Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy) }
			return client, "https://acct.documents.invalid"
		}}
		t.Run(name, f.check)
	}
}

// TestRequestsThatWaitForAConnectionAreNotSent: the pool has none to spare.
func TestRequestsThatWaitForAConnectionAreNotSent(t *testing.T) {
	f := fault{method: "POST", body: `{}`, timeout: short, want: outcome{attempt.TimedOut, false, false}}
	f.client = func(t *testing.T) (*http.Client, string) {
		arrived := make(chan struct{}, 1)
		client, endpoint := serve(t, "HTTP/1.1", func(w http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			<-r.Context().Done()
		})
		client.Transport.(*http.Transport).MaxConnsPerHost = 1
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endpoint, nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = client.Do(req) }()
		<-arrived
		return client, endpoint
	}
	f.check(t)
}
