package property

import (
	"strings"
	"sync/atomic"
)

// defect is something that the library is known to do against a property, until it is mended.
type defect struct {
	what     string
	property string
	matches  func(o *outcome, problem string) bool
	met      *atomic.Int64
}

// defects are let pass, and counted.
var defects = []defect{
	{"an operation that begins on a single-write account and learns of several write regions lacks the tentative-writes header (ruling 21)", "content",
		func(o *outcome, problem string) bool {
			return strings.Contains(problem, "allow-tentative-writes") && !o.tentative(&o.attempts[0])
		}, new(atomic.Int64)},
	{"a body that breaks off, and a back-off that the deadline does not leave time for: the caller is told of the answer 200", "result",
		func(o *outcome, problem string) bool {
			return strings.Contains(problem, "although the last attempt was not answered")
		}, new(atomic.Int64)},
	{"the same endpoint is taken for another one when the topology becomes known between two attempts", "budgets",
		func(o *outcome, problem string) bool {
			return o.world.cold && strings.Contains(problem, "at once for the second time")
		}, new(atomic.Int64)},
	{"the endpoint is chosen before the back-off, so what is learned meanwhile does not count", "regions",
		func(o *outcome, problem string) bool {
			return strings.Contains(problem, "before the back-off ended")
		}, new(atomic.Int64)},
	{"a negative throttle.maxDelay is no bound instead of no wait", "effort",
		func(o *outcome, problem string) bool {
			return o.world.settings.Throttle.MaxDelay < 0 && strings.Contains(problem, "(429/")
		}, new(atomic.Int64)},
}

// excused reports whether a problem is that of a known defect.
func (o *outcome) excused(property, problem string) bool {
	for _, d := range defects {
		if d.property == property && d.matches(o, problem) {
			d.met.Add(1)
			return true
		}
	}
	return false
}
