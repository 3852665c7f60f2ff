package wire_test

import (
	"net/http"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// container is where the requests of the tables below work.
const container = "dbs/d/colls/c"

// shape is one request as it goes over the wire, and what it does.
type shape struct {
	name   string
	method string
	path   string
	header http.Header
	want   wire.Operation
}

// headers builds a header from pairs of keys and values.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// item is an operation in the data plane of the container.
func item(kind wire.Kind, partitionKey, rangeID string) wire.Operation {
	return wire.Operation{
		Kind: kind, Scope: wire.ScopeItem, Collection: container,
		PartitionKey: partitionKey, PartitionKeyRangeID: rangeID,
	}
}

// metadata is an operation beside the data plane.
func metadata(kind wire.Kind, collection string) wire.Operation {
	return wire.Operation{Kind: kind, Scope: wire.ScopeMetadata, Collection: collection}
}

const key = `["p"]`

var (
	keyed    = headers("Content-Type", "application/json", "x-ms-documentdb-partitionkey", key)
	query    = headers("Content-Type", "application/query+json", "x-ms-documentdb-query", "True")
	plain    = headers("Content-Type", "application/json")
	noHeader = http.Header{}
)

// itemShapes are the data-plane requests of azcosmos 1.3.0 to 1.5.0-beta.7,
// taken down from the clients themselves, and those that raw pipelines send.
var itemShapes = []shape{
	{"create item", "POST", "/dbs/d/colls/c/docs", keyed, item(wire.KindCreate, key, "")},
	{"upsert item", "POST", "/dbs/d/colls/c/docs",
		headers("x-ms-documentdb-partitionkey", key, "x-ms-documentdb-is-upsert", "true"), item(wire.KindUpsert, key, "")},
	{"replace item", "PUT", "/dbs/d/colls/c/docs/i", keyed, item(wire.KindReplace, key, "")},
	{"read item", "GET", "/dbs/d/colls/c/docs/i", keyed, item(wire.KindRead, key, "")},
	{"head item", "HEAD", "/dbs/d/colls/c/docs/i", keyed, item(wire.KindRead, key, "")},
	{"delete item", "DELETE", "/dbs/d/colls/c/docs/i", keyed, item(wire.KindDelete, key, "")},
	{"patch item", "PATCH", "/dbs/d/colls/c/docs/i", keyed, item(wire.KindPatch, key, "")},
	{"batch", "POST", "/dbs/d/colls/c/docs",
		headers("x-ms-documentdb-partitionkey", key, "x-ms-cosmos-is-batch-request", "True", "x-ms-cosmos-batch-atomic", "True"),
		item(wire.KindBatch, key, "")},
	{"query in one partition", "POST", "/dbs/d/colls/c/docs",
		headers("Content-Type", "application/query+json", "x-ms-documentdb-query", "True", "x-ms-documentdb-partitionkey", key),
		item(wire.KindQuery, key, "")},
	{"query across partitions", "POST", "/dbs/d/colls/c/docs",
		headers("Content-Type", "application/query+json", "x-ms-documentdb-query", "True", "x-ms-documentdb-query-enablecrosspartition", "true"),
		item(wire.KindQuery, "", "")},
	{"query of the REST interface", "POST", "/dbs/d/colls/c/docs", headers("x-ms-documentdb-isquery", "true"), item(wire.KindQuery, "", "")},
	{"query by its content type alone", "POST", "/dbs/d/colls/c/docs",
		headers("Content-Type", "application/query+json; charset=utf-8"), item(wire.KindQuery, "", "")},
	{"query plan", "POST", "/dbs/d/colls/c/docs",
		headers("Content-Type", "application/query+json", "x-ms-documentdb-query", "True", "x-ms-cosmos-is-query-plan-request", "True"),
		item(wire.KindQuery, "", "")},
	{"query plan by its header alone", "POST", "/dbs/d/colls/c/docs", headers("x-ms-cosmos-is-query-plan-request", "True"), item(wire.KindQuery, "", "")},
	{"read many", "POST", "/dbs/d/colls/c/docs",
		headers("Content-Type", "application/query+json", "x-ms-documentdb-query", "True", "x-ms-documentdb-partitionkeyrangeid", "7"),
		item(wire.KindQuery, "", "7")},
	{"change feed", "GET", "/dbs/d/colls/c/docs",
		headers("A-IM", "Incremental Feed", "x-ms-documentdb-partitionkeyrangeid", "7"), item(wire.KindRead, "", "7")},
	{"change feed of one partition key", "GET", "/dbs/d/colls/c/docs",
		headers("A-IM", "Incremental Feed", "x-ms-documentdb-partitionkey", key), item(wire.KindRead, key, "")},
	{"attachment", "GET", "/dbs/d/colls/c/docs/i/attachments/a", keyed, item(wire.KindRead, key, "")},
	{"stored procedure execution", "POST", "/dbs/d/colls/c/sprocs/s", keyed, item(wire.KindExecute, key, "")},
	{"stored procedure execution in one range", "POST", "/dbs/d/colls/c/sprocs/s",
		headers("x-ms-documentdb-partitionkeyrangeid", "7"), item(wire.KindExecute, "", "7")},
}

// otherShapes are the requests beside the data plane.
var otherShapes = []shape{
	{"account read", "GET", "/", noHeader, wire.Operation{Kind: wire.KindRead, Scope: wire.ScopeAccount}},
	{"account read of a bare host", "GET", "", noHeader, wire.Operation{Kind: wire.KindRead, Scope: wire.ScopeAccount}},
	{"create database", "POST", "/dbs", plain, metadata(wire.KindCreate, "")},
	{"query databases", "POST", "/dbs", query, metadata(wire.KindQuery, "")},
	{"read database", "GET", "/dbs/d", noHeader, metadata(wire.KindRead, "")},
	{"delete database", "DELETE", "/dbs/d", noHeader, metadata(wire.KindDelete, "")},
	{"create container", "POST", "/dbs/d/colls", plain, metadata(wire.KindCreate, "")},
	{"query containers", "POST", "/dbs/d/colls", query, metadata(wire.KindQuery, "")},
	{"read container", "GET", "/dbs/d/colls/c", noHeader, metadata(wire.KindRead, container)},
	{"replace container", "PUT", "/dbs/d/colls/c", plain, metadata(wire.KindReplace, container)},
	{"delete container", "DELETE", "/dbs/d/colls/c", noHeader, metadata(wire.KindDelete, container)},
	{"partition key ranges", "GET", "/dbs/d/colls/c/pkranges", headers("A-IM", "Incremental Feed"), metadata(wire.KindRead, container)},
	{"query offers", "POST", "/offers", query, metadata(wire.KindQuery, "")},
	{"read offer", "GET", "/offers/o/", noHeader, metadata(wire.KindRead, "")},
	{"replace offer", "PUT", "/offers/o/", plain, metadata(wire.KindReplace, "")},
	{"create stored procedure", "POST", "/dbs/d/colls/c/sprocs", plain, metadata(wire.KindCreate, container)},
	{"query stored procedures", "POST", "/dbs/d/colls/c/sprocs", query, metadata(wire.KindQuery, container)},
	{"read stored procedure", "GET", "/dbs/d/colls/c/sprocs/s", noHeader, metadata(wire.KindRead, container)},
	{"replace stored procedure", "PUT", "/dbs/d/colls/c/sprocs/s", plain, metadata(wire.KindReplace, container)},
	{"delete stored procedure", "DELETE", "/dbs/d/colls/c/sprocs/s", noHeader, metadata(wire.KindDelete, container)},
	{"create trigger", "POST", "/dbs/d/colls/c/triggers", plain, metadata(wire.KindCreate, container)},
	{"create user defined function", "POST", "/dbs/d/colls/c/udfs", plain, metadata(wire.KindCreate, container)},
	{"read conflicts", "GET", "/dbs/d/colls/c/conflicts", noHeader, metadata(wire.KindRead, container)},
	{"create user", "POST", "/dbs/d/users", plain, metadata(wire.KindCreate, "")},
	{"a write to the account itself", "PUT", "/", plain, metadata(wire.KindReplace, "")},
	{"an unknown method", "PURGE", "/dbs/d/colls/c", noHeader, metadata(wire.KindCreate, container)},
}

func TestClassifyTellsEveryRequestOfTheClients(t *testing.T) {
	for _, shapes := range [][]shape{itemShapes, otherShapes} {
		for _, s := range shapes {
			t.Run(s.name, func(t *testing.T) { s.check(t) })
		}
	}
}

func (s *shape) check(t *testing.T) {
	t.Helper()
	got := wire.Classify(s.method, s.path, s.header)
	if got != s.want {
		t.Errorf("%s %s %v:\n got %+v\nwant %+v", s.method, s.path, s.header, got, s.want)
	}
	if got.Reads() == got.Writes() {
		t.Errorf("%s %s: reads and writes are both %v", s.method, s.path, got.Reads())
	}
}

func TestOperationSaysWhatItReads(t *testing.T) {
	reads := map[wire.Kind]bool{wire.KindRead: true, wire.KindQuery: true}
	for kind := wire.KindRead; kind <= wire.KindExecute; kind++ {
		op := wire.Operation{Kind: kind}
		if op.Reads() != reads[kind] || op.Writes() == reads[kind] {
			t.Errorf("%v: reads %v, writes %v", kind, op.Reads(), op.Writes())
		}
		if kind.String() == "" {
			t.Errorf("kind %d has no name", kind)
		}
	}
	for scope, want := range map[wire.Scope]string{wire.ScopeItem: "item", wire.ScopeMetadata: "metadata", wire.ScopeAccount: "account"} {
		if scope.String() != want {
			t.Errorf("scope %d is called %q, want %q", scope, scope, want)
		}
	}
}
