// Package wire names what Cosmos DB requests and answers look like on the
// wire: headers, sub-status codes, and which operation a request performs.
// Everything in it is pure.
package wire

import (
	"net/http"
	"strconv"
	"strings"
)

// Request and response headers, in the canonical form of [http.Header], so
// that they can be used as map keys without being canonicalised again.
const (
	HeaderSubStatus            = "X-Ms-Substatus"
	HeaderActivityID           = "X-Ms-Activity-Id"
	HeaderRequestCharge        = "X-Ms-Request-Charge"
	HeaderPartitionKey         = "X-Ms-Documentdb-Partitionkey"
	HeaderPartitionKeyRangeID  = "X-Ms-Documentdb-Partitionkeyrangeid"
	HeaderSessionToken         = "X-Ms-Session-Token"
	HeaderCollectionRID        = "X-Ms-Content-Path"
	HeaderRetryAfterMS         = "X-Ms-Retry-After-Ms"
	HeaderRetryAfterMSPlain    = "Retry-After-Ms"
	HeaderRetryAfter           = "Retry-After"
	HeaderNoRetry449           = "X-Ms-Noretry-449"
	HeaderAllowTentativeWrites = "X-Ms-Cosmos-Allow-Tentative-Writes"

	headerIsQuery     = "X-Ms-Documentdb-Query"
	headerIsQueryREST = "X-Ms-Documentdb-Isquery"
	headerIsQueryPlan = "X-Ms-Cosmos-Is-Query-Plan-Request"
	headerIsUpsert    = "X-Ms-Documentdb-Is-Upsert"
	headerIsBatch     = "X-Ms-Cosmos-Is-Batch-Request"
	headerContentType = "Content-Type"
)

// Sub-status codes that change what a status means.
const (
	SubStatusWriteForbidden          = 3     // with 403
	SubStatusReadSessionNotAvailable = 1002  // with 404
	SubStatusPartitionKeyRangeGone   = 1002  // with 410
	SubStatusAccountNotFound         = 1008  // with 403
	SubStatusGlobalThrottle          = 3092  // with 429
	SubStatusClientOperationTimeout  = 20008 // with 408, made by the client
)

// headerTrue is shared by every request that needs the value: a header is
// replaced as a whole, so nobody appends to it in place.
var headerTrue = []string{"true"}

// SetTrue sets a header whose only value is "true" without allocating.
// key must be canonical.
func SetTrue(h http.Header, key string) {
	if v := h[key]; len(v) == 1 && v[0] == "true" {
		return
	}
	h[key] = headerTrue
}

// Get returns the first value of a header whose key is canonical.
func Get(h http.Header, canonicalKey string) string {
	if v := h[canonicalKey]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// SubStatus returns the sub-status of a response, 0 when it has none or one
// that is no number.
func SubStatus(h http.Header) int {
	v := Get(h, HeaderSubStatus)
	if v == "" {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0
	}
	return n
}

// PartitionKeyRangeID returns the physical partition that answered: the
// header that says so, else the prefix of the session token
// ("0:-1#42" comes from partition "0"); "" when the answer tells neither.
func PartitionKeyRangeID(h http.Header) string {
	if id := Get(h, HeaderPartitionKeyRangeID); id != "" {
		return id
	}
	token := Get(h, HeaderSessionToken)
	id, _, found := strings.Cut(token, ":")
	if !found || strings.Contains(token, ",") {
		return ""
	}
	return id
}
