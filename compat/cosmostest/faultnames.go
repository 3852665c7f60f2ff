package cosmostest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// namedFaults returns what the service and the networks in front of it are known to answer, under the names that the
// fault injection of other Cosmos DB SDKs uses.
func namedFaults() map[string]Fault {
	answer := func(status, subStatus int) Fault { return Fault{Status: status, SubStatus: subStatus} }
	html := "<html><body><h1>502 Bad Gateway</h1></body></html>"
	throttled := answer(429, 3200)
	throttled.Header = http.Header{"X-Ms-Retry-After-Ms": {"100"}}
	faults := map[string]Fault{
		"aadTokenRevoked":         answer(401, 5013),
		"badGateway":              {Status: 502, Body: &html, Header: http.Header{"Content-Type": {"text/html"}}},
		"databaseAccountNotFound": answer(403, 1008),
		"internalServerError":     answer(500, 0),
		"leaseNotFound":           answer(410, 1022),
		"nameCacheIsStale":        answer(410, 1000),
		"ownerResourceNotExists":  answer(404, 1003),
		"partitionIsGone":         answer(410, 1002),
		"partitionIsMigrating":    answer(410, 1008),
		"partitionIsSplitting":    answer(410, 1007),
		"readQuorumNotMet":        answer(503, 21007),
		"readSessionNotAvailable": answer(404, 1002),
		"requestTimeout":          answer(408, 0),
		"retryWith":               answer(449, 0),
		"serverGone":              answer(410, 21005),
		"serviceUnavailable":      answer(503, 21008),
		"systemResourceBusy":      answer(429, 3092),
		"throttled":               throttled,
		"unauthorized":            answer(401, 0),
		"writeForbidden":          answer(403, 3),
	}
	for f := NoTransportFault + 1; int(f) < len(transportFaultNames); f++ {
		faults[f.String()] = Fault{Transport: f}
	}
	return faults
}

// FaultNames returns the names that [NamedFault] knows, sorted.
func FaultNames() []string { return slices.Sorted(maps.Keys(namedFaults())) }

// NamedFault returns a fault by its usual name, for programs in which people choose faults: an answer of the service,
// such as "leaseNotFound" (410/1022), or the name of a [TransportFault]. It matches data-plane and metadata requests
// everywhere; set Region and the other conditions. An unknown name is an error that lists those there are.
func NamedFault(name string) (Fault, error) {
	f, ok := namedFaults()[name]
	if !ok {
		return Fault{}, fmt.Errorf("cosmostest: fault %q; allowed: %q", name, FaultNames())
	}
	return f, nil
}
