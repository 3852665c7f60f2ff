package cosmostest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Client returns a client that trusts the account's certificates and reaches it on its listeners, with connections of
// its own: HTTP/2 unless [ListenOptions] turned it off. Its dialer knows the account's faults, so that refused
// connections and unknown hosts look as they do over a network. Before [Account.Listen] it is an in-process client.
func (a *Account) Client() *http.Client {
	n := a.network.Load()
	if n == nil {
		return &http.Client{Transport: a.Transport()}
	}
	t := &http.Transport{
		DialContext:           a.dial,
		ForceAttemptHTTP2:     n.tls != nil && !n.opts.HTTP1Only,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	if n.tls != nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(a.CACertPEM())
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clients = append(a.clients, t)
	return &http.Client{Transport: t}
}

// forgetIdle makes the account's own clients close their idle connections. They learn of it anyway when the other side
// cuts them, but perhaps only after they have written the next request into one.
func (a *Account) forgetIdle() {
	a.mu.Lock()
	clients := a.clients
	a.mu.Unlock()
	for _, t := range clients {
		t.CloseIdleConnections()
	}
}

// dial connects to a listener unless a fault says otherwise.
func (a *Account) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if name, ok := a.top.Load().hosts[addr]; ok {
		if f := a.faults.Load().forConnection(name, a.store.now()); f != nil && f.Transport != TLS && f.take() {
			a.logConnection(name, f)
			return nil, f.Transport.error(addr)
		}
	}
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}
