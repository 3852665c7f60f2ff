// Package throttle retries a throttled request where it was: in the same
// region, after the wait that the service asks for.
//
// It owns two statuses and passes everything else through untouched:
//
//	status     action                       wait                          budget
//	429        retry in the same region     as the service says, else     9 retries and 30 s
//	                                        5 ms·2ⁿ ± 25 %, at most 5 s   of waits per visit to a region
//	429/3092   not ours: failover's         -                             -
//	449        retry in the same region     10 ms·2ⁿ + [0, 5) ms,         30 s of waits per operation
//	                                        at most 1 s
//
// The service says how long to wait in x-ms-retry-after-ms, retry-after-ms or
// Retry-After (seconds or a date). Such a wait is never shortened: one that
// does not fit what is left of the 30 s, or ends after the caller's deadline,
// ends the retries at once and the 429 surfaces, with its headers. A value that
// makes no sense counts as none; 0 means now. The waits without a hint are
// 5, 10, 20, 40, 80, 160, 320, 640 and 1280 ms, each ± 25 %.
//
// Every data-plane request carries x-ms-noretry-449, since a gateway that
// retries 449 by itself would multiply the retries.
//
// Throttling says nothing about a region's health, and moving to another
// region would not help: the request units belong to the account. See "429 —
// Too Many Requests" and "449 — Retry With" in the retry specification.
//
// The account read (GET /) is never retried here: azcosmos holds a lock over
// it that all operations need.
package throttle
