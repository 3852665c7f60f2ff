// Package failover routes each attempt of an operation to a region, and
// retries failures in other regions.
//
// It owns the outcomes of the table below and passes everything else through
// untouched. The table is generated from the rules in the code.
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
//     immediate and the later ones wait 100 ms·2ⁿ ± 25 %, at most 1 s.
//   - backend failover: 120 retries, 1 s apart, for 403/1008 and for 403/3 on
//     multi-write accounts, while the account changes its regions.
//   - local: 1 more try per visit to a region, at once and on a new connection,
//     after a refused or broken connection.
//
// What is given up ends as an error that stops the retries of azcore and
// azcosmos too. The budgets hold for the operation, whatever they do.
package failover
