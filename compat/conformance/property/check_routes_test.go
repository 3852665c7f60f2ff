package property

import (
	"fmt"
	"slices"
)

// checkRegions makes sure that every request went where the account and the exclusions allow.
func checkRegions(o *outcome) []string {
	var problems []string
	for i := range o.attempts {
		a := &o.attempts[i]
		shapes := o.known(a.Time)
		switch {
		case i > 0 && o.stays(i):
			// a retry at the same endpoint, wherever that is
		case i > 0 && o.fenced(&o.attempts[i-1], a, shapes):
			// the account has only excluded regions left: the operation stays where it was
		case a.Region == "?":
			problems = append(problems, fmt.Sprintf("attempt %d went to %s, which is no host of the account", i+1, a.Host))
		case o.pinned():
			if a.Region != "global" {
				problems = append(problems, fmt.Sprintf("attempt %d went to %s, the client is pinned to the global endpoint", i+1, a.Region))
			}
		case len(shapes) > 0 && !slices.ContainsFunc(shapes, func(s shape) bool { return slices.Contains(o.candidates(s), a.Region) }):
			problem := fmt.Sprintf("attempt %d went to %s, may go to %q", i+1, a.Region, o.candidates(shapes[0]))
			if i > 0 && a.Region == o.attempts[i-1].Region && a.Time.After(o.attempts[i-1].end) {
				problem += ", as was known before the back-off ended"
			}
			problems = append(problems, problem)
		}
	}
	return problems
}

// stays reports whether the attempt of index i is a retry at the endpoint of the one before, not a choice of its own: it
// goes there even if the account has changed since.
func (o *outcome) stays(i int) bool {
	a, next := &o.attempts[i-1], &o.attempts[i]
	switch o.cause(a) {
	case reconnect:
		return a.Region == next.Region && a.end.Equal(next.Time)
	case throttled, retryWith:
		return a.Region == next.Region
	}
	return false
}

// fenced reports whether a request stayed in a region that is not excluded, because the regions that the account has for
// the operation now all are.
func (o *outcome) fenced(before, a *attempt, shapes []shape) bool {
	return a.Region == before.Region && !o.excluded(a.Region) &&
		slices.ContainsFunc(shapes, func(s shape) bool { return len(o.allowed(s)) == 0 })
}

// checkOrder makes sure that no region which has failed in this operation is visited again before all others have.
func checkOrder(o *outcome) []string {
	s, ok := o.steady()
	if !ok || o.pinned() {
		return nil
	}
	regions := o.candidates(s)
	var failed, problems []string
	again, locals := 0, budgetsOf(&o.world.settings).local
	for i := 1; i < len(o.attempts); i++ {
		a, next := &o.attempts[i-1], &o.attempts[i]
		switch o.cause(a) {
		case throttled, retryWith, final:
			continue
		case reconnect:
			if again++; again <= locals && a.Region == next.Region {
				continue // a local retry
			}
		}
		again = 0
		failed = append(failed, a.Region)
		all := !slices.ContainsFunc(regions, func(r string) bool { return !slices.Contains(failed, r) })
		switch {
		case o.cause(a) == sessions && !s.multi && !o.excluded(s.write[0]):
			if next.Region != s.write[0] { // the hub, whatever it has done
				problems = append(problems, fmt.Sprintf("attempt %d is a session retry at %s, the hub is %s", i+1, next.Region, s.write[0]))
			}
		case all:
			failed = nil
		case slices.Contains(failed, next.Region):
			problems = append(problems, fmt.Sprintf("attempt %d went to %s, which had failed while others had not: %q", i+1, next.Region, failed))
		}
	}
	return problems
}

// checkPreference makes sure that an operation begins in the first region of its list while nothing has failed yet.
func checkPreference(o *outcome) []string {
	s, ok := o.steady()
	if !ok || !o.pristine || o.pinned() || s.ppaf && o.script.writes() {
		return nil // a partition's override comes first
	}
	if first := o.preferred(s); o.attempts[0].Region != first {
		return []string{fmt.Sprintf("it began in %s, the first region of its list is %s", o.attempts[0].Region, first)}
	}
	return nil
}

// harmless reports whether the operation has taught the policies nothing bad about any region.
func (o *outcome) harmless() bool {
	for i := range o.attempts {
		switch c := o.cause(&o.attempts[i]); {
		case c == generic, c == reconnect, c == backend, c == either:
			return false
		}
	}
	return true
}

// checkContent makes sure that every attempt says the same: session token, body, and the headers that the service needs.
func checkContent(o *outcome) []string {
	var problems []string
	problem := func(i int, what string, got any) {
		problems = append(problems, fmt.Sprintf("attempt %d: %s is %q", i+1, what, got))
	}
	var token []string
	if o.script.session != "" && !o.script.metadata() {
		token = []string{o.script.session}
	}
	for i := range o.attempts {
		a := &o.attempts[i]
		if got := a.Header["X-Ms-Session-Token"]; !slices.Equal(got, token) {
			problem(i, "the session token", got)
		}
		if host := "acct-" + regionKey(a.Region) + ".documents.azure.com:443"; a.Region != "?" && a.Region != "global" && a.Host != host {
			problem(i, "the host header", a.Host)
		}
		if !a.sameBody(o.body) {
			problem(i, "the body", a.Body)
		}
		if got := a.Header["X-Ms-Noretry-449"]; !o.script.metadata() && !slices.Equal(got, []string{"true"}) {
			problem(i, "x-ms-noretry-449", got)
		}
		if got := a.Header["X-Ms-Cosmos-Allow-Tentative-Writes"]; o.tentative(a) && !slices.Equal(got, []string{"true"}) {
			problem(i, "x-ms-cosmos-allow-tentative-writes", got)
		}
	}
	return problems
}

// tentative reports whether the attempt is a write to what the client surely knows to be a multi-write account.
func (o *outcome) tentative(a *attempt) bool {
	shapes := o.known(a.Time)
	single := func(s shape) bool { return !s.multi }
	return o.script.writes() && len(shapes) > 0 && !slices.ContainsFunc(shapes, single)
}

// checkRepetition makes sure that what must not run twice is not sent again once it may have been executed.
func checkRepetition(o *outcome) []string {
	if !o.script.unrepeatable() {
		return nil
	}
	for i := range o.attempts[:max(len(o.attempts)-1, 0)] {
		if a := &o.attempts[i]; a.executed() {
			return []string{fmt.Sprintf("attempt %d (%s) may have been executed, and was repeated", i+1, a.result())}
		}
	}
	return nil
}
