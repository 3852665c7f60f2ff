package policies

import "testing"

// TestSettingsGiveASharedBudgetItsNumbers: whoever is on call can tighten a
// budget that the program made, and let go of it again.
func TestSettingsGiveASharedBudgetItsNumbers(t *testing.T) {
	shared, err := NewBudget(&BudgetOptions{MinPerSecond: 7})
	if err != nil {
		t.Fatal(err)
	}
	one, other := newSetForTest(t, &Options{Budget: shared}), newSetForTest(t, &Options{Budget: shared})
	left := func() float64 {
		n, _ := shared.Left()
		return n
	}
	apply := func(set *Set, budget BudgetSettings, want float64) {
		t.Helper()
		if err := set.Apply(&Settings{Budget: budget}); err != nil {
			t.Fatal(err)
		}
		if one.Budget() != shared || other.Budget() != shared {
			t.Error("the clients no longer share the budget")
		}
		if got := left(); got != want {
			t.Errorf("%v retries left, want %v", got, want)
		}
	}
	apply(one, BudgetSettings{MinPerSecond: 2}, 20)
	apply(other, BudgetSettings{}, 20) // says nothing about the budget
	apply(other, BudgetSettings{MinPerSecond: 2}, 20)
	apply(one, BudgetSettings{MinPerSecond: 3}, 30)
	apply(one, BudgetSettings{}, 70) // the program's own
	apply(one, BudgetSettings{MaxPerMinute: 5}, 5)
}

// TestBudgetOfSettingsKeepsItsCounts: a change of its numbers is no new budget.
func TestBudgetOfSettingsKeepsItsCounts(t *testing.T) {
	set := newSetForTest(t, &Options{Settings: &Settings{Budget: BudgetSettings{MinPerSecond: 1}}})
	before := set.Budget()
	for _, budget := range []BudgetSettings{{MinPerSecond: 1}, {MinPerSecond: 2}} {
		if err := set.Apply(&Settings{Budget: budget}); err != nil {
			t.Fatal(err)
		}
		if set.Budget() != before {
			t.Errorf("%+v made a new budget", budget)
		}
	}
	if err := set.Apply(nil); err != nil {
		t.Fatal(err)
	}
	if set.Budget() != nil {
		t.Error("the budget is still there")
	}
}
