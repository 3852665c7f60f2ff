package attempt

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Letter is a write that the policies gave up, with all that it takes to send
// it again, and no credential.
type Letter struct {
	// Time of the giving up.
	Time time.Time
	// Operation: "create", "upsert", "replace", "patch", "delete", "batch" or "execute".
	Operation string
	// Method, Path (escaped, without the host) and Header of the request. The
	// header holds what describes the write (content type, partition key, ETag
	// conditions, session token, triggers), and nothing that identifies the sender.
	Method, Path string
	Header       http.Header
	// Body of the request, nil for a delete.
	Body []byte
	// Status and SubStatus of the last answer, 0 when none arrived, and Error in words.
	Status, SubStatus int
	Error             string
	// Attempts is how many requests were made.
	Attempts int
	// MayHaveRun reports that an attempt may have been executed all the same.
	MayHaveRun bool
}

// DeadLetters keeps writes that were given up. Keep is called in the goroutine
// of the operation, before its error is returned, and must be safe for
// concurrent use. ctx ends after two seconds, not with the operation. What Keep
// returns changes nothing for the caller; observers are told of an error.
type DeadLetters interface {
	Keep(ctx context.Context, l Letter) error
}

var errPanicked = errors.New("the dead letters panicked")

// keepFor bounds how long a caller waits for a dead letter to be kept.
const keepFor = 2 * time.Second

// letterHeaders lists what a letter keeps of a request's header.
var letterHeaders = []string{
	"Content-Type", "If-Match", "If-None-Match", "Prefer",
	wire.HeaderPartitionKey, wire.HeaderPartitionKeyRangeID, wire.HeaderSessionToken, wire.HeaderAllowTentativeWrites,
	"X-Ms-Documentdb-Is-Upsert", "X-Ms-Cosmos-Is-Batch-Request", "X-Ms-Cosmos-Batch-Atomic", "X-Ms-Cosmos-Batch-Ordered",
	"X-Ms-Documentdb-Pre-Trigger-Include", "X-Ms-Documentdb-Post-Trigger-Include", "X-Ms-Indexing-Directive", "X-Ms-Consistency-Level",
}

// keepLetter hands a write that was given up to the dead letters. A write that
// the service refused for good is not one, its answer is the caller's; nor is
// one that the caller cancelled.
func (s *State) keepLetter(err error) {
	if s.shared.DeadLetters == nil || s.request == nil || s.Op.Scope != wire.ScopeItem || !s.Op.Writes() {
		return
	}
	if _, gaveUp := errors.AsType[*Error](err); !gaveUp {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.caller), keepFor)
	defer cancel()
	if keepErr := s.keep(ctx, s.letter(err)); keepErr != nil {
		s.tell(event.KindLetterLost, keepErr.Error(), 0)
	}
}

// keep survives dead letters that panic.
func (s *State) keep(ctx context.Context, l Letter) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanicked
		}
	}()
	return s.shared.DeadLetters.Keep(ctx, l)
}

func (s *State) letter(err error) Letter {
	l := Letter{
		Time: time.Now(), Operation: s.Op.Kind.String(), Method: s.request.Method, Path: s.request.URL.EscapedPath(),
		Header: http.Header{}, Body: s.body, Error: err.Error(), Attempts: len(s.attempts),
	}
	for _, key := range letterHeaders {
		if values := s.request.Header[key]; values != nil {
			l.Header[key] = slices.Clone(values)
		}
	}
	for i := range s.attempts {
		a := &s.attempts[i]
		l.Status, l.SubStatus = a.Status, a.SubStatus
		l.MayHaveRun = l.MayHaveRun || a.mayHaveRun()
	}
	return l
}

// mayHaveRun reports whether the service may have executed the attempt: it was
// sent, and the answer, if any, leaves that open.
func (a *Attempt) mayHaveRun() bool {
	switch causeOf(a.outcome) {
	case event.CauseThrottling, event.CauseTopology, event.CauseSession:
		return false
	}
	return a.Sent && a.Status != http.StatusGone
}
