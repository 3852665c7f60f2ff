package policies

import (
	"strconv"
	"strings"
	"time"
)

// field is one setting. The table of them serves the decoding of JSON, the
// checks, the environment and the documentation, so that these cannot differ.
type field struct {
	// path is the name in JSON: "failover.backend.delay".
	path string
	// of returns the address of the value: *int, *float64, *Duration, *[]string
	// or **bool.
	of func(*Settings) any
	// initial is the default, a value of the field's type, or text where it is
	// none: then it is taken from elsewhere.
	initial any
	// least and most bound a value that is set and not negative. Both 0: a name
	// or a switch, which has no bounds.
	least, most float64
	// negative says what a negative value does; empty: it is an error.
	negative string
	// env lists the environment variables that fill the field.
	env []variable
	// meaning says what the setting does.
	meaning string
}

// variable is one environment variable.
type variable struct {
	name string
	// least is the smallest count that it takes; 0 means none there, not the default.
	least int
	// override: it wins over the setting, too.
	override bool
}

// Bounds of what has none of its own.
const (
	maxCount    = 1000
	maxDuration = float64(24 * time.Hour)
)

// killSwitch wins over everything, in both directions.
const killSwitch = "AZURE_COSMOS_PPCB_ENABLED_OVERRIDE"

func count(path string, initial any, most float64, negative, meaning string, of func(*Settings) *int, env ...variable) field {
	return field{path, func(s *Settings) any { return of(s) }, initial, 1, most, negative, env, meaning}
}

func number(path string, initial any, most float64, negative, meaning string, of func(*Settings) *float64) field {
	return field{path, func(s *Settings) any { return of(s) }, initial, 0, most, negative, nil, meaning}
}

func duration(path string, initial any, least time.Duration, negative, meaning string, of func(*Settings) *Duration, env ...variable) field {
	if d, ok := initial.(time.Duration); ok {
		initial = Duration(d)
	}
	return field{path, func(s *Settings) any { return of(s) }, initial, float64(least), maxDuration, negative, env, meaning}
}

func (f field) upTo(most time.Duration) field {
	f.most = float64(most)
	return f
}

func names(path, initial, meaning string, of func(*Settings) *[]string) field {
	return field{path: path, of: func(s *Settings) any { return of(s) }, initial: initial, meaning: meaning}
}

func toggle(path string, initial bool, meaning string, of func(*Settings) **bool, env ...variable) field {
	return field{path: path, of: func(s *Settings) any { return of(s) }, initial: initial, meaning: meaning, env: env}
}

// kind is what the field holds, in the words of an error and of the documentation.
func (f *field) kind() string {
	switch f.of(new(Settings)).(type) {
	case *int:
		return "whole number"
	case *float64:
		return "number"
	case *Duration:
		return "duration"
	case *[]string:
		return "list of region names"
	}
	return "true or false"
}

// want is the kind with what an example makes clear.
func (f *field) want() string {
	switch kind := f.kind(); kind {
	case "duration":
		return `a duration in quotes, such as "1m30s"`
	case "true or false":
		return kind
	default:
		return "a " + kind
	}
}

// bounds is the range of the field: "1 to 1000", "up to 24h", or nothing.
func (f *field) bounds() string {
	switch {
	case f.most == 0:
		return ""
	case f.least == 0:
		return "up to " + f.format(f.most)
	}
	return f.format(f.least) + " to " + f.format(f.most)
}

// format writes a bound in the unit of the field.
func (f *field) format(bound float64) string {
	if f.kind() == "duration" {
		return formatDuration(time.Duration(bound))
	}
	return strconv.FormatFloat(bound, 'f', -1, 64)
}

// formatDuration is [time.Duration.String] without zero minutes and seconds at
// the end: "24h", not "24h0m0s".
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
