package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// oneRegion makes a case of steps in an account of one region, where azcosmos alone knows where to go.
func oneRegion(steps string) string {
	return `{"name": "n", "why": "w", "account": {"regions": ["East US"]}, "steps": [` + steps + `]}`
}

// runBare runs a case with azcosmos alone.
func runBare(t *testing.T, text string) error {
	t.Helper()
	spec, err := parseCase([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return runInBubble(t, spec, bare)
}

func TestOperationsSucceed(t *testing.T) {
	statuses := map[string]int{
		"read": 200, "create": 201, "upsert": 200, "replace": 200, "patch": 200, "delete": 204, "batch": 200,
		"query": 200, "queryAcross": 200, "readContainer": 200, "createContainer": 201, "sproc": 200,
	}
	for name := range operations {
		for _, pk := range []string{`"a"`, `1.5`, `true`} {
			t.Run(name+" "+pk, func(t *testing.T) {
				place := `"East US"`
				if name == "sproc" {
					place = `"global"` // no policy has routed it
				}
				step := fmt.Sprintf(`{"do": %q, "pk": %s, "range": "2", "session": "2:-1#1", "repeat": 3, "want": {"status": %d, "attempts": [%s]}}`,
					name, pk, statuses[name], place)
				if err := runBare(t, oneRegion(step)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestSteps makes sure that a step does what it says, by cases that azcosmos passes alone.
func TestSteps(t *testing.T) {
	tests := map[string]string{
		"a deadline ends it": `{"do": "read", "deadline": "2s", "faults": [{"at": "*", "transport": "blackhole"}],
			"want": {"error": "deadline", "attempts": ["East US"], "elapsed": ["2s", "2s"]}}`,
		"so does the caller": `{"do": "read", "cancelAfter": "1s", "faults": [{"at": "*", "transport": "blackhole"}],
			"want": {"error": "canceled", "attempts": ["East US"], "elapsed": ["1s", "1s"]}}`,
		"times are counted anew in each run": `{"do": "read", "repeat": 2, "faults": [{"at": "*", "status": 400, "times": 1}], "want": {"status": 400}}`,
		"faults end with their step": `{"do": "read", "faults": [{"at": "*", "status": 400}], "want": {"status": 400}},
			{"do": "read", "want": {"status": 200}}`,
		"the first fault that is not used up answers": `{"do": "read", "faults": [{"at": "West US", "status": 401}, {"at": "*", "status": 400}, {"at": "*", "status": 412}], "want": {"status": 400}}`,
		"a fault of another range does not answer":    `{"do": "read", "pk": "b", "range": "1", "faults": [{"at": "*", "range": "0", "status": 400}], "want": {"status": 200}}`,
		"a fault of this range does":                  `{"do": "read", "pk": "b", "range": "1", "faults": [{"at": "*", "range": "1", "status": 400, "substatus": 1001}], "want": {"status": 400, "substatus": 1001}}`,
		"a fault on account reads spares the rest":    `{"do": "read", "faults": [{"at": "global", "on": "account", "delay": "3s"}], "want": {"status": 200, "elapsed": ["3s", "3s"], "accountReads": [1, 1]}}`,
		"account reads count within the step":         `{"do": "read", "want": {"accountReads": [1, 1]}}, {"do": "read", "want": {"accountReads": [0, 0]}}`,
		"time passes before the step, not in it":      `{"do": "read", "want": {"status": 200}}, {"do": "read", "advance": "60s", "want": {"elapsed": ["0s", "0s"]}}`,
		"the session token is sent":                   `{"do": "read", "session": "0:-1#7", "want": {"everyAttempt": {"x-ms-session-token": "0:-1#7"}}}`,
		"headers and body are the fault's": `{"do": "read", "faults": [{"at": "*", "status": 400, "body": "", "headers": {"x-ms-substatus": "7"}}],
			"want": {"status": 400, "substatus": 7}}`,
		"304 is a success": `{"do": "read", "faults": [{"at": "*", "status": 304}], "want": {"status": 304}}`,
		"what changes about the account is there in the step": `{"do": "read", "want": {"status": 200}},
			{"do": "create", "account": {"write": ["West US"]}, "want": {"status": 201, "attempts": ["East US", "West US"]}}`,
		"what changes later is there later": `{"do": "read", "want": {"status": 200}},
			{"do": "create", "changes": [{"after": "1s", "account": {"write": ["West US"]}}], "faults": [{"at": "East US", "delay": "2s"}],
			"want": {"status": 201, "attempts": ["East US"]}},
			{"do": "create", "want": {"status": 201, "attempts": ["East US", "West US"]}}`,
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			steps = `{"name": "n", "why": "w", "account": {"regions": ["East US", "West US"]}, "client": {"preferred": ["East US"]}, "steps": [` + steps + `]}`
			if err := runBare(t, steps); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWhatHangsFails makes sure that an operation without an end does not hold the others up.
func TestWhatHangsFails(t *testing.T) {
	err := runBare(t, oneRegion(`{"do": "read", "faults": [{"at": "*", "transport": "blackhole"}], "want": {"status": 200}}`))
	if err == nil || !strings.Contains(err.Error(), errStuck.Error()) {
		t.Errorf("want an error that says %q, got %v", errStuck, err)
	}
}
