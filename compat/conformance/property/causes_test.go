package property

import (
	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// cause is the budget that the end of an attempt lets another request be paid from.
type cause int

const (
	final     cause = iota // an answer for the caller: none
	generic                // failover
	reconnect              // a local retry, or failover
	backend                // failover of the backend
	either                 // generic or backend, by an account whose kind may have changed
	sessions               // session retry
	throttled              // 429
	retryWith              // 449
)

var causeNames = [...]string{"an answer for the caller", "failover", "a connection that broke", "backend failover", "403/3", "session", "429", "449"}

func (c cause) String() string { return causeNames[c] }

// cause tells it by "Status Code Handling" and "Transport Errors".
func (o *outcome) cause(a *attempt) cause {
	if !a.answered() {
		switch a.Transport {
		case cosmostest.Refused, cosmostest.Reset, cosmostest.EOF, cosmostest.Truncated, cosmostest.ResetMidBody:
			return reconnect
		}
		return generic // DNS, TLS, silence
	}
	switch a.Status {
	case 403:
		return o.forbidden(a)
	case 404:
		if a.SubStatus == 1002 {
			return sessions
		}
	case 408, 410:
		return generic
	case 429:
		if a.SubStatus == 3092 {
			return generic
		}
		return throttled
	case 449:
		return retryWith
	}
	if a.Status >= 500 && a.Status <= 599 {
		return generic
	}
	return final
}

func (o *outcome) forbidden(a *attempt) cause {
	switch {
	case a.SubStatus == 1008:
		return backend
	case a.SubStatus != 3 || !o.script.writes():
		return final
	}
	single, multi := false, false
	for _, s := range o.known(a.end) {
		single, multi = single || !s.multi, multi || s.multi
	}
	switch {
	case single && !multi:
		return generic
	case multi && !single:
		return backend
	}
	return either
}

// executed reports whether the attempt may have been carried out although its answer does not say so.
func (a *attempt) executed() bool {
	if !a.answered() {
		switch a.Transport {
		case cosmostest.Refused, cosmostest.DNS, cosmostest.TLS:
			return false
		}
		return true
	}
	return a.Status < 400 || a.Status == 408 || a.Status >= 500 || a.Status == 429 && a.SubStatus == 3092
}
