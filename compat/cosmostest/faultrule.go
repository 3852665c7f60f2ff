package cosmostest

import (
	"fmt"
	"slices"
)

// SetFaults replaces all faults; their counters start anew. The first fault that matches a request and is not used up
// answers it. The faults are copied. Requests under way keep the fault they met. On listeners, faults that strike before
// a request is sent strike new connections, so idle ones to the regions that have them are cut.
func (a *Account) SetFaults(faults ...Fault) {
	var set faultSet
	for _, f := range faults {
		id := f.ID
		if id == "" || set.find(id) >= 0 {
			id = set.freeID()
		}
		set = append(set, a.arm(f, id))
	}
	a.faults.Store(&set)
	a.dropDoomed()
}

// AddFault adds a fault behind the ones that are there, whose counters go on, and returns the rule that controls it. The
// error of a senseless fault names the field and what is allowed.
func (a *Account) AddFault(f Fault) (*FaultRule, error) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	for {
		before := a.faults.Load()
		id := f.ID
		switch {
		case id == "":
			id = before.freeID()
		case before.find(id) >= 0:
			return nil, fmt.Errorf("cosmostest: fault %q: there is one with this ID already", id)
		}
		armed := a.arm(f, id)
		after := append(slices.Clip(*before), armed)
		if a.faults.CompareAndSwap(before, &after) {
			a.dropDoomed()
			return &FaultRule{a, armed}, nil
		}
	}
}

// dropDoomed cuts the idle connections to the endpoints whose new connections a fault takes.
func (a *Account) dropDoomed() {
	set, now := *a.faults.Load(), a.store.now()
	for _, g := range a.allGates() {
		if set.forConnection(g.name, now) != nil {
			a.forgetIdle()
			g.dropIdle()
		}
	}
}

// FaultHits returns how many requests each fault in force has answered, in their order.
func (a *Account) FaultHits() []int {
	set := *a.faults.Load()
	hits := make([]int, len(set))
	for i, f := range set {
		hits[i] = int(f.hits.Load())
	}
	return hits
}

// FaultRules returns the faults in force, disabled and used up ones included, in their order.
func (a *Account) FaultRules() []*FaultRule {
	set := *a.faults.Load()
	rules := make([]*FaultRule, len(set))
	for i, f := range set {
		rules[i] = &FaultRule{a, f}
	}
	return rules
}

// FaultRule returns the fault with an ID; an unknown one is an error that lists those there are.
func (a *Account) FaultRule(id string) (*FaultRule, error) {
	set := *a.faults.Load()
	i := set.find(id)
	if i < 0 {
		ids := []string{}
		for _, f := range set {
			ids = append(ids, f.ID)
		}
		return nil, fmt.Errorf("cosmostest: fault %q; there are %q", id, ids)
	}
	return &FaultRule{a, set[i]}, nil
}

// FaultRule is a fault in force, with its switch and its counters. Make one with [Account.AddFault], or find it with
// [Account.FaultRule] and [Account.FaultRules]. All methods are safe for concurrent use.
type FaultRule struct {
	account *Account
	fault   *armedFault
}

// ID is the fault's ID.
func (r *FaultRule) ID() string { return r.fault.ID }

// Fault is a copy of the fault as it was set, with its ID.
func (r *FaultRule) Fault() Fault { return r.fault.clone() }

// Hits is how many requests it has answered.
func (r *FaultRule) Hits() int { return int(r.fault.hits.Load()) }

// Matched is how many requests it applied to, those that it let pass (Skip, Percent, Probability) included.
func (r *FaultRule) Matched() int { return int(r.fault.seen.Load()) }

// Enabled reports whether it is switched on. It may be used up, or out of its time, all the same.
func (r *FaultRule) Enabled() bool { return !r.fault.off.Load() }

// Enable switches it on; its counters go on where they were.
func (r *FaultRule) Enable() {
	r.fault.off.Store(false)
	r.account.dropDoomed()
}

// Disable switches it off.
func (r *FaultRule) Disable() { r.fault.off.Store(true) }

// Remove takes it out of force. Removing it twice does nothing.
func (r *FaultRule) Remove() {
	for {
		before := r.account.faults.Load()
		after := slices.DeleteFunc(slices.Clone(*before), func(f *armedFault) bool { return f == r.fault })
		if r.account.faults.CompareAndSwap(before, &after) {
			return
		}
	}
}
