package regioncache

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// Region is one region of the account. It is immutable.
type Region struct {
	// Name as the account document spells it, "East US".
	Name string
	// Scheme and Host of the region's endpoint.
	Scheme, Host string
	// Readable and Writable tell which list of the account document has it.
	Readable, Writable bool

	key  string // the name in the form that names are compared in
	addr string // the host in the form that hosts are compared in
}

// Target is the region as an attempt goes to it; that of a nil region leaves the
// host as the client chose it.
func (r *Region) Target() attempt.Target {
	if r == nil {
		return attempt.Target{}
	}
	return attempt.Target{Region: r.Name, Scheme: r.Scheme, Host: r.Host}
}

// Endpoint is the region's URL, "https://acct-eastus.documents.azure.com:443/".
func (r *Region) Endpoint() string { return r.Scheme + "://" + r.Host + "/" }

// regionKey is the form in which region names are compared: "East US",
// "eastus", "east-us" and "EAST_US" are one region, "East US 2" is another.
func regionKey(name string) string {
	return strings.ToLower(regionNoise.Replace(name))
}

var regionNoise = strings.NewReplacer(" ", "", "-", "", "_", "", "\t", "")

// topology is what an account document says.
type topology struct {
	readable   []*Region // account order
	writable   []*Region // account order; in a region of readable the same pointer
	multiWrite bool
	ppaf       bool
}

// accountDocument is the part of the answer to GET / that routing needs.
type accountDocument struct {
	WritableLocations            []accountLocation `json:"writableLocations"`
	ReadableLocations            []accountLocation `json:"readableLocations"`
	EnableMultipleWriteLocations bool              `json:"enableMultipleWriteLocations"`
	EnablePerPartitionFailover   bool              `json:"enablePerPartitionFailoverBehavior"`
}

type accountLocation struct {
	Name     string `json:"name"`
	Endpoint string `json:"databaseAccountEndpoint"`
}

// maxRegions is far more than an account can have; a document that lists more
// is not an account.
const maxRegions = 256

// parseAccount reads an account document that was asked for over the given
// scheme. It is pure.
func parseAccount(document []byte, scheme string) (topology, error) {
	var doc accountDocument
	if err := json.Unmarshal(document, &doc); err != nil {
		return topology{}, fmt.Errorf("account document is not the JSON of an account: %w", err)
	}
	if n := len(doc.ReadableLocations) + len(doc.WritableLocations); n > maxRegions {
		return topology{}, fmt.Errorf("account document lists %d locations: want at most %d", n, maxRegions)
	}
	t := topology{multiWrite: doc.EnableMultipleWriteLocations, ppaf: doc.EnablePerPartitionFailover}
	known := map[string]*Region{}
	var err error
	if t.readable, err = parseLocations("readableLocations", doc.ReadableLocations, scheme, known); err != nil {
		return topology{}, err
	}
	if t.writable, err = parseLocations("writableLocations", doc.WritableLocations, scheme, known); err != nil {
		return topology{}, err
	}
	for _, r := range t.readable {
		r.Readable = true
	}
	for _, r := range t.writable {
		r.Writable = true
	}
	if len(t.readable) == 0 {
		t.readable = t.writable
	}
	if len(t.writable) == 0 {
		t.writable = t.readable[:min(1, len(t.readable))]
	}
	if len(t.readable) == 0 {
		return topology{}, errors.New("account document has no regions: want readableLocations and writableLocations with a name and a databaseAccountEndpoint each")
	}
	return t, nil
}

func parseLocations(field string, locations []accountLocation, scheme string, known map[string]*Region) ([]*Region, error) {
	var regions []*Region
	listed := map[string]bool{}
	for i, l := range locations {
		where := fmt.Sprintf("account document: %s[%d]", field, i)
		key := regionKey(l.Name)
		if key == "" || l.Endpoint == "" {
			// So the service lists a region that it is just taking away or adding.
			// The others must work then more than ever.
			continue
		}
		u, err := parseEndpoint(where+".databaseAccountEndpoint", l.Endpoint)
		if err != nil {
			return nil, err
		}
		if u.Scheme != "https" && scheme == "https" {
			// A signed request in the clear would give its signature away.
			return nil, fmt.Errorf("%s.databaseAccountEndpoint %q has the scheme %q: want https, as the account endpoint has", where, l.Endpoint, u.Scheme)
		}
		if listed[key] {
			continue
		}
		listed[key] = true
		r := known[key]
		if r == nil {
			r = &Region{Name: l.Name, Scheme: u.Scheme, Host: u.Host, key: key, addr: hostPort(u.Scheme, u.Host)}
			known[key] = r
		}
		regions = append(regions, r)
	}
	return regions, nil
}
