// Package session retries a read (or write) whose region has not caught up with
// the caller's session token: 404 with sub-status 1002, "read session not
// available". It owns that answer and passes everything else through untouched.
//
//	account        retry in                        budget                       wait
//	single-write   the write region (hub); if it   2 retries per operation      none
//	               is excluded, the next region
//	multi-write    the next region of the list     as many retries as the list  none
//	                                               has regions
//
// The session token is never changed or dropped: a stale read would break the
// consistency that the caller chose. When the budget is spent the 404/1002
// surfaces. The retries use nothing of the failover budget and mark nothing.
// See "404/1002 — Read Session Not Available" in the retry specification.
package session
