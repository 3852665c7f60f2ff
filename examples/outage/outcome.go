package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

// outcome is what the two sides lived through.
type outcome struct {
	phases          []phase
	alone, policies *record
}

// record is what one side lived through.
type record struct {
	Name   string
	Total  summary
	Kinds  [kinds]summary
	Phases []summary // of the operations that began in each phase
	Reads  summary   // in the first phase, when all is well

	// Requests for data that arrived in each region; connections that were
	// refused brought none. Lost has those for the lost region, by phase.
	Requests []int
	Lost     []int

	samples []sample
}

func newOutcome(sides []*side, phases []phase, start time.Time) *outcome {
	return &outcome{
		phases:   phases,
		alone:    newRecord(sides[0], phases, start),
		policies: newRecord(sides[1], phases, start),
	}
}

func newRecord(s *side, phases []phase, start time.Time) *record {
	r := &record{Name: s.name, samples: s.results.all()}
	r.Total = summarize(r.samples)
	for k := range kinds {
		r.Kinds[k] = summarize(filter(r.samples, func(s sample) bool { return s.kind == k }))
	}
	r.Reads = summarize(filter(between(r.samples, 0, phases[0].to()), func(s sample) bool { return s.kind == read }))
	log := s.account.Requests()
	for i, p := range phases {
		if i == len(phases)-1 {
			p.length = time.Hour // an operation may have begun a little late
		}
		r.Phases = append(r.Phases, summarize(between(r.samples, p.from, p.to())))
		r.Lost = append(r.Lost, traffic(log, lost, start.Add(p.from), start.Add(p.to())))
	}
	for _, region := range regions() {
		r.Requests = append(r.Requests, traffic(log, region, start, time.Now()))
	}
	return r
}

func (r *record) failures() []sample {
	return filter(r.samples, func(s sample) bool { return s.err != nil })
}

// causes counts the failures by what ended them.
func (r *record) causes() map[string]int {
	causes := map[string]int{}
	for _, s := range r.failures() {
		causes[cause(s.err)]++
	}
	return causes
}

func cause(err error) string {
	var answer *azcore.ResponseError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline exceeded"
	case errors.As(err, &answer):
		return fmt.Sprintf("HTTP status %d", answer.StatusCode)
	}
	return "no answer"
}

// late is by how much operations began after their time, at worst.
func (o *outcome) late() time.Duration {
	var late time.Duration
	for _, s := range slices.Concat(o.alone.samples, o.policies.samples) {
		late = max(late, s.late)
	}
	return late
}

const (
	maxListed = 20          // failed operations
	tooLate   = time.Second // for the numbers to mean much
)

// verdict lists what the policies lost and returns the exit status: 1 when
// there is anything, because another region could have served all of it.
func (o *outcome) verdict(out io.Writer) int {
	if late := o.late(); late > tooLate {
		fmt.Fprintf(out, "\nThis computer was busy: operations began up to %s late. The numbers tell more of it than of the clients.\n", span(late))
	}
	failures := o.policies.failures()
	if len(failures) == 0 {
		return 0
	}
	fmt.Fprintf(out, "\nThe policies lost %d operations that they must save:\n", len(failures))
	for i, s := range failures {
		if i == maxListed {
			fmt.Fprintf(out, "… and %d more\n", len(failures)-i)
			break
		}
		fmt.Fprintf(out, "at %.3fs, one of the %v, after %v: %+v\n", s.at.Seconds(), s.kind, s.took, s.err)
	}
	return 1
}
