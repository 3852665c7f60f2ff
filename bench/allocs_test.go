package bench

import (
	"context"
	"testing"
)

// mostExtraAllocs is what the policies may allocate per operation. Times depend
// on the machine, allocations do not: what is too much fails the tests. Lower
// the numbers when the code gets better.
var mostExtraAllocs = map[string]float64{"read": 5, "create": 12}

func TestExtraAllocs(t *testing.T) {
	for name, do := range operations {
		for _, contextName := range contextNames {
			t.Run(name+"/"+contextName, func(t *testing.T) {
				do := withContext[contextName](do)
				sides := newSides(t)
				bare, _ := allocated(t, do, sides[0])
				full, _ := allocated(t, do, sides[1])
				// Pools that the collector empties allocate a little now and then.
				const tolerance = .2
				if extra := full - bare; extra > mostExtraAllocs[name]+tolerance {
					t.Errorf("the policies add %.2f allocations to %.2f, want at most %v", extra, bare, mostExtraAllocs[name])
				}
			})
		}
	}
}

// TestOperations makes sure that both sides do what the benchmarks measure.
func TestOperations(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, do := range operations {
		for side, c := range newSides(t) {
			if err := do(t.Context(), c); err != nil {
				t.Errorf("%s, side %d: %v", name, side, err)
			}
			if do(ctx, c) == nil {
				t.Errorf("%s, side %d: no error although the context is done", name, side)
			}
		}
	}
}
