package property

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// shown is how many attempts of a long log a report begins and ends with.
const shown = 25

// report tells all about a world and what went wrong in it.
func (v *verdict) report(w *world) string {
	var b strings.Builder
	for _, problem := range v.problems {
		fmt.Fprintf(&b, "%s\n", problem)
	}
	fmt.Fprintf(&b, "%s", w)
	if o := v.outcome; o != nil {
		fmt.Fprintf(&b, "in script %d, which took %v and ended with: %v\n", o.index+1, o.elapsed, o.err)
		fmt.Fprintf(&b, "account reads: %d; the client knew %q\n", o.accountReads, o.known(o.start))
		for i := range o.attempts {
			if i < shown || i >= len(o.attempts)-shown {
				fmt.Fprintf(&b, "  %3d. %s\n", i+1, o.attempts[i].line(o.start))
			}
		}
	}
	fmt.Fprintf(&b, "to see the whole world again: %s=%d go test -count=1 -v -run TestProperties ./compat/conformance/property\n", seedVariable, w.seed)
	return b.String()
}

// line is what the log says about an attempt.
func (a *attempt) line(start time.Time) string {
	return fmt.Sprintf("+%-12v %-12s %s %s → %s after %v", a.Time.Sub(start), a.Region, a.Method, a.Path, a.result(), a.end.Sub(a.Time))
}

func (a *attempt) result() string {
	switch {
	case a.Transport != cosmostest.NoTransportFault:
		return a.Transport.String()
	case a.Canceled:
		return "given up"
	}
	return fmt.Sprintf("%d/%d", a.Status, a.SubStatus)
}

// smaller are worlds with one thing less: a script, a fault, a change, a wish of the caller, a setting.
func (w *world) smaller() []*world {
	var worlds []*world
	add := func(change func(*world)) {
		next := *w
		next.scripts = slices.Clone(w.scripts)
		change(&next)
		worlds = append(worlds, &next)
	}
	for i := range w.scripts {
		if len(w.scripts) > 1 {
			add(func(n *world) { n.scripts = slices.Delete(n.scripts, i, i+1) })
		}
		for j := range w.scripts[i].faults {
			add(func(n *world) { n.scripts[i].faults = slices.Delete(slices.Clone(n.scripts[i].faults), j, j+1) })
		}
		for j := range w.scripts[i].changes {
			add(func(n *world) { n.scripts[i].changes = slices.Delete(slices.Clone(n.scripts[i].changes), j, j+1) })
		}
		for _, simpler := range w.scripts[i].simpler() {
			add(func(n *world) { n.scripts[i] = simpler })
		}
	}
	for _, simpler := range w.simpler() {
		worlds = append(worlds, &simpler)
	}
	return worlds
}

// simpler are scripts whose caller asks for one thing less.
func (s *script) simpler() []script {
	var scripts []script
	add := func(set bool, change func(*script)) {
		if set {
			next := *s
			change(&next)
			scripts = append(scripts, next)
		}
	}
	add(s.deadline != 0, func(n *script) { n.deadline = 0 })
	add(s.cancel != 0, func(n *script) { n.cancel = 0 })
	add(s.advance != 0, func(n *script) { n.advance = 0 })
	add(s.session != "", func(n *script) { n.session = "" })
	add(s.excluded != nil, func(n *script) { n.excluded = nil })
	add(s.once, func(n *script) { n.once = false })
	add(s.change != nil, func(n *script) { n.change = nil })
	add(s.size > 1, func(n *script) { n.size = 1 })
	for i := range s.faults {
		add(s.faults[i].Delay > 0, func(n *script) { n.faults = slices.Clone(n.faults); n.faults[i].Delay = 0 })
		add(s.faults[i].Body != nil, func(n *script) { n.faults = slices.Clone(n.faults); n.faults[i].Body = nil })
	}
	return scripts
}

// simpler are worlds whose client is set up more simply.
func (w *world) simpler() []world {
	var worlds []world
	add := func(set bool, change func(*world)) {
		if set {
			next := *w
			change(&next)
			worlds = append(worlds, next)
		}
	}
	var none policies.Settings
	add(w.together, func(n *world) { n.together = false })
	add(w.client.order != nil, func(n *world) { n.client.order = nil })
	add(w.client.excluded != nil, func(n *world) { n.client.excluded = nil })
	add(len(w.client.preferred) > 0, func(n *world) { n.client.preferred = nil })
	add(w.settings.Throttle != none.Throttle, func(n *world) { n.settings.Throttle = none.Throttle })
	add(w.settings.Failover != none.Failover, func(n *world) { n.settings.Failover = none.Failover })
	add(w.settings.Session != none.Session, func(n *world) { n.settings.Session = none.Session })
	add(w.settings.Breaker != none.Breaker, func(n *world) { n.settings.Breaker = none.Breaker })
	add(w.settings.OperationTimeout != 0, func(n *world) { n.settings.OperationTimeout = 0 })
	return worlds
}
