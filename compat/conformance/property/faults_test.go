package property

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// answerMark stands in the bodies of fault answers, which no error text may quote.
const answerMark = "answer-body-3f9c"

// statuses are what the service, or somebody between, may answer, the more interesting ones more than once.
var statuses = [][2]int{
	{503, 0}, {503, 0}, {503, 0}, {503, 20003}, {500, 0}, {500, 0}, {502, 0}, {504, 0}, {501, 0}, {505, 0}, {599, 0},
	{408, 0}, {408, 0}, {408, 20008}, {410, 0}, {410, 1000}, {410, 1002}, {410, 1002}, {410, 1007}, {410, 1008}, {410, 1022},
	{429, 0}, {429, 0}, {429, 3200}, {429, 3200}, {429, 3092}, {429, 3092}, {449, 0}, {449, 0}, {449, 5352},
	{404, 1002}, {404, 1002}, {404, 1002}, {404, 1002}, {404, 0}, {404, 1003},
	{403, 3}, {403, 3}, {403, 3}, {403, 3}, {403, 1008}, {403, 1008}, {403, 1008}, {403, 0}, {403, 5300},
	{400, 0}, {400, 1001}, {401, 0}, {409, 0}, {412, 0}, {413, 0}, {422, 0}, {451, 0}, {499, 0}, {418, 1008}, {300, 3},
}

var transports = []cosmostest.TransportFault{
	cosmostest.Refused, cosmostest.Refused, cosmostest.DNS, cosmostest.TLS, cosmostest.Reset, cosmostest.Reset,
	cosmostest.EOF, cosmostest.Blackhole, cosmostest.Truncated, cosmostest.ResetMidBody,
}

// hint is how an answer may say when to come back, and what that means; a negative wait means nothing.
type hint struct {
	header, value string
	wait          time.Duration
}

const noHint = time.Duration(-1)

// hints has a date that lies in the bubble's past or future, depending on how long the world has lasted; it is told by
// [hint.at].
var hints = []hint{
	{"X-Ms-Retry-After-Ms", "0", 0}, {"X-Ms-Retry-After-Ms", "1", time.Millisecond}, {"X-Ms-Retry-After-Ms", "50", 50 * time.Millisecond},
	{"X-Ms-Retry-After-Ms", "1500", 1500 * time.Millisecond}, {"X-Ms-Retry-After-Ms", "9000", 9 * time.Second},
	{"X-Ms-Retry-After-Ms", "31000", 31 * time.Second}, {"X-Ms-Retry-After-Ms", "-5", noHint}, {"X-Ms-Retry-After-Ms", "soon", noHint},
	{"Retry-After-Ms", "250", 250 * time.Millisecond}, {"Retry-After", "1", time.Second}, {"Retry-After", "3", 3 * time.Second},
	{"Retry-After", "99999999999999999999", 24 * time.Hour}, {"Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", noHint},
	{"Retry-After", "Sat, 01 Jan 2000 00:01:00 GMT", noHint},
}

// faults draws how the account answers one operation: what each region says, attempt by attempt, and what it says
// from then on.
func (d dice) faults(w *world) []cosmostest.Fault {
	var faults []cosmostest.Fault
	if d.oneIn(8) {
		return nil
	}
	if d.oneIn(6) {
		faults = append(faults, d.accountFault())
	}
	for range d.IntN(5) {
		region := pick(d, append([]string{"*", ""}, w.account.regions...)...)
		for range 1 + d.IntN(3) {
			faults = append(faults, d.fault(region, pick(d, 1, 1, 1, 2, 4)))
		}
	}
	if d.percent(40) {
		faults = append(faults, d.fault(pick(d, append([]string{"*", "*", "*"}, w.account.regions...)...), 0))
	}
	return faults
}

func (d dice) fault(region string, times int) cosmostest.Fault {
	f := cosmostest.Fault{Region: region, Times: times}
	if d.percent(75) {
		status := pick(d, statuses...)
		f.Status, f.SubStatus = status[0], status[1]
		f.HasSub = d.oneIn(4)
		if h := pick(d, hints...); f.Status == 429 && d.percent(70) || d.oneIn(12) {
			f.Header = http.Header{h.header: {h.value}}
		}
		f.Body = d.body()
	} else {
		f.Transport = pick(d, transports...)
		f.Applied = d.oneIn(5)
	}
	if d.oneIn(6) {
		f.Delay = pick(d, time.Millisecond, 50*time.Millisecond, 900*time.Millisecond, 5900*time.Millisecond, 7*time.Second, 70*time.Second)
	}
	return f
}

// body draws the body of an answer; nil is the usual one.
func (d dice) body() *string {
	if d.percent(70) {
		return nil
	}
	body := pick(d, "", "<html>"+answerMark+"</html>", `{"code":"X","message":"`+answerMark+`"}`, `{"code":`, strings.Repeat(answerMark, 500), "null", "\x00\xff"+answerMark)
	return &body
}

// accountFault draws how an account read fails.
func (d dice) accountFault() cosmostest.Fault {
	f := cosmostest.Fault{Account: true, Region: pick(d, append([]string{"", "", "global", "global", "*"}, allRegions...)...), Times: pick(d, 0, 0, 1, 2)}
	switch d.IntN(4) {
	case 0:
		f.Status = pick(d, 200, 401, 403, 404, 408, 410, 429, 500, 503)
		body := pick(d, "", "{}", "<html>", "[]", `{"readableLocations":[{"name":"","databaseAccountEndpoint":"x"}]}`)
		f.Body = &body
	case 1:
		f.Delay = pick(d, time.Millisecond, time.Second, 4*time.Second, 6*time.Second)
	default:
		f.Transport = pick(d, transports...)
	}
	return f
}

// coldFaults lets account reads fail for the first script of a cold world, and only there: later failures would meet
// azcosmos's own account reads, which hold a lock that every operation needs.
func (d dice) coldFaults(faults []cosmostest.Fault, first bool) []cosmostest.Fault {
	var kept []cosmostest.Fault
	for _, f := range faults {
		if !f.Account {
			kept = append(kept, f)
		}
	}
	if first {
		for range 1 + d.IntN(4) {
			kept = append(kept, d.accountFault())
		}
	}
	return kept
}

// dateHint is the wait until the one date among the hints that may lie ahead.
func (h hint) at(now time.Time) time.Duration {
	if date, err := http.ParseTime(h.value); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return h.wait
}

// hintOf tells what an answer's header asks for, by the table above.
func hintOf(header http.Header, now time.Time) time.Duration {
	for _, h := range hints {
		if header.Get(h.header) == h.value {
			return h.at(now)
		}
	}
	return noHint
}

var _ fmt.Stringer = (*script)(nil)
