package policies

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// leaves returns the address of each field of the settings by its JSON path.
func leaves(prefix string, v reflect.Value) map[string]any {
	all := map[string]any{}
	for i := range v.NumField() {
		path := prefix + v.Type().Field(i).Tag.Get("json")
		if field := v.Field(i); field.Kind() == reflect.Struct {
			maps.Copy(all, leaves(path+".", field))
		} else {
			all[path] = field.Addr().Interface()
		}
	}
	return all
}

func TestTableHasEverySetting(t *testing.T) {
	var s Settings
	want := leaves("", reflect.ValueOf(&s).Elem())
	for i := range fields {
		f := &fields[i]
		if got := f.of(&s); got != want[f.path] {
			t.Errorf("%s: the table has another field than the structure, or this one twice", f.path)
		}
		delete(want, f.path)
		if f.meaning == "" || f.initial == nil {
			t.Errorf("%s: what it means or its default is missing", f.path)
		}
	}
	for path := range want {
		t.Errorf("%s is missing in the table", path)
	}
}

// set puts the documented default into a setting, if it is a value.
func (f *field) set(s *Settings) {
	switch p := f.of(s).(type) {
	case **bool:
		*p = new(f.initial.(bool))
	case *[]string:
	default:
		if _, text := f.initial.(string); !text {
			reflect.ValueOf(p).Elem().Set(reflect.ValueOf(f.initial))
		}
	}
}

// inForce returns the options that a policy or a cache works with: it has them
// in an atomic.Pointer of that name.
func inForce[T any](owner any, name string) T {
	return *(*T)(reflect.ValueOf(owner).Elem().FieldByName(name).FieldByName("v").UnsafePointer())
}

// The documented defaults are the ones that the policies have by themselves.
func TestDocumentedDefaultsAreInForce(t *testing.T) {
	var documented, zero Settings
	for i := range fields {
		fields[i].set(&documented)
	}
	for _, s := range []*Settings{&documented, &zero} {
		s.Budget.MaxPerMinute = 1 // so that there is a budget
	}
	type numbers struct {
		throttle throttle.Options
		failover failover.Options
		cache    regioncache.Options
		budget   reflect.Value
	}
	of := func(s *Settings) numbers {
		limit, err1 := throttle.New(s.ThrottleOptions())
		cache, err2 := regioncache.New("https://acct.documents.azure.com", s.CacheOptions())
		budget, err3 := NewBudget(s.BudgetOptions())
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		move, err := failover.New(cache, s.FailoverOptions())
		if err != nil {
			t.Fatal(err)
		}
		return numbers{
			inForce[throttle.Options](limit, "options"), inForce[failover.Options](move, "options"),
			inForce[regioncache.Options](cache, "config"), reflect.ValueOf(budget).Elem().FieldByName("options"),
		}
	}
	got, want := of(&documented), of(&zero)
	if !reflect.DeepEqual(got.throttle, want.throttle) {
		t.Errorf("throttle: documented %+v, in force %+v", got.throttle, want.throttle)
	}
	if !reflect.DeepEqual(got.failover, want.failover) {
		t.Errorf("failover: documented %+v, in force %+v", got.failover, want.failover)
	}
	if !reflect.DeepEqual(got.cache, want.cache) {
		t.Errorf("regions, breaker: documented %+v, in force %+v", got.cache, want.cache)
	}
	if !got.budget.Equal(want.budget) {
		t.Errorf("budget: documented %+v, in force %+v", got.budget, want.budget)
	}
}

func TestBoundsAreEnforced(t *testing.T) {
	for i := range fields {
		f := &fields[i]
		for _, tt := range []struct {
			value float64
			ok    bool
		}{
			{0, true}, {f.least, true}, {f.most, true}, {f.most + 1, false}, {f.least / 2, f.least == 0 || f.least == 1}, {-1, f.negative != ""},
		} {
			var s Settings
			switch p := f.of(&s).(type) {
			case *int:
				*p = int(tt.value)
			case *float64:
				*p = tt.value
			case *Duration:
				*p = Duration(tt.value)
			default:
				continue
			}
			if err := s.validate(); (err == nil) != tt.ok {
				t.Errorf("%s = %v: got %v, want it to be allowed: %v", f.path, tt.value, err, tt.ok)
			}
		}
	}
}

func TestNullIsTheDefault(t *testing.T) {
	s, err := ParseSettings([]byte(`{"$schema": "settings.schema.json", "throttle": null, "failover": {"maxRetries": null}, "breaker": {"enabled": null}}`))
	if err != nil || !reflect.DeepEqual(s, new(Settings)) {
		t.Errorf("got %+v, %v: want the defaults", s, err)
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Millisecond: "1ms", 65 * time.Second: "1m5s", time.Minute: "1m", 20 * time.Minute: "20m",
		24 * time.Hour: "24h", time.Hour + time.Minute: "1h1m", time.Hour + time.Second: "1h0m1s", 10 * time.Second: "10s",
	} {
		if got := formatDuration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	f.Add(`{"throttle": {"maxRetries": 2, "maxWait": "10s"}, "breaker": {"enabled": false}, "operationTimeout": "1m30s"}`)
	f.Add(`{"regions": {"preferred": ["East US"]}, "budget": {"ratio": -1, "window": "10s"}}`)
	f.Add(`{"failover": {"attemptTimeout": {"account": null}}, "$schema": 1}`)
	f.Fuzz(func(t *testing.T, document string) {
		s, err := ParseSettings([]byte(document))
		if err != nil {
			return
		}
		if err := s.validate(); err != nil {
			t.Fatalf("accepted, and then %v", err)
		}
		printed, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseSettings(printed)
		if err != nil {
			t.Fatalf("%s is printed as %s: %v", document, printed, err)
		}
		if back, _ := json.Marshal(again); !slices.Equal(back, printed) {
			t.Errorf("%s came back as %s", printed, back)
		}
	})
}
