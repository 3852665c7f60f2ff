package regioncache

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// locations writes a list of an account document: name, endpoint, name, endpoint, …
func locations(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf(`{"name": %q, "databaseAccountEndpoint": %q}`, pairs[i], pairs[i+1]))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func document(readable, writable, more string) string {
	return fmt.Sprintf(`{"id": "acct", "readableLocations": %s, "writableLocations": %s%s}`, readable, writable, more)
}

var bothRegions = locations(east, a, west, b)

const (
	a = "https://acct-eastus.documents.azure.com:443/"
	b = "https://acct-westus.documents.azure.com:443/"
)

var accounts = map[string]struct {
	document           string
	readable, writable string // "name host" of each
	multiWrite, ppaf   bool
}{
	"single-write": {document(bothRegions, locations(east, a), ""),
		"East US acct-eastus.documents.azure.com:443, West US acct-westus.documents.azure.com:443",
		"East US acct-eastus.documents.azure.com:443", false, false},
	"multi-write": {document(bothRegions, locations(west, b, east, a), `, "enableMultipleWriteLocations": true`),
		"East US acct-eastus.documents.azure.com:443, West US acct-westus.documents.azure.com:443",
		"West US acct-westus.documents.azure.com:443, East US acct-eastus.documents.azure.com:443", true, false},
	"PPAF": {document(locations(east, a), locations(east, a), `, "enablePerPartitionFailoverBehavior": true`),
		"East US acct-eastus.documents.azure.com:443", "East US acct-eastus.documents.azure.com:443", false, true},
	"only writable regions": {document("[]", locations(east, a), ""),
		"East US acct-eastus.documents.azure.com:443", "East US acct-eastus.documents.azure.com:443", false, false},
	"only readable regions": {document(bothRegions, "null", ""),
		"East US acct-eastus.documents.azure.com:443, West US acct-westus.documents.azure.com:443",
		"East US acct-eastus.documents.azure.com:443", false, false},
	"a writable region that is not readable": {document(locations(east, a), locations(west, b), ""),
		"East US acct-eastus.documents.azure.com:443", "West US acct-westus.documents.azure.com:443", false, false},
	"a region twice": {document(locations(east, a, "east-us", b), locations(east, b), ""),
		"East US acct-eastus.documents.azure.com:443", "East US acct-eastus.documents.azure.com:443", false, false},
	"no port, upper case, a path": {document(locations(east, "HTTPS://Acct-EastUS.Documents.Azure.com/path"), "[]", ""),
		"East US Acct-EastUS.Documents.Azure.com", "East US Acct-EastUS.Documents.Azure.com", false, false},
	"fields of a later version": {document(locations(east, a), locations(east, a), `, "new": {"a": [1]}`),
		"East US acct-eastus.documents.azure.com:443", "East US acct-eastus.documents.azure.com:443", false, false},
	"an address": {document(locations(east, "https://[::1]:8081/"), "[]", ""), "East US [::1]:8081", "East US [::1]:8081", false, false},
}

func TestParseAccount(t *testing.T) {
	for name, test := range accounts {
		t.Run(name, func(t *testing.T) {
			got, err := parseAccount([]byte(test.document), "https")
			if err != nil {
				t.Fatal(err)
			}
			is(t, "readable", listing(got.readable), test.readable)
			is(t, "writable", listing(got.writable), test.writable)
			is(t, "multiWrite", got.multiWrite, test.multiWrite)
			is(t, "ppaf", got.ppaf, test.ppaf)
		})
	}
}

func listing(regions []*Region) string {
	var list []string
	for _, r := range regions {
		list = append(list, r.Name+" "+r.Host)
	}
	return strings.Join(list, ", ")
}

func TestParseAccountErrors(t *testing.T) {
	good := locations(east, a)
	for name, test := range map[string]struct{ document, names string }{
		"nothing":                  {``, "not the JSON of an account"},
		"no JSON":                  {`<html>`, "not the JSON of an account"},
		"cut":                      {document(good, good, "")[:60], "not the JSON of an account"},
		"null":                     {`null`, "no regions"},
		"an empty object":          {`{}`, "no regions"},
		"another document":         {`{"id": "x", "_rid": "y"}`, "no regions"},
		"a list":                   {`[]`, "not the JSON of an account"},
		"regions of another type":  {`{"readableLocations": "East US"}`, "not the JSON of an account"},
		"an empty list":            {document("[]", "[]", ""), "no regions"},
		"only a nameless region":   {document(locations("", a), locations("", a), ""), "no regions"},
		"an endpoint that is none": {document(locations(east, "://"), good, ""), "readableLocations[0].databaseAccountEndpoint"},
		"no host":                  {document(locations(east, "https:///"), good, ""), "has no host"},
		"only a port":              {document(locations(east, "https://:443/"), good, ""), "has no host"},
		"another scheme":           {document(locations(east, "ftp://x/"), good, ""), "has the scheme"},
		"in the clear":             {document(locations(east, "http://acct-eastus.documents.azure.com/"), good, ""), "want https, as the account endpoint has"},
		"a user":                   {document(locations(east, "https://user:secret@x/"), good, ""), "user information"},
		"a query":                  {document(locations(east, "https://x/?a=b"), good, ""), "a query"},
		"a fragment":               {document(locations(east, "https://x/#a"), good, ""), "a fragment"},
		"too many regions":         {document(many(maxRegions), good, ""), "want at most 256"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseAccount([]byte(test.document), "https")
			switch {
			case err == nil:
				t.Fatal("no error")
			case !strings.Contains(err.Error(), test.names):
				t.Errorf("error %q does not name %q", err, test.names)
			case strings.Contains(err.Error(), "secret"):
				t.Errorf("error %q tells the password", err)
			}
		})
	}
}

func many(n int) string {
	var pairs []string
	for i := range n {
		pairs = append(pairs, fmt.Sprint("Region ", i), fmt.Sprintf("https://r%d/", i))
	}
	return locations(pairs...)
}

// TestParseAccountOfEmulator lets an emulator stay in the clear.
func TestParseAccountOfEmulator(t *testing.T) {
	doc := document(locations(east, "http://localhost:8081/", west, "https://localhost:8082/"), "[]", "")
	got, err := parseAccount([]byte(doc), "http")
	if err != nil {
		t.Fatal(err)
	}
	is(t, "first", got.readable[0].Endpoint(), "http://localhost:8081/")
	is(t, "second", got.readable[1].Endpoint(), "https://localhost:8082/")
}

func TestLearnKeepsGoodDocument(t *testing.T) {
	c := newCache(t, multi, nil)
	before := c.Snapshot()
	if err := c.Learn([]byte(`{}`), time.Now()); err == nil || !strings.HasPrefix(err.Error(), "regioncache: ") {
		t.Errorf("error %v: want one that names the package", err)
	}
	if c.Snapshot() != before {
		t.Error("a bad document replaced a good one")
	}
}

func TestLearnNewerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		moved := account{readable: []string{west}, writable: []string{west}}
		for _, test := range []struct {
			asked time.Duration // after the account read that is known
			first string
		}{{-time.Minute, east}, {-1, east}, {0, west}, {time.Minute, west}} {
			c := newCache(t, single, nil)
			if err := c.Learn(moved.document(), time.Now().Add(test.asked)); err != nil {
				t.Fatal(err)
			}
			is(t, test.asked.String(), c.Snapshot().Regions()[0].Name, test.first)
		}
	})
}

// FuzzLearn feeds account documents from strangers: whatever they hold, the
// cache has a topology that works, or an error and the topology from before.
func FuzzLearn(f *testing.F) {
	for _, seed := range []string{
		string(single.document()), string(multi.document()), string(ppaf.document()), `{}`, `null`, `[]`, ``,
		document(locations(east, a, "eastus", b), locations(west, a), `, "enableMultipleWriteLocations": true`),
		document("[]", locations(east, "https://[::1]:8081/"), ""), document(many(8), "[]", ""),
	} {
		f.Add([]byte(seed), "East US", "west-us")
	}
	f.Fuzz(func(t *testing.T, doc []byte, preferred, excluded string) {
		if regionKey(preferred) == "" || regionKey(excluded) == "" {
			return
		}
		c := newCache(t, single, &Options{PreferredRegions: []string{preferred}, ExcludedRegions: []string{excluded}})
		before := c.Snapshot()
		if err := c.Learn(doc, time.Now()); err != nil {
			if c.Snapshot() != before {
				t.Error("an error, and another topology")
			}
			return
		}
		checkRouting(t, c)
	})
}

// TestRegionsThatComeOrGo: while the account fails over, the service lists a
// region without a name or an endpoint. The others count.
func TestRegionsThatComeOrGo(t *testing.T) {
	for name, test := range map[string]string{
		"a nameless region": document(locations(east, a, "", b), locations(east, a, "", ""), ""),
		"a name of noise":   document(locations(east, a, " -_", b), locations(east, a), ""),
		"no endpoint":       document(locations(east, a, west, ""), locations(west, "", east, a), ""),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseAccount([]byte(test), "https")
			if err != nil {
				t.Fatal(err)
			}
			if len(got.readable) != 1 || got.readable[0].Name != east || len(got.writable) != 1 || got.writable[0].Name != east {
				t.Errorf("readable %q, writable %q: want East US alone", listing(got.readable), listing(got.writable))
			}
		})
	}
}
