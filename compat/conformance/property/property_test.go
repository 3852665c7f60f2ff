package property

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// properties are what must hold of every script, by name.
var properties = []struct {
	name  string
	check func(*outcome) []string
}{
	{"budgets", checkBudgets},
	{"effort", checkEffort},
	{"regions", checkRegions},
	{"order", checkOrder},
	{"preference", checkPreference},
	{"content", checkContent},
	{"repetition", checkRepetition},
	{"result", checkResult},
	{"time", checkTime},
	{"text", checkText},
	{"reads", checkReads},
}

// problems are those of all properties, each with the name of its property in front.
func (o *outcome) problems() []string {
	var found []string
	for _, p := range properties {
		for _, problem := range p.check(o) {
			found = append(found, p.name+": "+problem)
		}
	}
	return found
}

// verdict is what came of a world: its first script with problems, if there is one.
type verdict struct {
	scripts  int
	seen     worst
	outcome  *outcome
	problems []string
}

// judge runs a world in a bubble of its own. What is left behind ends the bubble with a panic, which is a problem too.
func judge(t *testing.T, w *world, broken sabotage) (v verdict) {
	t.Helper()
	watch := time.AfterFunc(time.Minute, func() { panic("a world hangs in real time:\n" + w.String()) })
	defer watch.Stop()
	defer func() {
		if reason := recover(); reason != nil {
			v.problems = append(v.problems, fmt.Sprintf("leftovers: %v", reason))
		}
	}()
	synctest.Test(t, func(*testing.T) {
		p, err := newPlayer(w, broken)
		if err != nil {
			v.problems = append(v.problems, "set up: "+err.Error())
			return
		}
		err = p.play(func(o *outcome) bool {
			v.scripts++
			found := o.problems()
			v.seen.add(o.worst)
			if len(found) > 0 {
				v.outcome, v.problems = o, found
			}
			return len(found) == 0
		})
		if err != nil {
			v.problems = append(v.problems, err.Error())
		}
	})
	return v
}

const (
	// scriptsVariable and seedVariable are the environment variables that the package comment describes.
	scriptsVariable = "PROPERTY_SCRIPTS"
	seedVariable    = "PROPERTY_SEED"
	firstVariable   = "PROPERTY_FIRST_SEED"
	usualScripts    = 20000
	shards          = 8
	// enough failures to see what they have in common.
	enough = 5
)

// number reads an environment variable.
func number(t *testing.T, name string, standard uint64) (n uint64, set bool) {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return standard, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is %q: want a whole number", name, text)
	}
	return n, true
}

// TestProperties runs random worlds until enough scripts have run.
func TestProperties(t *testing.T) {
	if seed, ok := number(t, seedVariable, 0); ok {
		v := judge(t, newWorld(seed), sabotage{})
		t.Log(v.report(newWorld(seed)))
		if len(v.problems) > 0 {
			t.Fail()
		}
		return
	}
	standard := uint64(usualScripts)
	if raceDetector {
		standard /= 10
	}
	wanted, _ := number(t, scriptsVariable, standard)
	s := &search{wanted: int64(wanted)}
	first, _ := number(t, firstVariable, 1)
	s.seed.Store(first - 1)
	began := time.Now()
	t.Run("worlds", func(t *testing.T) {
		for shard := range shards {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				s.run(t)
			})
		}
	})
	t.Logf("%d scripts in %d worlds, %v each", s.scripts.Load(), s.seed.Load()-first+1, time.Since(began)/time.Duration(max(s.scripts.Load(), 1)))
	t.Logf("most per operation: %+v; with the default budgets: %+v", s.seen, s.usual)
}

// search goes through the seeds. It is safe for concurrent use.
type search struct {
	wanted   int64
	seed     atomic.Uint64
	scripts  atomic.Int64
	failures atomic.Int64
	mu       sync.Mutex
	seen     worst
	usual    worst // of worlds whose budgets are the defaults
}

func (s *search) run(t *testing.T) {
	for s.scripts.Load() < s.wanted && s.failures.Load() < enough {
		w := newWorld(s.seed.Add(1))
		v := judge(t, w, sabotage{})
		s.scripts.Add(int64(v.scripts))
		s.mu.Lock()
		s.seen.add(v.seen)
		if w.usualBudgets() {
			s.usual.add(v.seen)
		}
		s.mu.Unlock()
		if len(v.problems) > 0 {
			s.failures.Add(1)
			t.Error(shrink(t, w, v, sabotage{}))
		}
	}
}

// shrink drops what a failure does not need, and reports the smallest world that still has one of the same property.
func shrink(t *testing.T, w *world, v verdict, broken sabotage) string {
	t.Helper()
	property, _, _ := strings.Cut(v.problems[0], ":")
	for progress := true; progress; {
		progress = false
		for _, smaller := range w.smaller() {
			got := judge(t, smaller, broken)
			if len(got.problems) > 0 && strings.HasPrefix(got.problems[0], property+":") {
				w, v, progress = smaller, got, true
				break
			}
		}
	}
	return v.report(w)
}
