package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// answered is a response as the service gives it.
func answered(status int, subStatus string) *http.Response {
	response := &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody}
	if subStatus != "" {
		response.Header.Set("x-ms-substatus", subStatus)
	}
	return response
}

// failed is the error that azcosmos makes of a response, wrapped as the policies may wrap it.
func failed(status int, subStatus string) error {
	return fmt.Errorf("failed: %w", &azcore.ResponseError{StatusCode: status, RawResponse: answered(status, subStatus)})
}

// sent are requests to the regions, with a session token; an empty region is an account read.
func sent(regions ...string) []cosmostest.Request {
	var requests []cosmostest.Request
	for _, region := range regions {
		requests = append(requests, cosmostest.Request{
			Region: region, Account: region == "", Method: "GET", Path: "/", Header: http.Header{"X-Ms-Session-Token": {"0:1"}},
		})
	}
	return requests
}

func TestCheck(t *testing.T) {
	late := outcome{err: errors.Join(failed(408, "20008"), context.DeadlineExceeded)}
	twice := sent("East US")
	twice[0].Header.Add("x-ms-session-token", "0:1")
	tests := map[string]struct {
		want string
		got  outcome
		// problems are what is found, by their first words.
		problems []string
	}{
		"nothing wanted":             {`{}`, outcome{err: errors.New("x"), requests: sent("East US")}, nil},
		"the status of a response":   {`{"status": 200, "substatus": 0}`, outcome{response: answered(200, "")}, nil},
		"another status":             {`{"status": 201}`, outcome{response: answered(200, "")}, []string{"status: want 201, got 200"}},
		"the status of an error":     {`{"status": 404, "substatus": 1002}`, outcome{err: failed(404, "1002")}, nil},
		"another substatus":          {`{"status": 404, "substatus": 0}`, outcome{err: failed(404, "1003")}, []string{"substatus: want 0, got 1003"}},
		"a substatus of words":       {`{"substatus": 0}`, outcome{response: answered(200, "none")}, []string{"substatus: want 0, got -1"}},
		"no answer":                  {`{"status": 200}`, outcome{err: errors.New("x")}, []string{"status: want 200, got 0"}},
		"a response and an error":    {`{"status": 200}`, outcome{response: answered(200, ""), err: errors.New("x")}, []string{"status: want 200, got 0"}},
		"an error of success":        {`{"status": 200}`, outcome{err: failed(200, "")}, []string{"status 200 came with an error"}},
		"a transport error":          {`{"error": "transport"}`, outcome{err: errors.New("x")}, nil},
		"no transport error":         {`{"error": "transport"}`, outcome{err: failed(503, "")}, []string{"error: want a transport one"}},
		"a context is no transport":  {`{"error": "transport"}`, outcome{err: context.Canceled}, []string{"error: want a transport one"}},
		"success is no error":        {`{"error": "transport"}`, outcome{response: answered(200, "")}, []string{"error: want a transport one"}},
		"deadline and 408":           {`{"error": "deadline", "status": 408, "substatus": 20008}`, late, nil},
		"408 alone is no deadline":   {`{"error": "deadline"}`, outcome{err: failed(408, "20008")}, []string{"error: want a deadline one"}},
		"canceled":                   {`{"error": "canceled"}`, outcome{err: fmt.Errorf("x: %w", context.Canceled)}, nil},
		"attempts in order":          {`{"attempts": ["East US", "West US"]}`, outcome{requests: sent("", "East US", "", "West US")}, nil},
		"attempts out of order":      {`{"attempts": ["East US", "West US"]}`, outcome{requests: sent("West US", "East US")}, []string{"attempts: want"}},
		"no attempt":                 {`{"attempts": []}`, outcome{requests: sent("")}, nil},
		"an attempt too many":        {`{"attempts": []}`, outcome{requests: sent("East US")}, []string{"attempts: want"}},
		"the number of attempts":     {`{"attemptCount": 2}`, outcome{requests: sent("East US")}, []string{"attemptCount: want 2, got 1"}},
		"attempts elsewhere":         {`{"only": ["East US"]}`, outcome{requests: sent("East US", "West US")}, []string{"only: want"}},
		"attempts nowhere else":      {`{"only": ["East US"]}`, outcome{requests: sent("East US", "East US")}, nil},
		"within the bounds":          {`{"elapsed": ["1s", "2s"], "accountReads": [1, 1]}`, outcome{elapsed: 2 * time.Second, requests: sent("")}, nil},
		"too fast":                   {`{"elapsed": ["1s", "2s"]}`, outcome{elapsed: time.Second - 1}, []string{"elapsed: want 1s to 2s"}},
		"too slow":                   {`{"elapsed": ["1s", "2s"]}`, outcome{elapsed: 2*time.Second + 1}, []string{"elapsed: want 1s to 2s"}},
		"too many account reads":     {`{"accountReads": [0, 1]}`, outcome{requests: sent("", "")}, []string{"accountReads: want 0 to 1, got 2"}},
		"a header on every attempt":  {`{"everyAttempt": {"x-ms-session-token": "0:1"}}`, outcome{requests: sent("East US", "West US")}, nil},
		"another value":              {`{"everyAttempt": {"x-ms-session-token": "0:2"}}`, outcome{requests: sent("East US")}, []string{"everyAttempt: x-ms-session-token of attempt 1"}},
		"a header twice":             {`{"everyAttempt": {"x-ms-session-token": "0:1"}}`, outcome{requests: twice}, []string{"everyAttempt: x-ms-session-token"}},
		"headers of the answer":      {`{"headers": {"x-ms-substatus": "3"}}`, outcome{err: failed(403, "3")}, nil},
		"another header":             {`{"headers": {"x-ms-substatus": "3"}}`, outcome{response: answered(403, "4")}, []string{"headers: x-ms-substatus: want"}},
		"headers of no answer":       {`{"headers": {"x-ms-substatus": "3"}}`, outcome{err: errors.New("x")}, []string{"headers, body: there is no answer"}},
		"the body of the answer":     {`{"body": ""}`, outcome{response: answered(200, "")}, nil},
		"another body":               {`{"body": "x"}`, outcome{response: answered(200, "")}, []string{"body: want"}},
		"everything wrong, reported": {`{"status": 200, "attemptCount": 1, "elapsed": ["1s", "1s"]}`, outcome{}, []string{"status", "attemptCount", "elapsed"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var want wantSpec
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			problems := want.check(&test.got)
			if !slices.EqualFunc(problems, test.problems, strings.HasPrefix) {
				t.Errorf("want %q, got %q", test.problems, problems)
			}
		})
	}
}

func TestReport(t *testing.T) {
	spec := &caseSpec{Name: "a name", Why: "a reason"}
	result := &outcome{err: failed(503, ""), elapsed: time.Second}
	for i := range 50 {
		request := sent("East US")[0]
		request.Time = result.start.Add(time.Duration(i) * time.Second)
		request.Status = 503
		result.requests = append(result.requests, request)
	}
	text := report(spec, "step 2 of 3", []string{"status: want 200, got 503"}, result)
	for _, want := range []string{
		"a name", "a reason", "step 2 of 3", "want 200, got 503", "failed: ", "requests of this run: 50",
		"+19s", "… 20 more …", "+40s", "+49s", "East US        GET    / → 503/0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}
