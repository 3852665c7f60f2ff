package wire

import (
	"net/http"
	"strings"
)

// Kind is what an operation does to its resource.
type Kind uint8

// The kinds of operation, as the official client sends them.
const (
	KindRead    Kind = iota // GET or HEAD of one resource or of a feed
	KindQuery               // POST that reads: a query or a query plan
	KindCreate              // POST
	KindUpsert              // POST with the upsert header
	KindReplace             // PUT
	KindPatch               // PATCH
	KindDelete              // DELETE
	KindBatch               // POST of a transactional batch
	KindExecute             // POST to a stored procedure
)

var kindNames = [...]string{"read", "query", "create", "upsert", "replace", "patch", "delete", "batch", "execute"}

// String returns the kind in lower case, as errors and events print it.
func (k Kind) String() string { return kindNames[k] }

// Scope is the part of the account an operation works on. It decides which
// regions may serve it.
type Scope uint8

// The scopes, from the narrowest to the whole account.
const (
	ScopeItem     Scope = iota // documents and stored procedure execution: the data plane
	ScopeMetadata              // databases, containers, offers, scripts, partition key ranges
	ScopeAccount               // the account read, GET /
)

var scopeNames = [...]string{"item", "metadata", "account"}

// String returns the scope in lower case.
func (s Scope) String() string { return scopeNames[s] }

// Operation is what the retry rules need to know of a request.
type Operation struct {
	Kind  Kind
	Scope Scope
	// Collection is the path of the container ("dbs/d/colls/c", escaped as
	// sent), "" outside one.
	Collection string
	// PartitionKey is the partition key of an item operation as its header
	// carries it, "" when it addresses the whole container.
	PartitionKey string
	// PartitionKeyRangeID is the physical partition that the request itself
	// addresses (a query over one feed range), usually "".
	PartitionKeyRangeID string
}

// Reads reports whether the operation leaves the account as it is.
func (o *Operation) Reads() bool { return o.Kind <= KindQuery }

// Writes reports whether the operation may change the account.
func (o *Operation) Writes() bool { return o.Kind > KindQuery }

// Classify tells which operation a request performs, from its method, its
// escaped path and its headers. Only the position of a path segment counts:
// an item, container or database whose id is "sprocs" or "docs" changes nothing.
func Classify(method, escapedPath string, h http.Header) Operation {
	var segments [maxSegments]string
	n := split(escapedPath, &segments)
	op := Operation{Kind: kindOf(method, h), Scope: ScopeMetadata}
	switch {
	case n == 0 && op.Reads():
		op.Scope = ScopeAccount
	case n >= 4 && segments[0] == "dbs" && segments[2] == "colls":
		op.Collection = collectionPath(escapedPath, segments[:4])
		inCollection(&op, method, segments[4:], n-4, h)
	}
	return op
}

// inCollection classifies a request below a container; segments are those
// after the container's own.
func inCollection(op *Operation, method string, segments []string, n int, h http.Header) {
	switch {
	case n > 0 && segments[0] == "docs":
		op.Scope = ScopeItem
		op.PartitionKey = Get(h, HeaderPartitionKey)
		op.PartitionKeyRangeID = Get(h, HeaderPartitionKeyRangeID)
	case n == 2 && segments[0] == "sprocs" && method == http.MethodPost:
		op.Kind, op.Scope = KindExecute, ScopeItem
		op.PartitionKey = Get(h, HeaderPartitionKey)
		op.PartitionKeyRangeID = Get(h, HeaderPartitionKeyRangeID)
	}
}

func kindOf(method string, h http.Header) Kind {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return KindRead
	case http.MethodPut:
		return KindReplace
	case http.MethodPatch:
		return KindPatch
	case http.MethodDelete:
		return KindDelete
	}
	// A POST says in its headers what it is. Whatever is unknown is taken for
	// a create, the kind with the fewest liberties.
	switch {
	case isTrue(h, headerIsQuery), isTrue(h, headerIsQueryREST), isTrue(h, headerIsQueryPlan),
		strings.HasPrefix(Get(h, headerContentType), "application/query+json"):
		return KindQuery
	case isTrue(h, headerIsBatch):
		return KindBatch
	case isTrue(h, headerIsUpsert):
		return KindUpsert
	}
	return KindCreate
}

func isTrue(h http.Header, canonicalKey string) bool {
	return strings.EqualFold(Get(h, canonicalKey), "true")
}

// maxSegments is more than the deepest path has: dbs/d/colls/c/docs/i/attachments/a.
const maxSegments = 8

// split cuts an escaped path into its non-empty segments and returns how many
// there are; those past maxSegments are counted, not kept.
func split(path string, segments *[maxSegments]string) int {
	n := 0
	for len(path) > 0 {
		var segment string
		segment, path, _ = strings.Cut(path, "/")
		if segment == "" {
			continue
		}
		if n < maxSegments {
			segments[n] = segment
		}
		n++
	}
	return n
}

// collectionPath returns the first four segments of a path that has them, as a
// part of the path itself unless it has empty segments in between.
func collectionPath(path string, segments []string) string {
	path = strings.TrimLeft(path, "/")
	end := len("///")
	for _, segment := range segments {
		end += len(segment)
	}
	if strings.Contains(path[:end], "//") {
		return strings.Join(segments, "/")
	}
	return path[:end]
}
