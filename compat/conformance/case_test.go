package conformance

import (
	"strings"
	"testing"
	"time"
)

// wrap makes a case of a step.
func wrap(step string) string {
	return `{"name": "n", "why": "w", "steps": [` + step + `]}`
}

func TestParseCaseRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no name":                     {`{"why": "w", "steps": [{"do": "read", "want": {}}]}`, "name, why and steps"},
		"no why":                      {`{"name": "n", "steps": [{"do": "read", "want": {}}]}`, "name, why and steps"},
		"no steps":                    {`{"name": "n", "why": "w", "steps": []}`, "name, why and steps"},
		"an unknown field":            {`{"name": "n", "why": "w", "step": []}`, "case.step is unknown"},
		"an unknown field deep down":  {wrap(`{"do": "read", "want": {"status": 200, "state": 1}}`), "case.steps[0].want.state is unknown"},
		"another case of letters":     {wrap(`{"do": "read", "want": {"Status": 200}}`), "case.steps[0].want.Status is unknown"},
		"a field twice":               {wrap(`{"do": "read", "do": "read", "want": {}}`), "case.steps[0].do occurs twice"},
		"a header twice":              {wrap(`{"do": "read", "faults": [{"at": "*", "status": 429, "headers": {"a": "1", "a": "2"}}], "want": {}}`), "headers.a occurs twice"},
		"null":                        {wrap(`{"do": "read", "faults": null, "want": {}}`), "case.steps[0].faults is null"},
		"no want":                     {wrap(`{"do": "read"}`), "step 1: want is required"},
		"an unknown operation":        {wrap(`{"do": "truncate", "want": {}}`), `unknown operation "truncate"`},
		"a list as partition key":     {wrap(`{"do": "read", "pk": ["a"], "want": {}}`), "no partition key value"},
		"an odd range":                {wrap(`{"do": "read", "range": "00", "want": {}}`), `range: "00"`},
		"a number as duration":        {wrap(`{"do": "read", "deadline": 2, "want": {}}`), "a duration is a string"},
		"a negative duration":         {wrap(`{"do": "read", "advance": "-1s", "want": {}}`), "negative"},
		"no run":                      {wrap(`{"do": "read", "repeat": 0, "want": {}}`), "repeat: less than once"},
		"a fault nowhere":             {wrap(`{"do": "read", "faults": [{"status": 503}], "want": {}}`), `at: "" is unknown`},
		"a fault in another region":   {wrap(`{"do": "read", "faults": [{"at": "eastus", "status": 503}], "want": {}}`), `at: "eastus" is unknown`},
		"a fault on something":        {wrap(`{"do": "read", "faults": [{"at": "*", "on": "data", "status": 503}], "want": {}}`), `on: "data" is unknown`},
		"a fault that never comes":    {wrap(`{"do": "read", "faults": [{"at": "*", "status": 503, "times": 0}], "want": {}}`), "times: less than once"},
		"a fault without an answer":   {wrap(`{"do": "read", "faults": [{"at": "*"}], "want": {}}`), "either status or transport"},
		"a fault with two answers":    {wrap(`{"do": "read", "faults": [{"at": "*", "status": 503, "transport": "reset"}], "want": {}}`), "either status or transport"},
		"an unknown transport fault":  {wrap(`{"do": "read", "faults": [{"at": "*", "transport": "lost"}], "want": {}}`), `transport fault "lost"`},
		"a reset with a body":         {wrap(`{"do": "read", "faults": [{"at": "*", "transport": "reset", "body": ""}], "want": {}}`), "go with a status"},
		"no status at all":            {wrap(`{"do": "read", "faults": [{"at": "*", "status": 20008}], "want": {}}`), "status: 20008"},
		"an unknown kind of error":    {wrap(`{"do": "read", "want": {"error": "timeout"}}`), `error: "timeout" is unknown`},
		"a transport error's status":  {wrap(`{"do": "read", "want": {"error": "transport", "status": 503}}`), "no status"},
		"an attempt nowhere":          {wrap(`{"do": "read", "want": {"attempts": ["Mars"]}}`), `attempts: "Mars" is unknown`},
		"only nowhere":                {wrap(`{"do": "read", "want": {"only": ["Mars"]}}`), `only: "Mars" is unknown`},
		"one bound":                   {wrap(`{"do": "read", "want": {"elapsed": ["1s"]}}`), "elapsed: two bounds"},
		"bounds the wrong way round":  {wrap(`{"do": "read", "want": {"accountReads": [2, 1]}}`), "accountReads: two bounds"},
		"an unknown policy":           {`{"name": "n", "why": "w", "client": {"policies": ["retry"]}, "steps": [{"do": "read", "want": {}}]}`, `policy: "retry" is unknown`},
		"a policy twice":              {`{"name": "n", "why": "w", "client": {"policies": ["session", "session"]}, "steps": [{"do": "read", "want": {}}]}`, "listed twice"},
		"a write region that is none": {`{"name": "n", "why": "w", "account": {"write": ["Mars"]}, "steps": [{"do": "read", "want": {}}]}`, `write region: "Mars" is unknown`},
		"an endpoint of no region":    {`{"name": "n", "why": "w", "client": {"endpoint": "Mars"}, "steps": [{"do": "read", "want": {}}]}`, `endpoint: "Mars" is unknown`},
		"a change at no time":         {wrap(`{"do": "read", "changes": [{"account": {"ppaf": true}}], "want": {}}`), "change 1: after and account are required"},
		"a change of nothing":         {wrap(`{"do": "read", "changes": [{"after": "1s"}], "want": {}}`), "change 1: after and account are required"},
		"a change to another account": {wrap(`{"do": "read", "changes": [{"after": "1s", "account": {"write": ["Mars"]}}], "want": {}}`), `change 1: write region: "Mars" is unknown`},
		"an account without regions":  {`{"name": "n", "why": "w", "account": {"regions": [], "write": []}, "steps": [{"do": "read", "want": {}}]}`, "at least one region"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parseCase([]byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want an error that says %q, got %v", test.want, err)
			}
		})
	}
}

func TestParseCaseDefaults(t *testing.T) {
	spec, err := parseCase([]byte(wrap(`{"do": "read", "want": {"elapsed": ["0s", "1500ms"]}}`)))
	if err != nil {
		t.Fatal(err)
	}
	step := spec.Steps[0]
	if step.PK != "a" || step.Range != "0" || step.runs() != 1 {
		t.Errorf("step: got pk %v in range %s, %d runs", step.PK, step.Range, step.runs())
	}
	if len(spec.Account.Regions) != 3 || spec.Account.Write[0] != "East US" || len(spec.Client.Preferred) != 3 {
		t.Errorf("account and client: got %+v and %+v", spec.Account, spec.Client)
	}
	if time.Duration(step.Want.Elapsed[1]) != 1500*time.Millisecond {
		t.Errorf("elapsed: got %v", step.Want.Elapsed)
	}
}

func TestParseCaseKeepsAnEmptyList(t *testing.T) {
	spec, err := parseCase([]byte(`{"name": "n", "why": "w", "client": {"preferred": [], "policies": []}, "steps": [{"do": "read", "want": {"attempts": []}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if spec.Client.Preferred == nil || len(spec.Client.Preferred) != 0 {
		t.Errorf("preferred: got %#v, want an empty list", spec.Client.Preferred)
	}
	if spec.Client.Policies == nil || spec.Steps[0].Want.Attempts == nil {
		t.Error("an empty list was taken for an absent one")
	}
}

func TestRegionsThatComeLaterAreKnown(t *testing.T) {
	_, err := parseCase([]byte(wrap(`{"do": "read", "account": {"regions": ["East US", "Japan East"]}, "want": {"attempts": ["Japan East"]}}`)))
	if err != nil {
		t.Error(err)
	}
}
