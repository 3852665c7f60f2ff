package property

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// dice draws everything about a world.
type dice struct{ *rand.Rand }

// newWorld is the world of a seed.
func newWorld(seed uint64) *world {
	d := dice{rand.New(rand.NewPCG(seed, 0x5eed))}
	w := &world{seed: seed, account: d.shape(), settings: d.settings()}
	w.client = d.client()
	w.cold = d.oneIn(12) && !raceDetector
	w.together = d.oneIn(5) && !w.cold
	changing := d.oneIn(3)
	for i := range 4 + d.IntN(8) {
		s := d.script(w, changing)
		if w.cold {
			s.faults = d.coldFaults(s.faults, i == 0)
		}
		w.scripts = append(w.scripts, s)
	}
	return w
}

func (d dice) oneIn(n int) bool { return d.IntN(n) == 0 }

// percent is true in p of 100 cases.
func (d dice) percent(p int) bool { return d.IntN(100) < p }

func pick[T any](d dice, choices ...T) T { return choices[d.IntN(len(choices))] }

// allRegions are those that an account can have.
var allRegions = []string{"East US", "West US", "North Europe", "Japan East", "East US 2"}

// shape draws an account of one to five regions.
func (d dice) shape() shape {
	regions := slices.Clone(allRegions)
	d.Shuffle(len(regions), func(i, j int) { regions[i], regions[j] = regions[j], regions[i] })
	s := shape{regions: regions[:pick(d, 1, 2, 2, 3, 3, 3, 4, 5)]}
	s.multi = d.percent(45)
	s.ppaf = d.percent(30)
	write := slices.Clone(s.regions)
	d.Shuffle(len(write), func(i, j int) { write[i], write[j] = write[j], write[i] })
	switch {
	case s.multi && d.percent(70):
		s.write = slices.Clone(s.regions)
	case s.multi:
		s.write = write[:1+d.IntN(len(write))]
	case d.percent(85):
		s.write = write[:1]
	default:
		s.write = write[:min(2, len(write))]
	}
	return s
}

// reshape draws what may become of an account: one more or one less region, another hub, other flags, or anything.
func (d dice) reshape(s shape) shape {
	next := shape{slices.Clone(s.regions), slices.Clone(s.write), s.multi, s.ppaf}
	switch d.IntN(6) {
	case 0:
		return d.shape()
	case 1:
		next.write = []string{pick(d, next.regions...)}
	case 2:
		next.ppaf = !next.ppaf
	case 3:
		next.multi = !next.multi
	case 4:
		gone := pick(d, next.regions...)
		isGone := func(r string) bool { return r == gone }
		next.regions = slices.DeleteFunc(next.regions, isGone)
		next.write = slices.DeleteFunc(next.write, isGone)
		if len(next.regions) == 0 {
			return d.shape()
		}
	default:
		if r := pick(d, allRegions...); !slices.Contains(next.regions, r) {
			next.regions = append(next.regions, r)
		}
		slices.Reverse(next.write)
	}
	if len(next.write) == 0 {
		next.write = []string{next.regions[0]}
	}
	return next
}

func (d dice) client() client {
	var c client
	c.preferred = d.regions(d.IntN(5))
	if d.oneIn(10) {
		c.preferred = append(c.preferred, "Mars Central")
	}
	if d.oneIn(5) {
		c.excluded = d.regions(1 + d.IntN(2))
	}
	if d.oneIn(6) {
		c.order = []string{"failover", "session", "throttle"}
		d.Shuffle(3, func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
	}
	return c
}

// regions draws n different regions, in any spelling.
func (d dice) regions(n int) []string {
	names := slices.Clone(allRegions)
	d.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:n]
	for i, name := range names {
		names[i] = pick(d, name, name, strings.ToUpper(name), strings.ReplaceAll(name, " ", "-"), regionKey(name))
	}
	return names
}

var kinds = []string{
	"read", "read", "read", "query", "queryAcross", "readContainer", "readDatabase",
	"create", "create", "upsert", "replace", "patch", "delete", "batch", "sproc", "createContainer",
}

func (d dice) script(w *world, changing bool) script {
	s := script{kind: pick(d, kinds...), key: pick(d, "pk-alpha", "pk-alpha", "pk-beta", "pk-gamma"), size: pick(d, 40, 40, 300, 5000)}
	s.once = d.oneIn(6)
	if d.oneIn(3) {
		s.session = pick(d, "0:-1#1", "1:-1#3", "0:-1#2,1:-1#9", "0:1#7#3=-1", "0:-1#99999999", "token of another kind")
	}
	if d.oneIn(4) {
		s.excluded = d.regions(1 + d.IntN(5))
	}
	if d.percent(30) {
		s.deadline = pick(d, time.Millisecond, 20*time.Millisecond, 100*time.Millisecond, time.Second, 2500*time.Millisecond, 10*time.Second, time.Minute)
	}
	if d.percent(10) {
		s.cancel = pick(d, time.Millisecond, 90*time.Millisecond, 1500*time.Millisecond, 7*time.Second)
	}
	if d.percent(40) {
		s.advance = pick(d, 10*time.Millisecond, time.Second, 5*time.Second, 9*time.Second, 61*time.Second)
	}
	s.faults = d.faults(w)
	if changing && d.percent(40) {
		next := d.reshape(w.account)
		s.change = &next
	}
	for changing && d.percent(25) {
		after := pick(d, time.Millisecond, 500*time.Millisecond, 1500*time.Millisecond, 8*time.Second)
		// Never at the moment of anything else: which comes first would be a matter of chance.
		after += time.Duration(1+len(s.changes)) * 7 * time.Microsecond
		s.changes = append(s.changes, change{after, d.reshape(w.account)})
	}
	return s
}
