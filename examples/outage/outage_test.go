package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSummarize(t *testing.T) {
	var samples []sample
	for i := range 200 {
		samples = append(samples, sample{took: time.Duration(200-i) * time.Millisecond})
	}
	samples[0].err = errors.New("lost")
	got := summarize(samples)
	want := summary{Operations: 200, Failed: 1, P50: 100 * time.Millisecond, P99: 198 * time.Millisecond, Worst: 200 * time.Millisecond}
	if got != want {
		t.Errorf("summarize = %+v, want %+v", got, want)
	}
	if got := got.Success(); got != 99.5 {
		t.Errorf("Success = %v, want 99.5", got)
	}
	if got := summarize(nil); got != (summary{}) {
		t.Errorf("summarize(nil) = %+v, want zero", got)
	}
}

func TestSeriesSkipsEmptyBuckets(t *testing.T) {
	samples := []sample{{at: 0}, {at: 900 * time.Millisecond}, {at: 2 * time.Second}}
	got := series(samples, 3*time.Second, time.Second)
	if len(got) != 2 || got[0].Operations != 2 || got[1].middle != 2500*time.Millisecond {
		t.Errorf("series = %+v, want two operations around 0.5 s and one around 2.5 s", got)
	}
}

func TestVerdict(t *testing.T) {
	lost := sample{kind: create, at: time.Second, took: deadline, err: context.DeadlineExceeded}
	for _, tt := range []struct {
		name            string
		alone, policies []sample
		status          int
		says            string
	}{
		{"nothing lost", []sample{{}}, []sample{{}}, 0, ""},
		{"lost without the policies", []sample{lost}, []sample{{}}, 0, ""},
		{"lost with the policies", []sample{{}}, []sample{lost}, 1, "at 1.000s, one of the creates, after 5s: context deadline exceeded"},
		{"a busy computer", []sample{{late: 2 * time.Second}}, []sample{lost}, 1, "up to 2.00 s late"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			o := &outcome{alone: &record{samples: tt.alone}, policies: &record{samples: tt.policies}}
			if status := o.verdict(&out); status != tt.status || !strings.Contains(out.String(), tt.says) {
				t.Errorf("verdict = %d and %q, want %d and %q", status, out.String(), tt.status, tt.says)
			}
		})
	}
}

func TestSecondsTicks(t *testing.T) {
	for to, want := range map[float64]int{0.4: 9, 2: 11, 40: 9, 4000: 9} {
		if got := (seconds{}).Ticks(0, to); len(got) != want || got[0].Label != "0" {
			t.Errorf("Ticks(0, %v) = %v, want %d from 0", to, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("one two  three", 7), "one two\nthree"; got != want {
		t.Errorf("wrap = %q, want %q", got, want)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2700 * time.Microsecond: "2.7 ms", 31400 * time.Microsecond: "31 ms", 5010 * time.Millisecond: "5.01 s",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}
