package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// hintHeaders lists where the service says how long to wait, in the order in
// which azcore reads them.
var hintHeaders = []struct {
	key  string
	unit time.Duration
	date bool
}{
	{HeaderRetryAfterMS, time.Millisecond, false},
	{HeaderRetryAfterMSPlain, time.Millisecond, false},
	{HeaderRetryAfter, time.Second, true},
}

// RetryAfter returns the wait that the service asks for; ok is false when it asks for
// none or says something that makes no sense. now places a date. It is pure.
func RetryAfter(h http.Header, now time.Time) (d time.Duration, ok bool) {
	for _, header := range hintHeaders {
		value := strings.TrimSpace(Get(h, header.key))
		if value == "" {
			continue
		}
		if d, ok := parseWait(value, header.unit); ok {
			return d, true
		}
		if !header.date {
			continue
		}
		if at, err := http.ParseTime(value); err == nil && at.After(now) {
			return at.Sub(now), true
		}
	}
	return 0, false
}

// parseWait reads a non-negative decimal number of units. A number that no
// Duration can hold is the longest one: it will not fit any budget.
func parseWait(value string, unit time.Duration) (time.Duration, bool) {
	if strings.Trim(value, "0123456789.") != "" {
		return 0, false // a sign, an exponent, "NaN", text
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil && !math.IsInf(n, 1) {
		return 0, false
	}
	wait := math.Ceil(n * float64(unit))
	if wait >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return time.Duration(wait), true
}
