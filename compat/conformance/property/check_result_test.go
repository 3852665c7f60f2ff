package property

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// grace is how much later than its deadline an operation may end.
const grace = 10 * time.Millisecond

func serviceError(err error) *azcore.ResponseError {
	e, _ := errors.AsType[*azcore.ResponseError](err)
	return e
}

// limits is when the operation must have ended; ok is false when nothing says so.
func (o *outcome) limit() (d time.Duration, ok bool) {
	d = stuck
	for _, l := range []time.Duration{o.script.deadline, o.script.cancel, o.operationTimeout()} {
		if l > 0 {
			d = min(d, l)
		}
	}
	return d, d < stuck
}

// operationTimeout is the deadline of the settings, which the per-call policy keeps.
func (o *outcome) operationTimeout() time.Duration {
	if o.world.client.order != nil {
		return 0
	}
	return time.Duration(o.world.settings.OperationTimeout)
}

// checkTime makes sure that the caller is back in time. azcosmos reads the account for a client's first operation
// without the caller's cancellation; that is not counted.
func checkTime(o *outcome) []string {
	limit, _ := o.limit()
	if o.cold {
		limit += 30 * time.Second
	}
	if o.elapsed > limit+grace {
		return []string{fmt.Sprintf("it took %v, the limit was %v", o.elapsed, limit)}
	}
	return nil
}

// checkResult makes sure that the caller gets the last answer, as it came, or what the rules for the end of a context say.
func checkResult(o *outcome) []string {
	switch {
	case o.panicked != "":
		return []string{"panic: " + o.panicked}
	case o.unread():
		return nil
	case o.interrupted():
		return o.checkIdle()
	case len(o.attempts) == 0:
		return []string{fmt.Sprintf("nothing was sent, error: %v", o.err)}
	}
	last := &o.attempts[len(o.attempts)-1]
	if last.answered() {
		return o.checkAnswer(last)
	}
	if o.err == nil {
		return []string{"success, although the last attempt was not answered"}
	}
	if e := o.service(); e != nil {
		return []string{fmt.Sprintf("answer %d, although the last attempt was not answered", e.StatusCode)}
	}
	return nil
}

// unread reports whether the account could not be read before the operation, which azcosmos reports in its own words.
func (o *outcome) unread() bool {
	return o.world.cold && len(o.attempts) == 0 && o.err != nil && strings.Contains(o.err.Error(), "account")
}

// interrupted reports whether the end of the caller's context, at a time when it could end, explains the error.
func (o *outcome) interrupted() bool {
	deadline, expired := o.script.deadline, false
	if t := o.operationTimeout(); t > 0 && (deadline == 0 || t < deadline) {
		deadline = t
	}
	expired = deadline > 0 && o.elapsed >= deadline && errors.Is(o.err, context.DeadlineExceeded)
	if e := o.service(); expired && o.world.client.order == nil {
		expired = e != nil && e.StatusCode == http.StatusRequestTimeout && e.RawResponse.Header.Get("x-ms-substatus") == "20008"
	}
	canceled := o.elapsed >= stuck || o.script.cancel > 0 && o.elapsed >= o.script.cancel
	return expired || canceled && errors.Is(o.err, context.Canceled)
}

// checkIdle makes sure that nobody slept into the deadline: "a retry whose delay cannot end before the deadline is not
// slept for". Only the refresh that a single-write 403/3 waits for may last until then.
func (o *outcome) checkIdle() []string {
	if len(o.attempts) == 0 || !errors.Is(o.err, context.DeadlineExceeded) {
		return nil
	}
	last := &o.attempts[len(o.attempts)-1]
	if idle := o.start.Add(o.elapsed).Sub(last.end); idle > 0 && !(last.Status == 403 && last.SubStatus == 3) {
		return []string{fmt.Sprintf("it slept for %v after the last attempt, until the deadline", idle)}
	}
	return nil
}

// checkAnswer compares what the caller got with the answer of the last attempt.
func (o *outcome) checkAnswer(last *attempt) []string {
	success := last.Status >= 200 && last.Status < 300
	response, status := o.response, 0
	if e := o.service(); e != nil {
		response, status = e.RawResponse, e.StatusCode
	} else if response != nil {
		status = response.StatusCode
	}
	switch {
	case success != (o.err == nil):
		return []string{fmt.Sprintf("the last answer was %d, the error is %v", last.Status, o.err)}
	case status != last.Status:
		return []string{fmt.Sprintf("the last answer was %d, the caller got %d", last.Status, status)}
	case response.Header.Get(answerHeader) != last.number:
		return []string{fmt.Sprintf("the last answer was number %s, the caller got number %s", last.number, response.Header.Get(answerHeader))}
	}
	if sub, _ := strconv.Atoi(response.Header.Get("x-ms-substatus")); sub != last.SubStatus {
		return []string{fmt.Sprintf("the last answer was %d/%d, the caller got sub-status %d", last.Status, last.SubStatus, sub)}
	}
	return nil
}

// secrets are what no error text may quote.
var secrets = []string{cosmostest.DefaultKey, cosmostest.DefaultKey[:20], "sig=", "sig%3d", "sig%3D", bearer, itemMark, answerMark, "pk-"}

// checkText makes sure that the error says what a reader needs and nothing that is secret, and lists the attempts.
func checkText(o *outcome) []string {
	e, ok := errors.AsType[*policies.Error](o.err)
	if !ok || o.unread() {
		return nil
	}
	list := e.Attempts()
	if n := len(list); n == len(o.attempts)+1 && errors.Is(list[n-1].Err, context.DeadlineExceeded) {
		list = list[:n-1] // begun when the deadline passed, and never sent
	}
	var problems []string
	text, long := e.Error(), fmt.Sprintf("%+v", e)
	for _, secret := range secrets {
		if strings.Contains(long, secret) {
			problems = append(problems, fmt.Sprintf("the error quotes %q", secret))
		}
	}
	needed := []string{"cosmos ", o.operationName(), fmt.Sprintf("after %d attempt", len(e.Attempts()))}
	if len(e.Attempts()) == 0 {
		needed[2] = "before the first attempt"
	}
	for i := range o.attempts {
		if region := o.attempts[i].Region; region != "global" {
			needed = append(needed, region)
		}
	}
	for _, part := range needed {
		if !strings.Contains(text, part) {
			problems = append(problems, fmt.Sprintf("the error does not say %q", part))
			break
		}
	}
	if len(problems) > 0 {
		problems = append(problems, "it says: "+long)
	}
	return append(problems, o.checkList(list)...)
}

// operationName is what errors call the script's operation.
func (o *outcome) operationName() string {
	switch o.script.kind {
	case "sproc":
		return "execute"
	case "queryAcross":
		return "query"
	case "readContainer", "readDatabase":
		return "metadata read"
	case "createContainer":
		return "metadata create"
	}
	return o.script.kind
}

// checkList compares the error's list of attempts with the log.
func (o *outcome) checkList(list []policies.Attempt) []string {
	if len(list) != len(o.attempts) {
		return []string{fmt.Sprintf("the error lists %d attempts of %d", len(list), len(o.attempts))}
	}
	for i := range list {
		a, known := &o.attempts[i], &list[i]
		same := known.Start.Equal(a.Time) && (known.Region == a.Region || known.Region == "" && a.Region == "global")
		if a.answered() {
			same = same && known.Status == a.Status && known.SubStatus == a.SubStatus && known.Err == nil
		} else {
			same = same && known.Status == 0 && known.Err != nil
		}
		if !same {
			return []string{fmt.Sprintf("attempt %d was %s, the error lists %s at %v (%+v)", i+1, a.line(o.start), known, known.Start.Sub(o.start), *known)}
		}
	}
	return nil
}
