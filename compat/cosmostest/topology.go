package cosmostest

import (
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

// globalName is what the log and the faults call the global endpoint.
const globalName = "global"

// unknownName is what the log calls a host that is no part of the account.
const unknownName = "?"

// regionKey is a region name as it is compared: "East US", "eastus" and "east-us" are one region.
func regionKey(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// topology is an immutable snapshot of what the account is at one moment. Update publishes a new one.
type topology struct {
	raw       Config // as the caller wrote it, defaults not filled in: what the next Update starts from
	cfg       Config // effective
	key       []byte
	hub       string            // the first write region
	readable  map[string]bool   // by region key
	writable  map[string]bool   // by region key
	names     map[string]string // region key → name, of every region the account ever had, and "global"
	endpoints map[string]string // region key → URL with a trailing slash
	hosts     map[string]string // host:port → name
	sites     map[string]int    // region key → index in the store, of every region the account ever had
	documents []document        // the bodies of the account read, the latest last
}

// document is a body of the account read, and from when on it is told.
type document struct {
	from time.Time
	body []byte
}

// newTopology builds the snapshot for raw. Regions of previous that raw has no more stay reachable, as the service's
// do: they answer that the account is not there. listening overrides endpoints by region key. Account reads tell it from
// the given time on.
func newTopology(raw Config, previous *topology, listening map[string]string, from time.Time) (*topology, error) {
	t := &topology{
		raw: raw.clone(), cfg: raw.withDefaults(),
		readable: map[string]bool{}, writable: map[string]bool{},
		names: map[string]string{}, endpoints: map[string]string{}, hosts: map[string]string{},
	}
	if err := t.cfg.validate(); err != nil {
		return nil, err
	}
	t.key, _ = base64.StdEncoding.DecodeString(t.cfg.Key) // validated above
	t.hub = t.cfg.WriteRegions[0]
	if previous != nil {
		maps.Copy(t.names, previous.names)
	}
	t.names[globalName] = globalName
	for _, name := range t.cfg.Regions {
		t.names[regionKey(name)] = name
		t.readable[regionKey(name)] = true
	}
	for _, name := range t.cfg.WriteRegions {
		t.writable[regionKey(name)] = true
	}
	t.addEndpoints(listening)
	if previous != nil {
		t.documents = slices.DeleteFunc(slices.Clone(previous.documents), func(d document) bool { return !d.from.Before(from) })
	}
	t.documents = append(t.documents, document{from, t.accountJSON()})
	return t, nil
}

// told is the body of an account read at a time.
func (t *topology) told(now time.Time) []byte {
	i := len(t.documents) - 1
	for i > 0 && t.documents[i].from.After(now) {
		i--
	}
	return t.documents[i].body
}

// site is the index of the region whose copy of the data serves a request that came in at name; noSite for none.
func (t *topology) site(name string) int {
	if site, ok := t.sites[t.replica(name)]; ok {
		return site
	}
	return noSite
}

func (t *topology) addEndpoints(listening map[string]string) {
	for key, name := range t.names {
		host := t.cfg.Name + "-" + key + ".documents.azure.com:443"
		if key == globalName {
			host = t.cfg.Name + ".documents.azure.com:443"
		}
		t.hosts[host] = name
		t.endpoints[key] = "https://" + host + "/"
		if u, ok := listening[key]; ok {
			t.endpoints[key] = u
			t.hosts[strings.TrimSuffix(strings.SplitAfterN(u, "//", 2)[1], "/")] = name
		}
	}
}

// locate tells which region a URL belongs to. reachable is false for a name that resolves but a port or scheme on which
// nothing listens.
func (t *topology) locate(u *url.URL) (name string, reachable bool) {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	host := strings.ToLower(u.Hostname())
	if name, ok := t.hosts[host+":"+port]; ok {
		return name, strings.HasPrefix(t.endpoints[regionKey(name)], u.Scheme+"://")
	}
	if name, ok := t.hosts[host+":443"]; ok {
		return name, false
	}
	return unknownName, false
}

// replica is the region whose copy of the data serves a request that came in at name: the global endpoint is the hub's.
func (t *topology) replica(name string) string {
	if name == globalName {
		return regionKey(t.hub)
	}
	return regionKey(name)
}

// multi reports whether items can be written in more than one region at a time.
func (t *topology) multi() bool { return t.cfg.MultiWrite || len(t.cfg.WriteRegions) > 1 }
