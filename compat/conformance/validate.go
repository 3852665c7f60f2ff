package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// global names the account endpoint that belongs to no region, in faults, attempts and the request log.
const global = "global"

// maxRange bounds the physical partitions of a case's container.
const maxRange = 99

var (
	knownPolicies = []string{"failover", "session", "throttle"}
	knownErrors   = []string{"transport", "deadline", "canceled"}
)

// validate says what makes no sense in the case. It reports everything it finds.
func (c *caseSpec) validate() error {
	regions := c.allRegions()
	errs := []error{
		c.Account.validate(regions),
		oneOf("policy", knownPolicies, c.Client.Policies...),
	}
	if c.Client.Endpoint != "" {
		errs = append(errs, oneOf("endpoint", c.Account.Regions, c.Client.Endpoint))
	}
	if c.Name == "" || c.Why == "" || len(c.Steps) == 0 {
		errs = append(errs, errors.New("name, why and steps are required"))
	}
	if twice(c.Client.Policies) {
		errs = append(errs, errors.New("a policy is listed twice"))
	}
	for i := range c.Steps {
		if err := c.Steps[i].validate(regions); err != nil {
			errs = append(errs, fmt.Errorf("step %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

// allRegions lists every region that the account has at some time in the case.
func (c *caseSpec) allRegions() []string {
	regions := slices.Clone(c.Account.Regions)
	for _, step := range c.Steps {
		if step.Account != nil {
			regions = append(regions, step.Account.Regions...)
		}
		for _, change := range step.Changes {
			if change.Account != nil {
				regions = append(regions, change.Account.Regions...)
			}
		}
	}
	return regions
}

func (a *accountSpec) validate(regions []string) error {
	errs := []error{oneOf("write region", regions, a.Write...)}
	if slices.Contains(a.Regions, "") || twice(a.Regions) || twice(a.Write) {
		errs = append(errs, errors.New("a region is empty or listed twice"))
	}
	if a.Regions != nil && len(a.Regions) == 0 || a.Write != nil && len(a.Write) == 0 {
		errs = append(errs, errors.New("an account has at least one region, and one that is writable"))
	}
	return errors.Join(errs...)
}

func (s *stepSpec) validate(regions []string) error {
	_, known := operations[s.Do]
	errs := []error{validRange(s.Range)}
	if !known {
		errs = append(errs, fmt.Errorf("do: unknown operation %q", s.Do))
	}
	switch s.PK.(type) {
	case string, float64, bool:
	default:
		errs = append(errs, fmt.Errorf("pk: %v is no partition key value", s.PK))
	}
	if s.runs() < 1 {
		errs = append(errs, errors.New("repeat: less than once"))
	}
	if slices.Contains(s.Excluded, "") {
		errs = append(errs, errors.New("excluded: a region is empty"))
	}
	if s.Account != nil {
		errs = append(errs, s.Account.validate(regions))
	}
	for i := range s.Changes {
		if err := s.Changes[i].validate(regions); err != nil {
			errs = append(errs, fmt.Errorf("change %d: %w", i+1, err))
		}
	}
	for i := range s.Faults {
		if err := s.Faults[i].validate(regions); err != nil {
			errs = append(errs, fmt.Errorf("fault %d: %w", i+1, err))
		}
	}
	if s.Want == nil {
		return errors.Join(append(errs, errors.New("want is required"))...)
	}
	return errors.Join(append(errs, s.Want.validate(regions))...)
}

func (f *faultSpec) validate(regions []string) error {
	errs := []error{oneOf("at", append([]string{"*", global}, regions...), f.At)}
	if f.On != "" {
		errs = append(errs, oneOf("on", []string{"account"}, f.On))
	}
	if f.Range != "" {
		errs = append(errs, validRange(f.Range))
	}
	if f.Times != nil && *f.Times < 1 {
		errs = append(errs, errors.New("times: less than once"))
	}
	broken := f.Transport != cosmostest.NoTransportFault
	switch {
	case f.Status != 0 && broken, f.Status == 0 && !broken && f.Delay == 0:
		errs = append(errs, errors.New("either status or transport, or just a delay"))
	case f.Status == 0 && (f.SubStatus != nil || f.Headers != nil || f.Body != nil):
		errs = append(errs, errors.New("substatus, headers and body go with a status"))
	case f.Status != 0:
		errs = append(errs, validStatus(f.Status))
	}
	return errors.Join(errs...)
}

func (w *wantSpec) validate(regions []string) error {
	places := append([]string{global}, regions...)
	errs := []error{oneOf("attempts", places, w.Attempts...), oneOf("only", places, w.Only...)}
	if w.Status != nil {
		errs = append(errs, validStatus(*w.Status))
	}
	if w.Error != "" {
		errs = append(errs, oneOf("error", knownErrors, w.Error))
	}
	if w.Error == "transport" && (w.Status != nil || w.SubStatus != nil || w.Headers != nil || w.Body != nil) {
		errs = append(errs, errors.New("a transport error has no status"))
	}
	if w.AttemptCount != nil && *w.AttemptCount < 0 {
		errs = append(errs, errors.New("attemptCount is negative"))
	}
	if w.Elapsed != nil && (len(w.Elapsed) != 2 || w.Elapsed[0] > w.Elapsed[1]) {
		errs = append(errs, errors.New("elapsed: two bounds, the lower first"))
	}
	if w.AccountReads != nil && (len(w.AccountReads) != 2 || w.AccountReads[0] > w.AccountReads[1]) {
		errs = append(errs, errors.New("accountReads: two bounds, the lower first"))
	}
	return errors.Join(errs...)
}

// validRange accepts the id of a physical partition.
func validRange(id string) error {
	if number, err := strconv.Atoi(id); err != nil || number < 0 || number > maxRange || strconv.Itoa(number) != id {
		return fmt.Errorf("range: %q is no number from 0 to %d", id, maxRange)
	}
	return nil
}

func validStatus(status int) error {
	if status < 100 || status > 599 {
		return fmt.Errorf("status: %d is none", status)
	}
	return nil
}

// oneOf makes sure that all values are known ones.
func oneOf(what string, known []string, values ...string) error {
	for _, value := range values {
		if !slices.Contains(known, value) {
			return fmt.Errorf("%s: %q is unknown", what, value)
		}
	}
	return nil
}

// twice tells whether a value occurs more than once.
func twice(values []string) bool {
	sorted := slices.Sorted(slices.Values(values))
	return len(slices.Compact(sorted)) != len(values)
}
