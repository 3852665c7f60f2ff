package cosmostest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// namedFaults returns what the service and the networks in front of it are known to do, under the names that the fault
// injection of the .NET, Java and Rust SDKs uses, in lower camel case.
func namedFaults() map[string]Fault {
	faults := map[string]Fault{}
	for name, status := range namedStatuses() {
		faults[name] = Fault{Status: status[0], SubStatus: status[1]}
	}
	throttled := faults["throttled"]
	throttled.Header = http.Header{"X-Ms-Retry-After-Ms": {"100"}}
	faults["throttled"], faults["tooManyRequests"] = throttled, throttled
	html := "<html><body><h1>502 Bad Gateway</h1></body></html>"
	faults["badGateway"] = Fault{Status: 502, Body: &html, Header: http.Header{"Content-Type": {"text/html"}}}

	for f := NoTransportFault + 1; int(f) < len(transportFaultNames); f++ {
		faults[f.String()] = Fault{Transport: f}
	}
	faults["connectionError"] = Fault{Transport: Refused}
	faults["connectionReset"], faults["receiveFailed"] = Fault{Transport: Reset}, Fault{Transport: Reset}
	faults["connectionClose"], faults["receiveStreamClosed"] = Fault{Transport: EOF}, Fault{Transport: EOF}
	faults["responseTimeout"] = Fault{Transport: Blackhole}

	const long = 5 * time.Second
	faults["connectionDelay"], faults["sendDelay"] = Fault{Delay: long}, Fault{Delay: long}
	faults["responseDelay"] = Fault{Delay: long, Applied: true}
	faults["slowBody"] = Fault{Bandwidth: 64}
	return faults
}

// namedStatuses are the answers that are a status and a sub-status and nothing else.
func namedStatuses() map[string][2]int {
	return map[string][2]int{
		"aadTokenRevoked":                        {401, 5013},
		"collectionNotAvailableForRead":          {404, 1013},
		"computeInternalError":                   {500, 1021},
		"conflict":                               {409, 0},
		"connectionResetByDownstreamService":     {500, 102},
		"channelClosed":                          {503, 20006},
		"databaseAccountNotFound":                {403, 1008},
		"gatewayTimeout":                         {504, 0},
		"gone":                                   {410, 21005},
		"internalServerError":                    {500, 0},
		"leaseNotFound":                          {410, 1022},
		"nameCacheIsStale":                       {410, 1000},
		"notFound":                               {404, 0},
		"ownerResourceNotExists":                 {404, 1003},
		"partitionFailoverErrorCode":             {500, 3010},
		"partitionIsGone":                        {410, 1002},
		"partitionIsMigrating":                   {410, 1008},
		"partitionIsSplitting":                   {410, 1007},
		"partitionMigrationExceededRetryLimit":   {503, 21004},
		"preconditionFailed":                     {412, 0},
		"readQuorumNotMet":                       {503, 21007},
		"readSessionNotAvailable":                {404, 1002},
		"replicationBacklogFull":                 {429, 3075},
		"requestEntityTooLarge":                  {413, 0},
		"requestTimeout":                         {408, 0},
		"retryWith":                              {449, 0},
		"serverGone":                             {410, 21005},
		"serviceUnavailable":                     {503, 21008},
		"serviceUnavailableLeaseNotFound":        {503, 1022},
		"serviceUnavailableWithUnknownSubstatus": {503, 0},
		"systemResourceBusy":                     {429, 3092},
		"throttled":                              {429, 3200},
		"timeout":                                {408, 0},
		"unauthorized":                           {401, 0},
		"writeForbidden":                         {403, 3},
	}
}

// FaultNames returns the names that [NamedFault] knows, sorted.
func FaultNames() []string { return slices.Sorted(maps.Keys(namedFaults())) }

// NamedFault returns a fault by its usual name, for programs in which people choose faults: an answer of the service,
// such as "leaseNotFound" (410/1022), the name of a [TransportFault], or a delay such as "responseDelay". It matches data-plane and metadata requests
// everywhere; set Region and the other conditions. An unknown name is an error that lists those there are.
func NamedFault(name string) (Fault, error) {
	f, ok := namedFaults()[name]
	if !ok {
		return Fault{}, fmt.Errorf("cosmostest: fault %q; allowed: %q", name, FaultNames())
	}
	return f, nil
}
