package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// outcome is what came of one run of a step.
type outcome struct {
	response *http.Response
	err      error
	start    time.Time
	elapsed  time.Duration
	// requests are all that the account saw since the run began, in order.
	requests []cosmostest.Request
}

// status is that of the response, or of the service error; 0 when there is neither.
func (o *outcome) status() int {
	if service, ok := errors.AsType[*azcore.ResponseError](o.err); ok {
		return service.StatusCode
	}
	if o.err == nil && o.response != nil {
		return o.response.StatusCode
	}
	return 0
}

// answer is the response, or the one that the service error carries; nil when there is neither.
func (o *outcome) answer() *http.Response {
	if service, ok := errors.AsType[*azcore.ResponseError](o.err); ok {
		return service.RawResponse
	}
	return o.response
}

// subStatus is the one that goes with status, 0 when the answer has none and -1 when it is no number.
func (o *outcome) subStatus() int {
	response := o.answer()
	if response == nil || response.Header.Get("x-ms-substatus") == "" {
		return 0
	}
	value, err := strconv.Atoi(response.Header.Get("x-ms-substatus"))
	if err != nil {
		return -1
	}
	return value
}

// attempts are the requests that are no account reads.
func (o *outcome) attempts() []cosmostest.Request {
	return slices.DeleteFunc(slices.Clone(o.requests), func(r cosmostest.Request) bool { return r.Account })
}

// regions tells where the attempts went, in order.
func (o *outcome) regions() []string {
	var regions []string
	for _, attempt := range o.attempts() {
		regions = append(regions, attempt.Region)
	}
	return regions
}

// matches tells whether the error is of the kind that a case calls by name.
func (o *outcome) matches(kind string) bool {
	canceled := errors.Is(o.err, context.Canceled)
	late := errors.Is(o.err, context.DeadlineExceeded)
	_, service := errors.AsType[*azcore.ResponseError](o.err)
	switch kind {
	case "canceled":
		return canceled
	case "deadline":
		return late
	default:
		return o.err != nil && !service && !canceled && !late
	}
}

// check tells every way in which the outcome is not what is wanted.
func (w *wantSpec) check(o *outcome) []string {
	return slices.Concat(w.checkAnswer(o), w.checkAttempts(o), w.checkHeaders(o), w.checkBounds(o))
}

func (w *wantSpec) checkAnswer(o *outcome) []string {
	return slices.Concat(w.checkResult(o), w.checkContent(o))
}

// checkContent looks at the headers and the body of the answer.
func (w *wantSpec) checkContent(o *outcome) []string {
	answer := o.answer()
	if answer == nil {
		if w.Headers != nil || w.Body != nil {
			return []string{"headers, body: there is no answer"}
		}
		return nil
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(w.Headers)) {
		if got := answer.Header.Values(name); !slices.Equal(got, []string{w.Headers[name]}) {
			problems = append(problems, fmt.Sprintf("headers: %s: want %q, got %q", name, w.Headers[name], got))
		}
	}
	if w.Body != nil {
		if body, err := runtime.Payload(answer); err != nil || string(body) != *w.Body {
			problems = append(problems, fmt.Sprintf("body: want %q, got %q, error %v", *w.Body, body, err))
		}
	}
	return problems
}

func (w *wantSpec) checkResult(o *outcome) []string {
	var problems []string
	if w.Status != nil {
		if o.status() != *w.Status {
			problems = append(problems, fmt.Sprintf("status: want %d, got %d", *w.Status, o.status()))
		} else if *w.Status < 400 && o.err != nil {
			problems = append(problems, fmt.Sprintf("status %d came with an error", *w.Status))
		}
	}
	if w.SubStatus != nil && o.subStatus() != *w.SubStatus {
		problems = append(problems, fmt.Sprintf("substatus: want %d, got %d", *w.SubStatus, o.subStatus()))
	}
	if w.Error != "" && !o.matches(w.Error) {
		problems = append(problems, fmt.Sprintf("error: want a %s one, got %T", w.Error, o.err))
	}
	return problems
}

func (w *wantSpec) checkAttempts(o *outcome) []string {
	var problems []string
	regions := o.regions()
	if w.Attempts != nil && !slices.Equal(regions, w.Attempts) {
		problems = append(problems, fmt.Sprintf("attempts: want %q, got %s", w.Attempts, brief(regions)))
	}
	if w.AttemptCount != nil && len(regions) != *w.AttemptCount {
		problems = append(problems, fmt.Sprintf("attemptCount: want %d, got %d", *w.AttemptCount, len(regions)))
	}
	if w.Only != nil {
		others := slices.DeleteFunc(slices.Clone(regions), func(r string) bool { return slices.Contains(w.Only, r) })
		if len(others) > 0 {
			problems = append(problems, fmt.Sprintf("only: want %q alone, got %s too", w.Only, brief(others)))
		}
	}
	return problems
}

func (w *wantSpec) checkHeaders(o *outcome) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(w.EveryAttempt)) {
		want := []string{w.EveryAttempt[name]}
		for i, attempt := range o.attempts() {
			if got := attempt.Header.Values(name); !slices.Equal(got, want) {
				problems = append(problems, fmt.Sprintf("everyAttempt: %s of attempt %d: want %q, got %q", name, i+1, want, got))
			}
		}
	}
	return problems
}

func (w *wantSpec) checkBounds(o *outcome) []string {
	var problems []string
	if w.Elapsed != nil && (duration(o.elapsed) < w.Elapsed[0] || duration(o.elapsed) > w.Elapsed[1]) {
		problems = append(problems, fmt.Sprintf("elapsed: want %s to %s, got %s", w.Elapsed[0], w.Elapsed[1], o.elapsed))
	}
	if reads := len(o.requests) - len(o.attempts()); w.AccountReads != nil && (reads < w.AccountReads[0] || reads > w.AccountReads[1]) {
		problems = append(problems, fmt.Sprintf("accountReads: want %d to %d, got %d", w.AccountReads[0], w.AccountReads[1], reads))
	}
	return problems
}
