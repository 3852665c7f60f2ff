package policies

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParseSettings(t *testing.T) {
	s, err := ParseSettings([]byte(`{
		"throttle": {"maxRetries": 2, "maxWait": "10s", "retryWith": {"baseDelay": "1ms"}},
		"failover": {"maxRetries": -1, "backend": {"maxRetries": 5, "delay": "2s"}, "attemptTimeout": {"point": "3s"}},
		"session": {"maxRetries": 1},
		"regions": {"preferred": ["East US"], "excluded": [], "discovery": false, "unavailableFor": "-1s"},
		"breaker": {"enabled": false, "capacity": 16},
		"operationTimeout": "1m30s"
	}`))
	if err != nil {
		t.Fatal(err)
	}
	if o := s.ThrottleOptions(); o.MaxRetries != 2 || o.MaxWait != 10*time.Second || o.RetryWith.BaseDelay != time.Millisecond {
		t.Errorf("throttle options: %+v", o)
	}
	if o := s.FailoverOptions(); o.MaxRetries != -1 || o.Backend.MaxRetries != 5 || o.Backend.Delay != 2*time.Second || o.AttemptTimeout.Point != 3*time.Second {
		t.Errorf("failover options: %+v", o)
	}
	if o := s.SessionOptions(); o.MaxRetries != 1 || o.AttemptTimeout.Point != 3*time.Second {
		t.Errorf("session options: %+v", o)
	}
	if o := s.CacheOptions(); !o.PinEndpoint || o.UnavailableFor != -time.Second || !o.Breaker.Disabled || o.Breaker.Capacity != 16 || o.PreferredRegions[0] != "East US" {
		t.Errorf("cache options: %+v", o)
	}
	if time.Duration(s.OperationTimeout) != 90*time.Second {
		t.Errorf("operationTimeout: %v", s.OperationTimeout)
	}
}

func TestParseSettingsNamesWhatIsWrong(t *testing.T) {
	tests := []struct{ document, field, allowed string }{
		{`{"throttle": {"maxRetry": 3}}`, "throttle.maxRetry", "maxRetries"},
		{`{"retries": 3}`, "retries", "breaker, budget, failover"},
		{`{"failover": {"backend": {"delay": 5}}}`, "failover.backend.delay is 5", `"1m30s"`},
		{`{"failover": {"backend": {"delay": "5"}}}`, `failover.backend.delay is "5"`, `"1m30s"`},
		{`{"failover": {"maxRetries": "3"}}`, "failover.maxRetries", "whole number"},
		{`{"failover": {"maxRetries": 3.5}}`, "failover.maxRetries", "whole number"},
		{`{"failover": {"maxRetries": 1001}}`, "failover.maxRetries is 1001", "1 to 1000"},
		{`{"failover": {"localRetries": 11}}`, "failover.localRetries", "1 to 10"},
		{`{"breaker": {"capacity": -1}}`, "breaker.capacity is -1", "1 to 1048576"},
		{`{"breaker": {"unavailableFor": "-5s"}}`, "breaker.unavailableFor", "1ms to 24h"},
		{`{"breaker": {"enabled": "yes"}}`, "breaker.enabled", "true or false"},
		{`{"operationTimeout": "25h"}`, "operationTimeout is 25h", "24h"},
		{`{"failover": {"attemptTimeout": {"point": "1ns"}}}`, "failover.attemptTimeout.point", "1ms"},
		{`{"regions": {"preferred": "East US"}}`, "regions.preferred", "list"},
		{`{"regions": {"excluded": ["East US", " "]}}`, "regions.excluded[1]", "name of a region"},
		{`{"throttle": 3}`, "throttle is 3", "object"},
		{`[]`, "the document", "object"},
		{`{} {}`, "behind", "one object"},
		{`{"throttle":`, "JSON", ""},
		{``, "JSON", ""},
	}
	for _, tt := range tests {
		t.Run(tt.document, func(t *testing.T) {
			s, err := ParseSettings([]byte(tt.document))
			if err == nil {
				t.Fatalf("accepted as %+v", s)
			}
			if !strings.Contains(err.Error(), tt.field) || !strings.Contains(err.Error(), tt.allowed) {
				t.Errorf("got %q: want it to name %q and %q", err, tt.field, tt.allowed)
			}
		})
	}
}

// Every field of the schema survives a round trip, so that what one process
// prints another one can read.
func TestSettingsRoundTrip(t *testing.T) {
	s := &Settings{OperationTimeout: Duration(time.Minute)}
	s.Regions.Preferred = []string{"West US"}
	s.Breaker.Enabled = new(false)
	document, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseSettings(document)
	if err != nil {
		t.Fatal(err)
	}
	if back, _ := json.Marshal(again); string(back) != string(document) {
		t.Errorf("got %s, want %s", back, document)
	}
}

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name     string
		settings *Settings
		env      map[string]string
		check    func(s *Settings) bool
	}{
		{"fills what is not set", nil, map[string]string{"AZURE_COSMOS_MAX_FAILOVER_RETRY_COUNT": "7"},
			func(s *Settings) bool { return s.Failover.MaxRetries == 7 }},
		{"0 means none", nil, map[string]string{"AZURE_COSMOS_MAX_SESSION_RETRY_COUNT": "0"},
			func(s *Settings) bool { return s.Session.MaxRetries == -1 }},
		{"loses to a setting", &Settings{Throttle: ThrottleSettings{MaxRetries: 2}}, map[string]string{"AZURE_COSMOS_MAX_THROTTLE_RETRY_COUNT": "5"},
			func(s *Settings) bool { return s.Throttle.MaxRetries == 2 }},
		{"milliseconds", nil, map[string]string{"AZURE_COSMOS_ENDPOINT_UNAVAILABLE_TTL_MS": "1500", "AZURE_COSMOS_PPCB_COUNTER_RESET_WINDOW_MS": "10", "AZURE_COSMOS_PPCB_PARTITION_UNAVAILABILITY_DURATION_MS": "20"},
			func(s *Settings) bool {
				return s.Regions.UnavailableFor == Duration(1500*time.Millisecond) && s.Breaker.CounterReset == Duration(10*time.Millisecond) && s.Breaker.UnavailableFor == Duration(20*time.Millisecond)
			}},
		{"thresholds", nil, map[string]string{"AZURE_COSMOS_PPCB_READ_FAILURE_THRESHOLD": "3", "AZURE_COSMOS_PPCB_WRITE_FAILURE_THRESHOLD": "2"},
			func(s *Settings) bool { return s.Breaker.ReadFailures == 3 && s.Breaker.WriteFailures == 2 }},
		{"the switch", nil, map[string]string{"AZURE_COSMOS_PPCB_ENABLED": "false"},
			func(s *Settings) bool { return !*s.Breaker.Enabled }},
		{"the switch loses to a setting", &Settings{Breaker: BreakerSettings{Enabled: new(true)}}, map[string]string{"AZURE_COSMOS_PPCB_ENABLED": "false"},
			func(s *Settings) bool { return *s.Breaker.Enabled }},
		{"the kill switch wins over everything", &Settings{Breaker: BreakerSettings{Enabled: new(true)}}, map[string]string{"AZURE_COSMOS_PPCB_ENABLED": "true", killSwitch: "false"},
			func(s *Settings) bool { return !*s.Breaker.Enabled }},
		{"in both directions", &Settings{Breaker: BreakerSettings{Enabled: new(false)}}, map[string]string{killSwitch: "true"},
			func(s *Settings) bool { return *s.Breaker.Enabled }},
		{"an empty variable is none", nil, map[string]string{killSwitch: ""},
			func(s *Settings) bool { return s.Breaker.Enabled == nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, _ := json.Marshal(tt.settings)
			s, err := tt.settings.withEnvironment(func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			if !tt.check(s) {
				t.Errorf("got %+v", s)
			}
			if after, _ := json.Marshal(tt.settings); string(after) != string(before) {
				t.Errorf("the caller's settings changed from %s to %s", before, after)
			}
		})
	}
}

func TestEnvironmentNamesWhatIsWrong(t *testing.T) {
	for i := range fields {
		for _, v := range fields[i].env {
			want := fields[i].wantOf(v)
			for _, value := range []string{"maybe", "-1", "99999999999999999999"} {
				_, err := (*Settings)(nil).withEnvironment(func(name string) (string, bool) { return value, name == v.name })
				if err == nil || !strings.Contains(err.Error(), v.name) || !strings.Contains(err.Error(), want) {
					t.Errorf("%s=%s: got %v, want an error that names the variable and %q", v.name, value, err, want)
				}
			}
		}
	}
}
