package failover

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// specRow is one row of the tables of "Status Code Handling" in the retry
// specification, typed out by hand from its text and not from the rules.
type specRow struct {
	section  string
	statuses []int
	subs     []int // nil: any
	who      string
	multi    string // "single", "multi" or ""
	sent     string // transport errors: "not sent", "sent"
	want     string
}

// What a row asks of this policy. Rows of other policies are "not ours".
const (
	wantAbort   = "abort"    // the answer is the caller's, untouched
	wantSurface = "surface"  // one request, and the outer layers stop
	wantGeneric = "failover" // 3 failover attempts
	wantBackend = "backend"  // 120 attempts × 1000 ms
	wantNotOurs = "not ours"
)

var spec = []specRow{
	{section: "success", statuses: []int{200, 201, 204, 207, 304}, want: wantAbort},

	{section: "Non-Retryable", statuses: []int{400, 401, 409, 412, 413, 422, 451}, want: wantAbort},
	{section: "Non-Retryable", statuses: []int{404}, subs: []int{0, 1003, 1008, 3092}, want: wantAbort},

	{section: "449 — Retry With", statuses: []int{449}, want: wantNotOurs},

	{section: "403 — Forbidden: 3, writes only", statuses: []int{403}, subs: []int{3}, who: "write", multi: "single", want: wantGeneric},
	{section: "403 — Forbidden: 3, writes only", statuses: []int{403}, subs: []int{3}, who: "write", multi: "multi", want: wantBackend},
	{section: "403 — Forbidden: 3 on a read is Other", statuses: []int{403}, subs: []int{3}, who: "read", want: wantSurface},
	{section: "403 — Forbidden: 1008, all op types", statuses: []int{403}, subs: []int{1008}, want: wantBackend},
	{section: "403 — Forbidden: Other", statuses: []int{403}, subs: []int{0, 1002, 1003, 3092, 5300}, want: wantAbort},

	{section: "404/1002", statuses: []int{404}, subs: []int{1002}, want: wantNotOurs},

	{section: "408", statuses: []int{408}, who: "read", want: wantGeneric},
	{section: "408", statuses: []int{408}, who: "write but no stored procedure", want: wantGeneric},
	{section: "408", statuses: []int{408}, who: "once", want: wantSurface},

	{section: "410", statuses: []int{410}, want: wantGeneric},

	{section: "429 standard", statuses: []int{429}, subs: []int{0, 3, 1002, 1003, 1008, 3200, 5300}, want: wantNotOurs},
	{section: "429/3092", statuses: []int{429}, subs: []int{3092}, who: "read", want: wantGeneric},
	{section: "429/3092", statuses: []int{429}, subs: []int{3092}, who: "write but no stored procedure", want: wantGeneric},
	{section: "429/3092", statuses: []int{429}, subs: []int{3092}, who: "once", want: wantSurface},

	{section: "5xx", statuses: []int{500, 501, 502, 503, 504, 599}, who: "read", want: wantGeneric},
	{section: "5xx", statuses: []int{500, 501, 502, 503, 504, 599}, who: "write but no stored procedure", want: wantGeneric},
	{section: "5xx", statuses: []int{500, 501, 502, 503, 504, 599}, who: "once", want: wantSurface},

	{section: "Transport: not sent, any", statuses: []int{0}, sent: "not sent", want: wantGeneric},
	{section: "Transport: sent, reads", statuses: []int{0}, who: "read", sent: "sent", want: wantGeneric},
	{section: "Transport: sent, writes", statuses: []int{0}, who: "write but no stored procedure", sent: "sent", want: wantGeneric},
	{section: "Transport: sent, stored procedure", statuses: []int{0}, who: "once", sent: "sent", want: wantSurface},
}

// situation is one point of the product that the test walks.
type situation struct {
	status, sub int
	kind        wire.Kind
	retryWrites bool
	multi, sent bool
}

func (s situation) String() string {
	return fmt.Sprintf("%d/%d on a %s (retry writes %v), multi-write %v, sent %v", s.status, s.sub, s.kind, s.retryWrites, s.multi, s.sent)
}

func (r *specRow) covers(s situation) bool {
	once := s.kind == wire.KindExecute || !s.retryWrites && s.kind > wire.KindQuery
	return contains(r.statuses, s.status) && (r.subs == nil || contains(r.subs, s.sub)) &&
		map[string]bool{
			"":                              true,
			"read":                          s.kind <= wire.KindQuery,
			"write":                         s.kind > wire.KindQuery,
			"write but no stored procedure": s.kind > wire.KindQuery && !once,
			"once":                          once,
		}[r.who] &&
		(r.multi == "" || (r.multi == "multi") == s.multi) &&
		(r.sent == "" || (r.sent == "sent") == s.sent)
}

func contains(list []int, n int) bool {
	return slices.Contains(list, n)
}

// TestRulesFollowTheSpecification walks the whole product of status,
// sub-status, operation, account and sent, and compares the rules with the
// specification's tables. Every point must have exactly one row there.
func TestRulesFollowTheSpecification(t *testing.T) {
	statuses := []int{0, 200, 201, 204, 207, 304, 400, 401, 403, 404, 408, 409, 410, 412, 413, 422, 429, 449, 451, 500, 501, 502, 503, 504, 599}
	subs := []int{0, 3, 1002, 1003, 1008, 3092, 3200, 5300}
	points := 0
	for _, status := range statuses {
		for _, sub := range subs {
			for kind := wire.KindRead; kind <= wire.KindExecute; kind++ {
				for bits := range 8 {
					s := situation{status, sub, kind, bits&1 != 0, bits&2 != 0, bits&4 != 0}
					if s.skip() {
						continue
					}
					points++
					checkSituation(t, s)
				}
			}
		}
	}
	if points < 6_000 {
		t.Errorf("walked %d points: want the whole product", points)
	}
}

// skip drops points that cannot be: an answer without a request, sub-statuses
// without an answer, and those that the tables above do not enumerate.
func (s situation) skip() bool {
	switch {
	case s.status != 0 && !s.sent, s.status == 0 && s.sub != 0:
		return true
	case s.status == 404:
		return contains([]int{3, 3200, 5300}, s.sub)
	case s.status == 403:
		return s.sub == 3200
	}
	return false
}

func checkSituation(t *testing.T, s situation) {
	t.Helper()
	var row *specRow
	for i := range spec {
		if !spec[i].covers(s) {
			continue
		}
		if row != nil {
			t.Fatalf("%v: rows %q and %q of the specification both speak of it", s, row.section, spec[i].section)
		}
		row = &spec[i]
	}
	if row == nil {
		t.Fatalf("%v: no row of the specification speaks of it", s)
	}
	if got := verdictOf(s); got != row.want && !(row.want == wantNotOurs && got == wantAbort) {
		t.Errorf("%v: got %s, want %s (%s)", s, got, row.want, row.section)
	}
}

func verdictOf(s situation) string {
	o := (*Options)(nil).withDefaults()
	op := wire.Operation{Kind: s.kind}
	f := facts{outcome: attempt.Outcome{Class: attempt.Answered, Status: s.status, SubStatus: s.sub, Sent: s.sent},
		class: classOf(&op, s.retryWrites), account: singleWrite}
	if s.status == 0 {
		f.outcome.Class = attempt.Failed
	}
	if s.multi {
		f.account = multiWrite
	}
	switch d := decide(&o, f); d.verdict {
	case giveUp:
		return wantSurface
	case nextRegion:
		return wantGeneric
	case nextBackend:
		return wantBackend
	}
	return wantAbort
}
