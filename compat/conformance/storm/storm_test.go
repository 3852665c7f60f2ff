package storm

import (
	"slices"
	"testing"

	"github.com/cosmosretry/cosmosretry/policies"
)

//go:generate go test -run TestStorm -update .

const (
	usualCrowd = 20
	length     = 70 // seconds
	acted      = 40 // when the operator acts, in the run that has one
)

var trouble = phase{10, 20}

// usual is a load of two thirds of what the service can do. It stands still, all
// but, while it is in trouble.
var usual = scenario{
	seed: 1, clients: crowd, perSecond: 10, capacity: 15 * crowd, slow: 4, trouble: trouble, length: length,
}

func withoutBudget(*testing.T) scenario { return usual }

func withBudget(*testing.T) scenario {
	s := usual
	s.budget = new(policies.BudgetOptions)
	return s
}

// withOperator is a storm in which somebody changes the settings of programs
// that run. Each of these has a budget of its own then.
func withOperator(t *testing.T) scenario {
	t.Helper()
	s := usual
	settings, err := policies.ParseSettings([]byte(`{
		"failover": {"attemptTimeout": {"point": "1s"}},
		"budget":   {"ratio": 0.1, "minPerSecond": 0.5}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	s.settings, s.switched = settings, acted
	return s
}

func TestStorm(t *testing.T) {
	alone := &result{"without a budget", run(t, withoutBudget(t)), trouble.to}
	shared := &result{"with the default budget, shared", run(t, withBudget(t)), trouble.to}
	late := &result{"with a budget by settings, 20 s after the trouble", run(t, withOperator(t)), acted}

	for _, r := range []*result{alone, shared, late} {
		if before := r.sum(phase{0, trouble.from}); before.failedShare() > .01 {
			t.Errorf("%s: the service does not bear the load before its trouble: %+v", r.name, before)
		}
	}
	after := phase{trouble.to, length}
	if s := alone.sum(after); s.good*20 > s.offered || s.retries < 2*s.offered || alone.wellAgain() != "never" {
		t.Errorf("without a budget the storm ends by itself, %s: %+v", alone.wellAgain(), s)
	}
	if n := shared.recovered(trouble.to, length); n < 0 || n > 10 {
		t.Errorf("with a budget: well again %s, want within 10 s", shared.wellAgain())
	}
	if all := shared.sum(phase{0, length}); float64(all.retries) > .2*float64(all.offered)+10*length {
		t.Errorf("the budget allows more than 20 %% and 10 per second: %+v", all)
	}
	if n := late.recovered(acted, length); n < 0 || n > 15 {
		t.Errorf("with a budget that comes late: well again %s, want within 15 s", late.wellAgain())
	}
	text := table([]*result{alone, shared, late})
	t.Log("\n" + text)
	if crowd == usualCrowd {
		checkDocument(t, text)
	}
}

// TestSeedDecides: the same seed gives the same run, second by second, and
// another seed another.
func TestSeedDecides(t *testing.T) {
	short := func(seed uint64) []second {
		s := withBudget(t)
		s.seed, s.trouble, s.length = seed, phase{1, 4}, 6
		return run(t, s).seconds
	}
	first := short(7)
	if again := short(7); !slices.Equal(first, again) {
		t.Errorf("the same seed gives two runs:\n%v\n%v", first, again)
	}
	if other := short(8); slices.Equal(first, other) {
		t.Errorf("two seeds give the same run:\n%v", first)
	}
}
