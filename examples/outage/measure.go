package main

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// sample is one operation that has ended.
type sample struct {
	kind kind
	at   time.Duration // when it began, since the start of the script
	late time.Duration // how much after its time: this computer was busy
	took time.Duration
	err  error
}

// recorder collects samples. It is safe for concurrent use.
type recorder struct {
	mu      sync.Mutex
	samples []sample
	failed  int
}

func (r *recorder) add(s sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples = append(r.samples, s)
	if s.err != nil {
		r.failed++
	}
}

// counts returns how many operations have ended, and how many of them failed.
func (r *recorder) counts() (ended, failed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.samples), r.failed
}

// all returns the samples in the order in which their operations began.
func (r *recorder) all() []sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(slices.Values(r.samples), func(a, b sample) int { return int(a.at - b.at) })
}

// summary is what a number of operations came to. Latencies include operations
// that failed: their callers waited, too.
type summary struct {
	Operations, Failed int
	P50, P99, Worst    time.Duration
}

func summarize(samples []sample) summary {
	s := summary{Operations: len(samples)}
	took := make([]time.Duration, 0, len(samples))
	for _, x := range samples {
		took = append(took, x.took)
		if x.err != nil {
			s.Failed++
		}
	}
	if slices.Sort(took); len(took) > 0 {
		s.P50, s.P99, s.Worst = rank(took, 0.5), rank(took, 0.99), took[len(took)-1]
	}
	return s
}

// rank is the p-quantile of sorted durations, by the nearest rank.
func rank(sorted []time.Duration, p float64) time.Duration {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

// Success is the share of operations that did not fail, in percent.
func (s summary) Success() float64 {
	if s.Operations == 0 {
		return math.NaN()
	}
	return 100 * float64(s.Operations-s.Failed) / float64(s.Operations)
}

// between returns the samples that began in a span of time.
func between(samples []sample, from, to time.Duration) []sample {
	return filter(samples, func(s sample) bool { return from <= s.at && s.at < to })
}

func filter(samples []sample, keep func(sample) bool) []sample {
	var kept []sample
	for _, s := range samples {
		if keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// point is one bucket of a time series.
type point struct {
	middle time.Duration
	summary
}

// series cuts the samples into spans of the same length.
func series(samples []sample, length, step time.Duration) []point {
	var points []point
	for from := time.Duration(0); from < length; from += step {
		if s := summarize(between(samples, from, from+step)); s.Operations > 0 {
			points = append(points, point{from + step/2, s})
		}
	}
	return points
}

// traffic counts the requests for data that arrived in a region.
func traffic(log []cosmostest.Request, region string, from, to time.Time) int {
	n := 0
	for i := range log {
		if r := &log[i]; r.Region == region && !r.Account && !r.Time.Before(from) && r.Time.Before(to) {
			n++
		}
	}
	return n
}
