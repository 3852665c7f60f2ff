package session

import (
	"net/http"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// facts is everything that a decision depends on.
type facts struct {
	outcome    attempt.Outcome
	multiWrite bool
	hub        bool // the write region is known and not excluded
	endpoints  int  // regions that may serve the operation
	retries    int  // already made
}

type verdict uint8

const (
	pass    verdict = iota // not ours
	toHub                  // retry in the write region
	toNext                 // retry in the next region of the list
	surface                // the budget is spent
)

type decision struct {
	verdict verdict
	reason  string
}

// singleWriteRetries is the budget on accounts with one write region.
const singleWriteRetries = 2

// decide is the table of the package documentation. It is pure.
func decide(o *Options, f facts) decision {
	if !f.outcome.Is(http.StatusNotFound, wire.SubStatusReadSessionNotAvailable) {
		return decision{pass, "not 404/1002"}
	}
	budget := o.MaxRetries
	switch {
	case budget < 0:
		return decision{surface, "the region has not caught up with the session, and session retries are switched off"}
	case budget == 0 && f.multiWrite:
		budget = f.endpoints
	case budget == 0:
		budget = singleWriteRetries
	}
	switch {
	case f.retries >= budget:
		return decision{surface, "no region has caught up with the session, and the retries are used up"}
	case !f.multiWrite && f.hub:
		return decision{toHub, "the region has not caught up with the session; the write region has"}
	}
	return decision{toNext, "the region has not caught up with the session; another one may have"}
}
