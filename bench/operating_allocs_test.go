package bench

import "testing"

// mostOperatingAllocs is what an operation may allocate more with an extra than
// without. Lower the numbers when the code gets better.
var mostOperatingAllocs = map[string]float64{
	"nothing": 0, "budget": 0, "observer": 0, "telemetry": 0, "dead-letters": 0,
	"logging": 0, "page": 0, "diagnostics": 4, "profile": 11, "all": 15,
}

func TestOperatingAllocs(t *testing.T) {
	for what, do := range operations {
		for i := range extras {
			e := &extras[i]
			t.Run(what+"/"+e.name, func(t *testing.T) {
				off, _ := allocated(t, do, extras[0].container(t))
				on, _ := allocated(t, e.does(do), e.container(t))
				// Pools that the collector empties allocate a little now and then.
				const tolerance = .2
				if extra := on - off; extra > mostOperatingAllocs[e.name]+tolerance {
					t.Errorf("%s adds %.2f allocations to %.2f, want at most %v", e.name, extra, off, mostOperatingAllocs[e.name])
				}
			})
		}
	}
}
