package policies

import (
	"fmt"
	"strconv"
	"time"
)

// withEnvironment returns a copy of the settings, nil meaning the defaults,
// whose zero fields the environment has filled. Its variables have the names
// that the Rust driver gives them.
func (s *Settings) withEnvironment(lookup func(string) (string, bool)) (*Settings, error) {
	var filled Settings
	if s != nil {
		filled = *s
	}
	for i := range fields {
		for _, v := range fields[i].env {
			value, ok := lookup(v.name)
			if !ok || value == "" {
				continue
			}
			if !fields[i].fill(&filled, v, value) {
				return nil, fmt.Errorf("environment: %s is %q: want %s", v.name, value, fields[i].wantOf(v))
			}
		}
	}
	return &filled, filled.validate()
}

// fill takes a field that is at zero from an environment variable, and reports
// whether the variable makes sense.
func (f *field) fill(s *Settings, v variable, value string) bool {
	switch p := f.of(s).(type) {
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil || n < v.least || n > int(f.most) {
			return false
		}
		if n == 0 {
			n = -1 // in the environment 0 means none
		}
		if *p == 0 {
			*p = n
		}
	case *Duration:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 || n > int64(f.most)/int64(time.Millisecond) {
			return false
		}
		if *p == 0 {
			*p = Duration(time.Duration(n) * time.Millisecond)
		}
	case **bool:
		on, err := strconv.ParseBool(value)
		if err != nil {
			return false
		}
		if v.override || *p == nil {
			*p = &on
		}
	}
	return true
}

// wantOf says what an environment variable may be.
func (f *field) wantOf(v variable) string {
	switch f.of(new(Settings)).(type) {
	case *int:
		return fmt.Sprintf("a whole number from %d to %d", v.least, int(f.most))
	case *Duration:
		return "a whole number of milliseconds, 1 or more"
	}
	return "true or false"
}
