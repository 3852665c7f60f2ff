package policies

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// ParseSettings reads settings from JSON. It is strict: a field that does not
// exist, a value of another type and a value that makes no sense are errors
// that name the field and what is allowed. An empty object is all defaults.
func ParseSettings(document []byte) (*Settings, error) {
	s := new(Settings)
	var raw json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(string(document)))
	if err := decoder.Decode(&raw); err != nil {
		return nil, fmt.Errorf("settings: not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("settings: there is something behind the JSON object: want one object")
	}
	if err := decode("", raw, reflect.ValueOf(s).Elem()); err != nil {
		return nil, err
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	return s, nil
}

var durationType = reflect.TypeFor[Duration]()

// decode fills a value from JSON and names the path of what does not fit.
func decode(path string, raw json.RawMessage, v reflect.Value) error {
	if string(raw) == "null" {
		return nil
	}
	if v.Kind() == reflect.Struct {
		return decodeObject(path, raw, v)
	}
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		return fmt.Errorf("settings: %s is %s: want %s", path, raw, kindName(v.Type()))
	}
	return nil
}

func decodeObject(path string, raw json.RawMessage, v reflect.Value) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return fmt.Errorf("settings: %s is %s: want an object", cmpName(path), raw)
	}
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		fields[v.Type().Field(i).Tag.Get("json")] = v.Field(i)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		field, ok := fields[name]
		if !ok {
			known := slices.Sorted(maps.Keys(fields))
			return fmt.Errorf("settings: %s does not exist: want %s", join(path, name), strings.Join(known, ", "))
		}
		if err := decode(join(path, name), members[name], field); err != nil {
			return err
		}
	}
	return nil
}

func cmpName(path string) string {
	if path == "" {
		return "the document"
	}
	return path
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func kindName(t reflect.Type) string {
	switch {
	case t == durationType:
		return `a duration in quotes, such as "1m30s"`
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Slice:
		return "a list of region names"
	case t.Kind() == reflect.Float64:
		return "a number"
	}
	return "true or false"
}

// limits bounds the settings that have a range of their own; the others take
// any count up to maxCount and any duration up to maxDuration, and negative
// numbers, which switch things off.
const (
	maxCount    = 1000
	maxDuration = 24 * time.Hour
)

type countRange struct {
	field string
	value int
	max   int
	off   bool // negative is allowed
}

type durationRange struct {
	field string
	value Duration
	min   time.Duration // of those that are set
	off   bool          // negative is allowed
}

func (s *Settings) counts() []countRange {
	return []countRange{
		{"throttle.maxRetries", s.Throttle.MaxRetries, maxCount, true},
		{"failover.maxRetries", s.Failover.MaxRetries, maxCount, true},
		{"failover.backend.maxRetries", s.Failover.Backend.MaxRetries, maxCount, true},
		{"failover.localRetries", s.Failover.LocalRetries, 10, true},
		{"session.maxRetries", s.Session.MaxRetries, maxCount, true},
		{"breaker.readFailures", s.Breaker.ReadFailures, maxCount, true},
		{"breaker.writeFailures", s.Breaker.WriteFailures, maxCount, true},
		{"breaker.capacity", s.Breaker.Capacity, 1 << 20, false},
		{"budget.maxPerMinute", s.Budget.MaxPerMinute, 1e6, true},
		{"budget.maxPerMinutePerRegion", s.Budget.MaxPerMinutePerRegion, 1e6, true},
	}
}

type numberRange struct {
	field string
	value float64
	max   float64
}

func (s *Settings) numbers() []numberRange {
	return []numberRange{
		{"budget.ratio", s.Budget.Ratio, 10},
		{"budget.minPerSecond", s.Budget.MinPerSecond, 1e6},
	}
}

func (s *Settings) durations() []durationRange {
	t := &s.Failover.AttemptTimeout
	return []durationRange{
		{"throttle.maxWait", s.Throttle.MaxWait, 0, true},
		{"throttle.baseDelay", s.Throttle.BaseDelay, 0, true},
		{"throttle.maxDelay", s.Throttle.MaxDelay, 0, true},
		{"throttle.retryWith.maxWait", s.Throttle.RetryWith.MaxWait, 0, true},
		{"throttle.retryWith.baseDelay", s.Throttle.RetryWith.BaseDelay, 0, true},
		{"throttle.retryWith.maxDelay", s.Throttle.RetryWith.MaxDelay, 0, true},
		{"failover.backend.delay", s.Failover.Backend.Delay, 0, true},
		{"failover.attemptTimeout.point", t.Point, time.Millisecond, true},
		{"failover.attemptTimeout.query", t.Query, time.Millisecond, true},
		{"failover.attemptTimeout.metadata", t.Metadata, time.Millisecond, true},
		{"failover.attemptTimeout.account", t.Account, time.Millisecond, false},
		{"regions.unavailableFor", s.Regions.UnavailableFor, 0, true},
		{"regions.refreshInterval", s.Regions.RefreshInterval, 0, true},
		{"breaker.counterReset", s.Breaker.CounterReset, 0, true},
		{"breaker.unavailableFor", s.Breaker.UnavailableFor, time.Millisecond, false},
		{"operationTimeout", s.OperationTimeout, time.Millisecond, true},
	}
}

// validate reports the first value that makes no sense.
func (s *Settings) validate() error {
	for _, c := range s.counts() {
		if c.value > c.max || c.value < 0 && !c.off {
			return fmt.Errorf("settings: %s is %d: want 1 to %d (0 for the default%s)", c.field, c.value, c.max, offNote(c.off))
		}
	}
	for _, d := range s.durations() {
		value := time.Duration(d.value)
		switch {
		case value == 0, value < 0 && d.off:
		case value < d.min || value > maxDuration:
			return fmt.Errorf("settings: %s is %v: want %v to %v (0 for the default%s)", d.field, value, d.min, maxDuration, offNote(d.off))
		}
	}
	for _, n := range s.numbers() {
		if !(n.value <= n.max) {
			return fmt.Errorf("settings: %s is %v: want a number up to %v (0 for the default, negative for off)", n.field, n.value, n.max)
		}
	}
	if w := time.Duration(s.Budget.Window); w != 0 && (w < time.Second || w > time.Minute) {
		return fmt.Errorf("settings: budget.window is %v: want 1s to 1m0s (0 for the default)", w)
	}
	for field, names := range map[string][]string{"regions.preferred": s.Regions.Preferred, "regions.excluded": s.Regions.Excluded} {
		for i, name := range names {
			if strings.TrimSpace(name) == "" {
				return fmt.Errorf("settings: %s[%d] is empty: want the name of a region, such as \"East US\"", field, i)
			}
		}
	}
	return nil
}

func offNote(off bool) string {
	if off {
		return ", negative for off"
	}
	return ""
}
