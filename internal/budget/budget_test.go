package budget

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func mustNew(t *testing.T, o Options) *Budget {
	t.Helper()
	b, err := New(&o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// spend tries to retry n times and returns how many were allowed.
func spend(b *Budget, now time.Time, region string, n int) int {
	allowed := 0
	for range n {
		if b.Retry(now, region) {
			allowed++
		}
	}
	return allowed
}

func TestRatioAndFloor(t *testing.T) {
	tests := []struct {
		name     string
		options  Options
		requests int
		want     int
	}{
		{"the defaults without traffic", Options{}, 0, 100},
		{"the defaults with traffic", Options{}, 1000, 300},
		{"only the ratio", Options{Ratio: 0.1, MinPerSecond: -1}, 200, 20},
		{"only the floor", Options{Ratio: -1, MinPerSecond: 2, Window: 5 * time.Second}, 1000, 10},
		{"nothing", Options{Ratio: -1, MinPerSecond: -1}, 1000, 0},
		{"a cap per minute", Options{MaxPerMinute: 60}, 1000, 60},
		{"a cap per region", Options{MaxPerMinutePerRegion: 7}, 1000, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := mustNew(t, tt.options)
			for range tt.requests {
				b.Request(start)
			}
			if got := spend(b, start, "East US", 2000); got != tt.want {
				t.Errorf("allowed %d retries, want %d", got, tt.want)
			}
			if _, refused := b.Left(); refused != int64(2000-tt.want) {
				t.Errorf("refused %d, want %d", refused, 2000-tt.want)
			}
		})
	}
}

func TestWindowSlides(t *testing.T) {
	b := mustNew(t, Options{Ratio: -1, MinPerSecond: 1, Window: 10 * time.Second})
	if got := spend(b, start, "", 50); got != 10 {
		t.Fatalf("allowed %d, want 10", got)
	}
	if got := spend(b, start.Add(9*time.Second), "", 50); got != 0 {
		t.Errorf("allowed %d within the window, want 0", got)
	}
	if got := spend(b, start.Add(10*time.Second), "", 50); got != 10 {
		t.Errorf("allowed %d after the window, want 10", got)
	}
}

func TestRegionsHaveCapsOfTheirOwn(t *testing.T) {
	b := mustNew(t, Options{MaxPerMinutePerRegion: 3})
	for _, region := range []string{"East US", "West US"} {
		if got := spend(b, start, region, 10); got != 3 {
			t.Errorf("%s: allowed %d, want 3", region, got)
		}
	}
	if got := spend(b, start.Add(time.Minute), "East US", 10); got != 3 {
		t.Errorf("a minute later: allowed %d, want 3", got)
	}
}

func TestNilBudgetAllowsEverything(t *testing.T) {
	var b *Budget
	b.Request(start)
	if !b.Retry(start, "East US") {
		t.Error("refused")
	}
}

func TestNewRejects(t *testing.T) {
	for field, o := range map[string]Options{
		"Ratio":                 {Ratio: math.NaN()},
		"MinPerSecond":          {MinPerSecond: 1e7},
		"Window":                {Window: time.Hour},
		"MaxPerMinute":          {MaxPerMinute: 1e7},
		"MaxPerMinutePerRegion": {MaxPerMinutePerRegion: 1e7},
	} {
		if _, err := New(&o); err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: got %v, want an error that names it and what is allowed", field, err)
		}
	}
	if _, err := New(&Options{Window: -1}); err == nil {
		t.Error("a negative window is accepted")
	}
}

// TestNeverMoreThanAllowed: whatever the traffic, when a retry is allowed the
// window has no more retries than its requests and its floor allow.
func TestNeverMoreThanAllowed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	b := mustNew(t, Options{Ratio: 0.5, MinPerSecond: 1, Window: 3 * time.Second})
	var requests, retries [600]int
	for second := range 600 {
		now := start.Add(time.Duration(second) * time.Second)
		for range random.IntN(20) {
			b.Request(now)
			requests[second]++
			retries[second] += spend(b, now, "", random.IntN(4))
		}
		sum := func(counts []int) (n int) {
			for _, c := range counts {
				n += c
			}
			return n
		}
		from := max(second-2, 0)
		if got, most := sum(retries[from:second+1]), 0.5*float64(sum(requests[from:second+1]))+3; retries[second] > 0 && float64(got) > most {
			t.Fatalf("second %d: %d retries in the window, want at most %v", second, got, most)
		}
	}
}

func BenchmarkRetry(b *testing.B) {
	budget, _ := New(nil)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			now := time.Now()
			budget.Request(now)
			budget.Retry(now, "East US")
		}
	})
}

func TestConfigureKeepsTheCounts(t *testing.T) {
	b := mustNew(t, Options{Ratio: -1, MinPerSecond: 1}) // 10 in the window
	if got := spend(b, start, "", 100); got != 10 {
		t.Fatalf("allowed %d, want 10", got)
	}
	if err := b.Configure(&Options{Ratio: -1, MinPerSecond: 3}); err != nil {
		t.Fatal(err)
	}
	if got := spend(b, start, "", 100); got != 20 {
		t.Errorf("allowed %d more, want 20", got)
	}
	if err := b.Configure(&Options{Window: -1}); err == nil {
		t.Error("a negative window is accepted")
	}
	if err := b.Configure(nil); err != nil {
		t.Fatal(err)
	}
	if got := spend(b, start.Add(5*time.Second), "", 100); got != 0 {
		t.Errorf("back at 10 in the window: allowed %d of those that 30 are spent", got)
	}
	if got := spend(b, start.Add(time.Minute), "", 100); got != 10 {
		t.Errorf("in the next window: allowed %d, want 10", got)
	}
}
