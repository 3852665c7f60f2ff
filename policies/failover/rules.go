package failover

import (
	"net/http"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// class is what the rules distinguish operations by.
type class uint8

const (
	reads class = 1 << iota
	writes
	once // stored procedures, and writes that their caller opted out: repeated only when surely not executed

	anyWrite = writes | once
	anyClass = reads | anyWrite
)

// account is what the rules distinguish accounts by.
type account uint8

const (
	singleWrite account = 1 << iota
	multiWrite

	anyAccount = singleWrite | multiWrite
)

// sent is what the rules distinguish failed requests by.
type sent uint8

const (
	notSent sent = 1 << iota
	maybeSent

	anySent = notSent | maybeSent
)

// action is what a rule asks for.
type action uint8

const (
	surface  action = iota // the operation ends with this answer or error
	failOver               // to the next region, from the generic budget
	followUp               // to the next region, from the backend-failover budget, after its delay
)

// effect is what the shared state learns, whatever becomes of the operation.
type effect uint16

const (
	partitionFailure effect = 1 << iota // the breaker counts it
	countOnce                           // but once per operation and region
	markEndpoint                        // unreachable: tried last by everybody
	markIfNoBreaker                     // with the breaker off, the failure marks the endpoint
	markWrites                          // tried last by writes
	markLost                            // the region has lost the account
	refresh                             // read the account's topology again
	awaitRefresh                        // and let the retry wait for it
	lookAround                          // the region may be gone: read it again, unless that was tried a moment ago
)

// rule is one row of the retry specification.
type rule struct {
	// What happened: a status (0: no answer arrived) and a sub-status
	// (anySubStatus: whichever). status5xx stands for all of 500 to 599.
	status, subStatus int
	// Whom it happened to.
	class   class
	account account
	sent    sent
	// What follows.
	action  action
	effects effect
	reason  string
}

const (
	anySubStatus = -1
	status5xx    = 599
	noAnswer     = 0
)

// rules is the specification's section "Status Code Handling". The first row
// that matches decides; an answer that none matches is the caller's.
//
//go:generate go test -run TestTables -update .
var rules = []rule{
	// 403 — Forbidden
	{403, wire.SubStatusWriteForbidden, reads, anyAccount, anySent,
		surface, 0, "a read cannot be forbidden to write"},
	{403, wire.SubStatusWriteForbidden, anyWrite, singleWrite, anySent,
		failOver, markWrites | refresh | awaitRefresh, "the region no longer takes writes"},
	{403, wire.SubStatusWriteForbidden, anyWrite, multiWrite, anySent,
		followUp, partitionFailure | countOnce | markIfNoBreaker | refresh, "the region does not take writes for this partition"},
	{403, wire.SubStatusAccountNotFound, anyClass, anyAccount, anySent,
		followUp, markLost | refresh, "the region no longer has the account"},

	// 410 — Gone
	{410, anySubStatus, anyClass, anyAccount, anySent,
		failOver, partitionFailure | markIfNoBreaker, "the partition has moved"},

	// 408 — Request Timeout
	{408, anySubStatus, reads | writes, anyAccount, anySent,
		failOver, partitionFailure | markIfNoBreaker, "the service timed out"},
	{408, anySubStatus, once, anyAccount, anySent,
		surface, partitionFailure | markIfNoBreaker, "the service timed out, and the operation must not run twice"},

	// 429/3092 — global throttle
	{429, wire.SubStatusGlobalThrottle, reads | writes, anyAccount, anySent,
		failOver, partitionFailure | markIfNoBreaker, "the partition is throttled as a whole"},
	{429, wire.SubStatusGlobalThrottle, once, anyAccount, anySent,
		surface, partitionFailure | markIfNoBreaker, "the partition is throttled as a whole, and the operation must not run twice"},

	// 5xx — Server Errors
	{status5xx, anySubStatus, reads | writes, anyAccount, anySent,
		failOver, partitionFailure | markIfNoBreaker, "the service failed"},
	{status5xx, anySubStatus, once, anyAccount, anySent,
		surface, partitionFailure | markIfNoBreaker, "the service failed, and the operation must not run twice"},

	// Transport Errors
	{noAnswer, anySubStatus, anyClass, anyAccount, notSent,
		failOver, partitionFailure | markEndpoint | lookAround, "the endpoint could not be reached"},
	{noAnswer, anySubStatus, reads | writes, anyAccount, maybeSent,
		failOver, partitionFailure, "no answer arrived"},
	{noAnswer, anySubStatus, once, anyAccount, maybeSent,
		surface, partitionFailure, "no answer arrived, and the operation must not run twice"},
}

// match finds the rule for an attempt's end; nil when no rule speaks of it.
func match(o attempt.Outcome, c class, a account) *rule {
	how := maybeSent
	if !o.Sent {
		how = notSent
	}
	for i := range rules {
		r := &rules[i]
		if r.speaksOf(o) && r.class&c != 0 && r.account&a != 0 && (o.Class == attempt.Answered || r.sent&how != 0) {
			return r
		}
	}
	return nil
}

func (r *rule) speaksOf(o attempt.Outcome) bool {
	switch {
	case o.Class == attempt.Failed || o.Class == attempt.TimedOut:
		return r.status == noAnswer
	case o.Class != attempt.Answered || r.status == noAnswer:
		return false
	case r.subStatus != anySubStatus && r.subStatus != o.SubStatus:
		return false
	case r.status == status5xx:
		return o.Status >= http.StatusInternalServerError && o.Status <= status5xx
	}
	return r.status == o.Status
}

// classOf sorts an operation; retryWrites is false when its caller opted out.
func classOf(op *wire.Operation, retryWrites bool) class {
	switch {
	case op.Reads():
		return reads
	case op.Kind == wire.KindExecute || !retryWrites:
		return once
	}
	return writes
}
