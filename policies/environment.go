package policies

import (
	"fmt"
	"strconv"
	"time"
)

// variable is one environment variable and the setting that it fills when the
// settings leave it at zero.
type variable struct {
	name  string
	field string // of the settings
	want  string
	fill  func(s *Settings, value string) error
}

// killSwitch wins over everything, in both directions.
const killSwitch = "AZURE_COSMOS_PPCB_ENABLED_OVERRIDE"

// variables lists the environment, with the names that the Rust driver has.
// There, a retry count of 0 means no retries.
var variables = []variable{
	countVariable("AZURE_COSMOS_MAX_THROTTLE_RETRY_COUNT", "throttle.maxRetries", 0, func(s *Settings) *int { return &s.Throttle.MaxRetries }),
	countVariable("AZURE_COSMOS_MAX_FAILOVER_RETRY_COUNT", "failover.maxRetries", 0, func(s *Settings) *int { return &s.Failover.MaxRetries }),
	countVariable("AZURE_COSMOS_MAX_SESSION_RETRY_COUNT", "session.maxRetries", 0, func(s *Settings) *int { return &s.Session.MaxRetries }),
	durationVariable("AZURE_COSMOS_ENDPOINT_UNAVAILABLE_TTL_MS", "regions.unavailableFor", func(s *Settings) *Duration { return &s.Regions.UnavailableFor }),
	switchVariable("AZURE_COSMOS_PPCB_ENABLED", false),
	countVariable("AZURE_COSMOS_PPCB_READ_FAILURE_THRESHOLD", "breaker.readFailures", 1, func(s *Settings) *int { return &s.Breaker.ReadFailures }),
	countVariable("AZURE_COSMOS_PPCB_WRITE_FAILURE_THRESHOLD", "breaker.writeFailures", 1, func(s *Settings) *int { return &s.Breaker.WriteFailures }),
	durationVariable("AZURE_COSMOS_PPCB_COUNTER_RESET_WINDOW_MS", "breaker.counterReset", func(s *Settings) *Duration { return &s.Breaker.CounterReset }),
	durationVariable("AZURE_COSMOS_PPCB_PARTITION_UNAVAILABILITY_DURATION_MS", "breaker.unavailableFor", func(s *Settings) *Duration { return &s.Breaker.UnavailableFor }),
	switchVariable(killSwitch, true),
}

func countVariable(name, field string, least int, get func(*Settings) *int) variable {
	return variable{name, field, fmt.Sprintf("a whole number from %d to %d", least, maxCount), func(s *Settings, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > maxCount {
			return strconv.ErrRange
		}
		if n == 0 {
			n = -1
		}
		if p := get(s); *p == 0 {
			*p = n
		}
		return nil
	}}
}

func durationVariable(name, field string, get func(*Settings) *Duration) variable {
	return variable{name, field, "a whole number of milliseconds, 1 or more", func(s *Settings, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 || n > maxDuration.Milliseconds() {
			return strconv.ErrRange
		}
		if p := get(s); *p == 0 {
			*p = Duration(time.Duration(n) * time.Millisecond)
		}
		return nil
	}}
}

func switchVariable(name string, override bool) variable {
	return variable{name, "breaker.enabled", "true or false", func(s *Settings, value string) error {
		on, err := strconv.ParseBool(value)
		if err == nil && (override || s.Breaker.Enabled == nil) {
			s.Breaker.Enabled = &on
		}
		return err
	}}
}

// withEnvironment returns a copy of the settings, nil meaning the defaults,
// whose zero fields the environment has filled.
func (s *Settings) withEnvironment(lookup func(string) (string, bool)) (*Settings, error) {
	var filled Settings
	if s != nil {
		filled = *s
	}
	for _, v := range variables {
		value, ok := lookup(v.name)
		if !ok || value == "" {
			continue
		}
		if v.fill(&filled, value) != nil {
			return nil, fmt.Errorf("environment: %s is %q: want %s", v.name, value, v.want)
		}
	}
	return &filled, filled.validate()
}
