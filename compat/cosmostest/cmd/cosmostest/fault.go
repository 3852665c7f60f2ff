package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// faultSpec is a cosmostest.Fault as JSON.
type faultSpec struct {
	ID      string    `json:"id,omitempty"`
	Fault   faultName `json:"fault,omitempty"` // what the others then change; never set in answers
	Enabled *bool     `json:"enabled,omitempty"`

	Region      string      `json:"region,omitempty"`
	Account     bool        `json:"account,omitempty"`
	Operations  []operation `json:"operations,omitempty"`
	Database    string      `json:"database,omitempty"`
	Container   string      `json:"container,omitempty"`
	Range       string      `json:"range,omitempty"`
	Times       int         `json:"times,omitempty"`
	Skip        int         `json:"skip,omitempty"`
	Percent     int         `json:"percent,omitempty"`
	Probability float64     `json:"probability,omitempty"`
	After       duration    `json:"after,omitzero"`
	For         duration    `json:"for,omitzero"`

	Status    int               `json:"status,omitempty"`
	SubStatus *int              `json:"subStatus,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      *string           `json:"body,omitempty"`
	Transport transport         `json:"transport,omitempty"`
	Delay     duration          `json:"delay,omitzero"`
	Bandwidth int               `json:"bandwidth,omitempty"`
	Early     bool              `json:"early,omitempty"`
	Applied   bool              `json:"applied,omitempty"`
}

// fault is the fault that the spec, which stands at path, describes.
func (s *faultSpec) fault(path string) (cosmostest.Fault, error) {
	var f cosmostest.Fault
	if s.Fault != "" {
		f, _ = cosmostest.NamedFault(string(s.Fault)) // decoded, so there is one
	}
	s.where(&f)
	s.what(&f)
	if wrong := checkFault(f, s); wrong != nil {
		wrong.field = joinPath(path, wrong.field)
		return f, wrong
	}
	return f, nil
}

// where copies what says which requests the fault answers.
func (s *faultSpec) where(f *cosmostest.Fault) {
	f.ID, f.Disabled = s.ID, s.Enabled != nil && !*s.Enabled
	f.Region, f.Account, f.Database, f.Container, f.Range = s.Region, s.Account, s.Database, s.Container, s.Range
	for _, o := range s.Operations {
		f.Operations = append(f.Operations, cosmostest.Operation(o))
	}
	f.Times, f.Skip, f.Percent, f.Probability = s.Times, s.Skip, s.Percent, s.Probability
	f.After, f.For = s.After.value(), s.For.value()
}

// what copies what says how it answers them, over what is there from the fault's name.
func (s *faultSpec) what(f *cosmostest.Fault) {
	f.Status = cmp.Or(s.Status, f.Status)
	if s.SubStatus != nil {
		f.SubStatus, f.HasSub = *s.SubStatus, true
	}
	for name, value := range s.Headers {
		if f.Header == nil {
			f.Header = http.Header{}
		}
		f.Header.Set(name, value)
	}
	f.Body = cmp.Or(s.Body, f.Body)
	f.Transport = cmp.Or(cosmostest.TransportFault(s.Transport), f.Transport)
	f.Delay = cmp.Or(s.Delay.value(), f.Delay)
	f.Bandwidth = cmp.Or(s.Bandwidth, f.Bandwidth)
	f.Early, f.Applied = s.Early || f.Early, s.Applied || f.Applied
}

// checkFault finds what makes no sense, although each field is of the right kind.
func checkFault(f cosmostest.Fault, s *faultSpec) *fieldError {
	number := func(name string, value any, allowed string) *fieldError {
		return &fieldError{name, fmt.Sprintf("is %v", value), allowed}
	}
	switch {
	case f.Times < 0:
		return number("times", f.Times, "0 (always) or more")
	case f.Skip < 0:
		return number("skip", f.Skip, "0 or more")
	case f.Percent < 0 || f.Percent > 100:
		return number("percent", f.Percent, "1 to 100, or 0 for all")
	case f.Probability < 0 || f.Probability > 1:
		return number("probability", f.Probability, "more than 0 to 1, or 0 for all")
	case f.Bandwidth < 0:
		return number("bandwidth", f.Bandwidth, "bytes in a second, or 0 for no limit")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return number("status", f.Status, "200 to 599")
	case f.SubStatus < 0:
		return number("subStatus", f.SubStatus, "0 or more")
	case f.Status == 0 && f.Transport != cosmostest.Truncated && (s.SubStatus != nil || s.Body != nil || len(s.Headers) > 0):
		return &fieldError{"status", "is missing", "one that goes with subStatus, body and headers"}
	case f.Status != 0 && f.Transport != cosmostest.NoTransportFault && f.Transport != cosmostest.Truncated:
		return &fieldError{"transport", "is " + quoted(f.Transport.String()) + " beside a status", `"truncated" beside a status`}
	case f.Status == 0 && f.Transport == cosmostest.NoTransportFault && f.Delay == 0 && f.Bandwidth == 0:
		return &fieldError{"", "does nothing", "at least one of fault, status, transport, delay, bandwidth"}
	}
	return nil
}

// faultState is a fault in force.
type faultState struct {
	faultSpec
	Hits    int `json:"hits"`
	Matched int `json:"matched"`
}

// newState tells what a rule is and has done.
func newState(rule *cosmostest.FaultRule) faultState {
	f, on := rule.Fault(), rule.Enabled()
	s := faultState{Hits: rule.Hits(), Matched: rule.Matched(), faultSpec: faultSpec{
		ID: f.ID, Enabled: &on, Region: f.Region, Account: f.Account, Database: f.Database, Container: f.Container, Range: f.Range,
		Times: f.Times, Skip: f.Skip, Percent: f.Percent, Probability: f.Probability, After: duration(f.After), For: duration(f.For),
		Status: f.Status, Body: f.Body, Transport: transport(f.Transport), Delay: duration(f.Delay), Bandwidth: f.Bandwidth,
		Early: f.Early, Applied: f.Applied,
	}}
	for _, o := range f.Operations {
		s.Operations = append(s.Operations, operation(o))
	}
	if f.HasSub || f.SubStatus != 0 {
		s.SubStatus = &f.SubStatus
	}
	for name := range f.Header {
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[strings.ToLower(name)] = f.Header.Get(name)
	}
	return s
}

// faultName is the usual name of a fault.
type faultName string

func (*faultName) allowed() string { return listed(cosmostest.FaultNames()) }

// UnmarshalJSON reads one of the names that there are.
func (n *faultName) UnmarshalJSON(data []byte) error {
	return unmarshalName(data, (*string)(n), cosmostest.FaultNames())
}

// operation is what a request does.
type operation string

func (*operation) allowed() string { return listed(operations()) }

// UnmarshalJSON reads one of the names that there are.
func (o *operation) UnmarshalJSON(data []byte) error {
	return unmarshalName(data, (*string)(o), operations())
}

func operations() (names []string) {
	for _, o := range cosmostest.Operations() {
		names = append(names, string(o))
	}
	return names
}

// transport is a failure of the connection.
type transport cosmostest.TransportFault

func (*transport) allowed() string {
	return listed(slices.DeleteFunc(cosmostest.FaultNames(), func(name string) bool {
		f, err := cosmostest.NamedFault(name)
		return err != nil || f.Transport.String() != name
	}))
}

// UnmarshalJSON reads the name of one.
func (t *transport) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, (*cosmostest.TransportFault)(t))
}

// MarshalText is the name.
func (t transport) MarshalText() ([]byte, error) { return cosmostest.TransportFault(t).MarshalText() }

// unmarshalName reads a string that must be one of those there are.
func unmarshalName(data []byte, to *string, names []string) error {
	if err := json.Unmarshal(data, to); err != nil {
		return err
	}
	if !slices.Contains(names, *to) {
		return fmt.Errorf("%q is unknown", *to)
	}
	return nil
}
