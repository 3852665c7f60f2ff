package conformance

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// caseSpec is one case: an account, a client, and the steps the client takes.
type caseSpec struct {
	Name    string      `json:"name"`
	Why     string      `json:"why"`
	Account accountSpec `json:"account"`
	Client  clientSpec  `json:"client"`
	Steps   []stepSpec  `json:"steps"`
}

// accountSpec is what an account says about itself, or, in a step, what changes about it; nil is "as before".
type accountSpec struct {
	Regions    []string `json:"regions"`
	Write      []string `json:"write"`
	MultiWrite *bool    `json:"multiWrite"`
	PPAF       *bool    `json:"ppaf"`
}

// clientSpec is how the client is configured.
type clientSpec struct {
	// Preferred is nil for the account's regions; an empty list prefers none.
	Preferred []string `json:"preferred"`
	Excluded  []string `json:"excluded"`
	// Policies is nil for everything through policies.Install, else the policies alone, in this order.
	Policies []string `json:"policies"`
	// Settings is handed to policies.ParseSettings, which is strict itself.
	Settings json.RawMessage `json:"settings"`
	// Endpoint is the region whose endpoint the client is made for; empty is the global one.
	Endpoint string `json:"endpoint"`
	// TryTimeout is azcore's Retry.TryTimeout.
	TryTimeout duration `json:"tryTimeout"`
}

// stepSpec is one operation, or several runs of it, and what must come of each.
type stepSpec struct {
	Do          string       `json:"do"`
	PK          any          `json:"pk"`
	Range       string       `json:"range"`
	Session     string       `json:"session"`
	Excluded    []string     `json:"excluded"`
	Deadline    duration     `json:"deadline"`
	CancelAfter duration     `json:"cancelAfter"`
	WriteRetry  *bool        `json:"writeRetry"`
	Advance     duration     `json:"advance"`
	Repeat      *int         `json:"repeat"`
	Account     *accountSpec `json:"account"`
	Changes     []changeSpec `json:"changes"`
	Faults      []faultSpec  `json:"faults"`
	Want        *wantSpec    `json:"want"`
}

// changeSpec is what changes about the account while a step is under way.
type changeSpec struct {
	After   duration     `json:"after"`
	Account *accountSpec `json:"account"`
}

// faultSpec is one way in which the account answers badly. The first that matches a request answers it.
type faultSpec struct {
	At        string                    `json:"at"`
	On        string                    `json:"on"`
	Range     string                    `json:"range"`
	Times     *int                      `json:"times"`
	Status    int                       `json:"status"`
	SubStatus *int                      `json:"substatus"`
	Headers   map[string]string         `json:"headers"`
	Body      *string                   `json:"body"`
	Transport cosmostest.TransportFault `json:"transport"`
	Delay     duration                  `json:"delay"`
}

// wantSpec is what must come of a step. What is absent is not looked at.
type wantSpec struct {
	Status       *int              `json:"status"`
	SubStatus    *int              `json:"substatus"`
	Error        string            `json:"error"`
	Attempts     []string          `json:"attempts"`
	AttemptCount *int              `json:"attemptCount"`
	Only         []string          `json:"only"`
	Elapsed      []duration        `json:"elapsed"`
	AccountReads []int             `json:"accountReads"`
	EveryAttempt map[string]string `json:"everyAttempt"`
	Headers      map[string]string `json:"headers"`
	Body         *string           `json:"body"`
}

// duration is a time.Duration that JSON writes as Go does: "1500ms".
type duration time.Duration

// UnmarshalJSON accepts a Go duration string that is not negative.
func (d *duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a duration is a string such as \"1500ms\", not %s", data)
	}
	value, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if value < 0 {
		return fmt.Errorf("duration %s is negative", text)
	}
	*d = duration(value)
	return nil
}

// String writes the duration as Go does.
func (d duration) String() string { return time.Duration(d).String() }

// runs tells how often the step is run.
func (s *stepSpec) runs() int {
	if s.Repeat == nil {
		return 1
	}
	return *s.Repeat
}

// parseCase reads one case. Whatever it does not know, or makes no sense, is an error.
func parseCase(raw json.RawMessage) (*caseSpec, error) {
	spec := &caseSpec{}
	if err := checkKeys(raw, spec); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, spec); err != nil {
		return nil, err
	}
	spec.setDefaults()
	if err := spec.validate(); err != nil {
		return nil, err
	}
	return spec, nil
}

// setDefaults fills in what a case may leave out.
func (c *caseSpec) setDefaults() {
	if c.Account.Regions == nil {
		c.Account.Regions = []string{"East US", "West US", "North Europe"}
	}
	if c.Account.Write == nil {
		c.Account.Write = []string{"East US"}
	}
	if c.Client.Preferred == nil {
		c.Client.Preferred = c.Account.Regions
	}
	for i := range c.Steps {
		step := &c.Steps[i]
		if step.PK == nil {
			step.PK = "a"
		}
		if step.Range == "" {
			step.Range = "0"
		}
	}
}
