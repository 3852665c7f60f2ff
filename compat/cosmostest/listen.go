package cosmostest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
)

// ListenOptions say how an account listens. The zero value is TLS with HTTP/1.1 and HTTP/2 on free ports of 127.0.0.1.
type ListenOptions struct {
	// HTTP1Only turns HTTP/2 off.
	HTTP1Only bool
	// PlainHTTP turns TLS off, and HTTP/2 with it.
	PlainHTTP bool
	// Host is the address to listen on and to advertise. The default is "127.0.0.1".
	Host string
	// Port is that of the global endpoint; the regions follow in account order. The default, 0, takes free ports.
	Port int
}

// network is the account on real sockets.
type network struct {
	account *Account
	opts    ListenOptions
	tls     *tls.Config // nil: plain HTTP
	foreign *tls.Config // with a certificate that no client of the account trusts, for TLS faults
}

// Listen opens one listener per region and one for the global endpoint; from then on the account advertises their URLs.
// Pass nil to accept the default values. An account listens once. The in-process transport keeps working, with those
// URLs.
func (a *Account) Listen(o *ListenOptions) error {
	n := &network{account: a}
	if o != nil {
		n.opts = *o
	}
	if n.opts.Host == "" {
		n.opts.Host = "127.0.0.1"
	}
	if n.opts.Port < 0 || n.opts.Port > 65535 {
		return fmt.Errorf("cosmostest: ListenOptions.Port is %d; allowed: 0 to 65535", n.opts.Port)
	}
	if !n.opts.PlainHTTP {
		if err := n.makeTLS(); err != nil {
			return err
		}
	}
	if err := n.start(); err != nil {
		return err
	}
	return a.Update(func(*Config) error { return nil }) // advertise the new URLs
}

// start opens the gates of the regions that there are.
func (n *network) start() error {
	a := n.account
	defer a.administer()()
	if a.network.Load() != nil {
		return errors.New("cosmostest: Listen: the account listens already")
	}
	gates, err := n.open(nil, append([]string{globalName}, a.top.Load().cfg.Regions...))
	if err != nil {
		return err
	}
	a.setGates(gates)
	a.network.Store(n)
	return nil
}

// openGates opens the gates of regions that are new.
func (n *network) openGates(regions []string) error {
	defer n.account.administer()()
	gates, err := n.open(n.account.allGates(), regions)
	if err == nil {
		n.account.setGates(gates)
	}
	return err
}

// open opens the gates that names need and that are not in gates yet, and returns all of them. On an error, those it
// opened are closed again.
func (n *network) open(gates map[string]*gate, names []string) (map[string]*gate, error) {
	all := maps.Clone(gates)
	if all == nil {
		all = map[string]*gate{}
	}
	for _, name := range names {
		key := regionKey(name)
		if all[key] != nil {
			continue
		}
		port := 0
		if n.opts.Port != 0 {
			port = n.opts.Port + len(all)
		}
		g, err := n.openGate(name, net.JoinHostPort(n.opts.Host, strconv.Itoa(port)))
		if err != nil {
			for key, g := range all {
				if gates[key] == nil {
					g.close()
				}
			}
			return nil, fmt.Errorf("cosmostest: listen for %s: %w", name, err)
		}
		all[key] = g
	}
	return all, nil
}

// administer serializes what opens and closes sockets, without a mutex held across I/O. It returns the function that
// ends it.
func (a *Account) administer() (done func()) {
	a.admin <- struct{}{}
	return func() { <-a.admin }
}

func (a *Account) setGates(gates map[string]*gate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gates = gates
}

// allGates returns the map of gates, which is never changed.
func (a *Account) allGates() map[string]*gate {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gates
}

// listening returns the URL of every gate by region key; nil when the account does not listen.
func (a *Account) listening() map[string]string {
	gates := a.allGates()
	if gates == nil {
		return nil
	}
	urls := make(map[string]string, len(gates))
	for key, g := range gates {
		urls[key] = g.url()
	}
	return urls
}
