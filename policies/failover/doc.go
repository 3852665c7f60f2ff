// Package failover routes each attempt of an operation to a region, and
// retries failures in other regions.
//
// It owns the outcomes of the table below and passes everything else through
// untouched. The table is generated from the rules in the code.
//
// # The rules
//
//	answer                      operations                           accounts      action                               what the cache learns
//	403/3                       reads                                all           surfaces after one request           nothing
//	403/3                       all writes                           single-write  next region, 3 retries               marked for writes, topology read again, the retry waits for it
//	403/3                       all writes                           multi-write   next region, 120 retries, 1 s apart  partition failure, once per region, breaker off: endpoint marked, topology read again
//	403/1008                    all                                  all           next region, 120 retries, 1 s apart  endpoint marked, topology read again
//	410                         all                                  all           next region, 3 retries               partition failure, breaker off: endpoint marked
//	408                         reads, other writes                  all           next region, 3 retries               partition failure, breaker off: endpoint marked
//	408                         stored procedures, opted-out writes  all           surfaces after one request           partition failure, breaker off: endpoint marked
//	429/3092                    reads, other writes                  all           next region, 3 retries               partition failure, breaker off: endpoint marked
//	429/3092                    stored procedures, opted-out writes  all           surfaces after one request           partition failure, breaker off: endpoint marked
//	5xx                         reads, other writes                  all           next region, 3 retries               partition failure, breaker off: endpoint marked
//	5xx                         stored procedures, opted-out writes  all           surfaces after one request           partition failure, breaker off: endpoint marked
//	no answer, surely not sent  all                                  all           next region, 3 retries               partition failure, endpoint marked, topology read again
//	no answer, perhaps sent     reads, other writes                  all           next region, 3 retries               partition failure
//	no answer, perhaps sent     stored procedures, opted-out writes  all           surfaces after one request           partition failure
//
// # How regions are chosen
//
// See [regioncache.Cache.Choose]: preferred regions first, excluded ones never,
// those that failed in this operation once all others have, unreachable and
// sick ones last.
//
// # Budgets
//
//   - generic: 3 retries per operation, shared by 5xx, 408, 410, 429/3092,
//     transport errors and 403/3 on single-write accounts. No wait when the
//     region changes; when there is no other region, the first retry is
//     immediate and the later ones wait 100 ms·2ⁿ ± 25 %, at most 1 s, except
//     after 403/3, where the refreshed topology is the wait.
//   - backend failover: 120 retries, 1 s apart, for 403/1008 and for 403/3 on
//     multi-write accounts, while the account changes its regions.
//   - local: 1 more try per visit to a region, at once and on a new connection,
//     after a refused or broken connection.
//
// What is given up ends as an error that stops the retries of azcore and
// azcosmos too. The budgets hold for the operation, whatever they do.
//
// # The account read
//
// The client's own account read (GET /) is made resilient too: the host that
// the client asks, then the known readable regions, or while none are known the
// regional endpoints of the preferred regions, each once and for 5 s at most.
// Account reads that meet share one request.
package failover
