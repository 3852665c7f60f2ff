package attempt

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// Error is one line: the operation, its last result, how many attempts it cost
// where and over how long, what to do, and what the service calls the last
// attempt.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cosmos %s: %s", e.describe(), e.last())
	if len(e.attempts) == 0 {
		b.WriteString(" before the first attempt")
	} else {
		fmt.Fprintf(&b, " after %s over %s (%s)", plural(len(e.attempts), "attempt"), round(e.elapsed), e.where())
	}
	fmt.Fprintf(&b, ": %s; %s", e.reason, e.advice())
	if id := e.activity(); id != "" {
		fmt.Fprintf(&b, "; activity %s", id)
	}
	return b.String()
}

// activity is the identity of the last attempt that the service answered: the
// first thing that its support asks for.
func (e *Error) activity() string {
	for i := len(e.attempts) - 1; i >= 0; i-- {
		if id := e.attempts[i].ActivityID; id != "" {
			return id
		}
	}
	return ""
}

func (e *Error) describe() string {
	what := describe(&e.op)
	if e.op.Collection != "" {
		what += " in " + e.op.Collection
	}
	return what
}

func (e *Error) last() string {
	switch {
	case e.response != nil:
		last := Attempt{Status: e.response.StatusCode, SubStatus: wire.SubStatus(e.response.RawResponse.Header)}
		return last.result()
	case e.cause != nil:
		return line(e.cause)
	}
	return "no answer"
}

// line is an error's text without line breaks, and without the URL that
// [http.Client] puts before it: region and container are told already, and the
// id of an item is nobody's business.
func line(err error) string {
	text := err.Error()
	if u, ok := errors.AsType[*url.Error](err); ok {
		text = strings.ReplaceAll(text, u.Error(), u.Err.Error())
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// where counts the attempts per region, in the order of the first visit.
func (e *Error) where() string {
	var names []string
	counts := map[string]int{}
	for i := range e.attempts {
		name := e.attempts[i].where()
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if n := counts[name]; n > 1 {
			names[i] = fmt.Sprintf("%s ×%d", name, n)
		}
	}
	return strings.Join(names, ", ")
}

func (e *Error) advice() string {
	switch {
	case e.unsure:
		return "it may have been executed, so look before you repeat it"
	case e.retryAfter > 0:
		return fmt.Sprintf("retry in %s", round(e.retryAfter))
	case e.transient:
		return "retry later"
	}
	return "a retry will not help"
}

// Format prints one line for %v and %s, and the time line of all attempts for %+v.
func (e *Error) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprintf(f, "%q", e.Error())
		return
	}
	io.WriteString(f, e.Error())
	if verb != 'v' || !f.Flag('+') {
		return
	}
	timeLine(f, e.attempts)
}

// timeLine writes a line per attempt, times from the first one on.
func timeLine(w io.Writer, attempts []Attempt) {
	for i := range attempts {
		a := &attempts[i]
		fmt.Fprintf(w, "\n  %3d. +%-9s %s in %s", i+1, round(a.Start.Sub(attempts[0].Start)), a, round(a.Duration))
		if a.Wait > 0 {
			fmt.Fprintf(w, ", waited %s", round(a.Wait))
		}
		if a.Reason != "" {
			fmt.Fprintf(w, ", because %s", a.Reason)
		}
		if a.ActivityID != "" {
			fmt.Fprintf(w, ", activity %s", a.ActivityID)
		}
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// round drops digits that nobody reads.
func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
