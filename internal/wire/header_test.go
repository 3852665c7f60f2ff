package wire_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// now is the moment at which the waits of the tables are read.
var now = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

func at(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }

var retryAfterCases = []struct {
	name   string
	header http.Header
	want   time.Duration
	ok     bool
}{
	{"nothing", headers(), 0, false},
	{"milliseconds", headers("x-ms-retry-after-ms", "1500"), 1500 * time.Millisecond, true},
	{"milliseconds of azcore", headers("retry-after-ms", "20"), 20 * time.Millisecond, true},
	{"seconds", headers("Retry-After", "3"), 3 * time.Second, true},
	{"zero means now", headers("x-ms-retry-after-ms", "0"), 0, true},
	{"zero seconds mean now", headers("Retry-After", "0"), 0, true},
	{"a fraction of a millisecond is not cut off", headers("x-ms-retry-after-ms", "0.25"), 250 * time.Microsecond, true},
	{"a fraction of a nanosecond is rounded up", headers("x-ms-retry-after-ms", "0.0000001"), 1, true},
	{"a fraction of a second", headers("Retry-After", "1.5"), 1500 * time.Millisecond, true},
	{"blanks around it", headers("Retry-After", " 2\t"), 2 * time.Second, true},
	{"a date", headers("Retry-After", at(90*time.Second)), 90 * time.Second, true},
	{"a date of long ago", headers("Retry-After", at(-time.Hour)), 0, false},
	{"a date that is now", headers("Retry-After", at(0)), 0, false},
	{"an old form of date", headers("Retry-After", now.Add(time.Minute).Format(time.ANSIC)), time.Minute, true},
	{"a date as milliseconds", headers("x-ms-retry-after-ms", at(time.Minute)), 0, false},
	{"negative milliseconds", headers("x-ms-retry-after-ms", "-5"), 0, false},
	{"negative seconds", headers("Retry-After", "-1"), 0, false},
	{"a plus sign", headers("Retry-After", "+1"), 0, false},
	{"garbage", headers("x-ms-retry-after-ms", "soon"), 0, false},
	{"not a number", headers("x-ms-retry-after-ms", "NaN"), 0, false},
	{"infinity", headers("x-ms-retry-after-ms", "Inf"), 0, false},
	{"an exponent", headers("x-ms-retry-after-ms", "1e3"), 0, false},
	{"hexadecimal", headers("x-ms-retry-after-ms", "0x10"), 0, false},
	{"an underscore", headers("x-ms-retry-after-ms", "1_000"), 0, false},
	{"two points", headers("x-ms-retry-after-ms", "1.2.3"), 0, false},
	{"a point alone", headers("x-ms-retry-after-ms", "."), 0, false},
	{"other digits", headers("x-ms-retry-after-ms", "١٢"), 0, false},
	{"a unit", headers("x-ms-retry-after-ms", "10ms"), 0, false},
	{"more than a duration holds", headers("x-ms-retry-after-ms", "9223372036855"), math.MaxInt64, true},
	{"more than a float holds", headers("Retry-After", strings.Repeat("9", 400)), math.MaxInt64, true},
	{"garbage does not hide the next header", headers("x-ms-retry-after-ms", "?", "retry-after-ms", "-1", "Retry-After", "4"), 4 * time.Second, true},
	{"the service's own header counts first", headers("x-ms-retry-after-ms", "1", "retry-after-ms", "2", "Retry-After", "3"), time.Millisecond, true},
	{"azcore's header counts second", headers("retry-after-ms", "2", "Retry-After", "3"), 2 * time.Millisecond, true},
}

func TestRetryAfterReadsWhatTheServiceAsksFor(t *testing.T) {
	for _, c := range retryAfterCases {
		t.Run(c.name, func(t *testing.T) {
			if d, ok := wire.RetryAfter(c.header, now); d != c.want || ok != c.ok {
				t.Errorf("%v: got %v, %v, want %v, %v", c.header, d, ok, c.want, c.ok)
			}
		})
	}
}

func TestSubStatusIsANumberOrNothing(t *testing.T) {
	for value, want := range map[string]int{"": 0, "3": 3, "1002": 1002, "20008": 20008, "three": 0, "3.5": 0, " 3": 0, "99999999999999999999": 0} {
		if got := wire.SubStatus(headers("x-ms-substatus", value)); got != want {
			t.Errorf("%q: got %d, want %d", value, got, want)
		}
	}
	if got := wire.SubStatus(nil); got != 0 {
		t.Errorf("no header: got %d", got)
	}
}

func TestPartitionKeyRangeIDComesFromTheAnswer(t *testing.T) {
	for _, c := range []struct{ rangeID, token, want string }{
		{"7", "", "7"},
		{"7", "3:-1#42", "7"},
		{"", "3:-1#42", "3"},
		{"", "3:1#42#4=9", "3"},
		{"", "3:-1#42,4:-1#7", ""}, // of several partitions
		{"", "42", ""},
		{"", "", ""},
	} {
		h := headers("x-ms-documentdb-partitionkeyrangeid", c.rangeID, "x-ms-session-token", c.token)
		if got := wire.PartitionKeyRangeID(h); got != c.want {
			t.Errorf("range %q, token %q: got %q, want %q", c.rangeID, c.token, got, c.want)
		}
	}
}

func TestSetTrueReplacesTheHeaderAsAWhole(t *testing.T) {
	h := http.Header{wire.HeaderNoRetry449: {"false", "maybe"}}
	other := http.Header{}
	wire.SetTrue(h, wire.HeaderNoRetry449)
	wire.SetTrue(other, wire.HeaderNoRetry449)
	h.Add(wire.HeaderNoRetry449, "again")
	if got := other[wire.HeaderNoRetry449]; len(got) != 1 || got[0] != "true" {
		t.Errorf("the other request's header is %q", got)
	}
	if n := testing.AllocsPerRun(100, func() { wire.SetTrue(other, wire.HeaderNoRetry449) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestHeaderNamesAreCanonical(t *testing.T) {
	for _, name := range []string{
		wire.HeaderSubStatus, wire.HeaderActivityID, wire.HeaderPartitionKey, wire.HeaderPartitionKeyRangeID,
		wire.HeaderSessionToken, wire.HeaderCollectionRID, wire.HeaderRetryAfterMS, wire.HeaderRetryAfterMSPlain,
		wire.HeaderRetryAfter, wire.HeaderNoRetry449, wire.HeaderAllowTentativeWrites,
	} {
		if canonical := http.CanonicalHeaderKey(name); canonical != name {
			t.Errorf("%q: canonical is %q", name, canonical)
		}
	}
}
