package cosmostest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Header names that the account reads or writes, in canonical form.
const (
	headerSubStatus    = "X-Ms-Substatus"
	headerPartitionKey = "X-Ms-Documentdb-Partitionkey"
	headerRangeID      = "X-Ms-Documentdb-Partitionkeyrangeid"
	headerSession      = "X-Ms-Session-Token"
	headerCharge       = "X-Ms-Request-Charge"
	headerActivity     = "X-Ms-Activity-Id"
	headerContinuation = "X-Ms-Continuation"
	headerItemCount    = "X-Ms-Item-Count"
	headerMaxItems     = "X-Ms-Max-Item-Count"
	headerContentPath  = "X-Ms-Content-Path"
	headerAltPath      = "X-Ms-Alt-Content-Path"
)

// answer is what the account says to one request.
type answer struct {
	status, subStatus int
	rangeID           string // the physical partition that answered
	header            http.Header
	body              []byte
	cut               bool // the body breaks off
	bandwidth         int  // bytes of the body in a second; 0 for all at once
}

// answerHeaders is about how many headers an answer has.
const answerHeaders = 24

func newAnswer(status int) *answer {
	h := make(http.Header, answerHeaders)
	h["Content-Type"] = []string{"application/json"}
	return &answer{status: status, header: h}
}

func (ans *answer) setSubStatus(sub int) {
	ans.subStatus = sub
	ans.header[headerSubStatus] = []string{strconv.Itoa(sub)}
}

// failure is an error that has a status. The account's own refusals are failures.
type failure struct {
	status, subStatus int
	message           string
	retryAfter        time.Duration
}

// Error shows the status, the sub-status and the message.
func (f *failure) Error() string { return fmt.Sprintf("%d/%d: %s", f.status, f.subStatus, f.message) }

// fail returns a failure; args fill in format.
func fail(status, subStatus int, format string, args ...any) *failure {
	return &failure{status: status, subStatus: subStatus, message: fmt.Sprintf(format, args...)}
}

func (f *failure) answer() *answer {
	ans := newAnswer(f.status)
	ans.body = errorBody(f.status, f.message)
	if f.subStatus != 0 || f.status == http.StatusNotFound {
		ans.setSubStatus(f.subStatus)
	}
	return ans
}

// errorCodes are the codes in error bodies that are not the status text without spaces.
var errorCodes = map[int]string{
	http.StatusTooManyRequests:       "429",
	http.StatusRequestEntityTooLarge: "RequestEntityTooLarge",
	449:                              "RetryWith",
}

// errorBody is the JSON body of an error.
func errorBody(status int, message string) []byte {
	code, ok := errorCodes[status]
	if !ok {
		for _, r := range http.StatusText(status) {
			if r != ' ' && r != '-' {
				code += string(r)
			}
		}
	}
	body, _ := json.Marshal(map[string]string{"code": code, "message": message}) // strings: cannot fail
	return body
}
