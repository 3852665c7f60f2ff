package logging

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
)

// key is what makes events alike.
type key struct {
	kind   event.Kind
	cause  event.Cause
	region string
}

// mostPeriods bounds the memory: the kinds and causes are few, the regions of an
// account too, but a host stands for a region that is not known.
const mostPeriods = 256

// period counts the events that are alike.
type period struct {
	end    time.Time
	style  style
	logged int

	// Of those that were not logged one by one:
	count    int
	ctx      context.Context // of the last
	reason   string          // of the last
	attempts int             // the most
	wait     time.Duration   // the longest
	elapsed  time.Duration   // the longest
}

// storm keeps the periods that are not over. It is not safe for concurrent use,
// and knows no clock: events say what time it is.
type storm struct {
	burst  int
	length time.Duration
	all    map[key]*period
	next   time.Time // the end of the first period to end, with periods
}

// take counts an event, and reports whether it is to be logged by itself.
func (s *storm) take(ctx context.Context, e *event.Event, how style) bool {
	k := key{e.Kind, e.Cause, e.Region}
	p := s.all[k]
	if p == nil && len(s.all) >= mostPeriods {
		k = key{kind: e.Kind}
		p = s.all[k]
	}
	if p == nil {
		p = &period{end: e.Time.Add(s.length)}
		if len(s.all) == 0 || p.end.Before(s.next) {
			s.next = p.end
		}
		s.all[k] = p
	}
	p.style = how
	if p.logged < s.burst {
		p.logged++
		return true
	}
	p.count++
	p.ctx, p.reason = ctx, e.Reason
	p.attempts, p.wait, p.elapsed = max(p.attempts, e.Attempt), max(p.wait, e.Wait), max(p.elapsed, e.Elapsed)
	return false
}

// end closes the periods that are over, or all of them, and returns their
// entries.
func (s *storm) end(now time.Time, all bool) []entry {
	if len(s.all) == 0 || !all && now.Before(s.next) {
		return nil
	}
	var over []key
	s.next = time.Time{}
	for k, p := range s.all {
		switch {
		case all || !now.Before(p.end):
			over = append(over, k)
		case s.next.IsZero() || p.end.Before(s.next):
			s.next = p.end
		}
	}
	slices.SortFunc(over, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.cause, b.cause), cmp.Compare(a.region, b.region))
	})
	var entries []entry
	for _, k := range over {
		if p := s.all[k]; p.count > 0 {
			entries = append(entries, s.summary(k, p, now))
		}
		delete(s.all, k)
	}
	return entries
}

// due is when the first period ends, in Unix nanoseconds, 0 without one.
func (s *storm) due() int64 {
	if len(s.all) == 0 {
		return 0
	}
	return s.next.UnixNano()
}

// summary is the entry of the events of a period that were only counted.
func (s *storm) summary(k key, p *period, now time.Time) entry {
	r := slog.NewRecord(now, p.style.level, p.style.message+", and more of it", 0)
	attrs := attributes{make([]slog.Attr, 0, 9)}
	attrs.text("kind", string(k.kind))
	attrs.text("cause", string(k.cause))
	attrs.text("region", k.region)
	attrs.number("count", p.count)
	attrs.duration("period", s.length)
	attrs.number("max_attempt", p.attempts)
	attrs.duration("max_wait", p.wait)
	attrs.duration("max_elapsed", p.elapsed)
	attrs.text("last_reason", p.reason)
	r.AddAttrs(attrs.list...)
	return entry{p.ctx, r}
}
