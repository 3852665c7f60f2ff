package logging

import (
	"context"
	"log/slog"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
)

// style is how events of a kind are logged.
type style struct {
	level   slog.Level
	message string
}

var styles = map[event.Kind]style{
	event.KindRetry:          {slog.LevelWarn, "cosmos: retrying in the same region"},
	event.KindLocalRetry:     {slog.LevelWarn, "cosmos: retrying on a new connection"},
	event.KindFailover:       {slog.LevelWarn, "cosmos: failing over"},
	event.KindSessionRetry:   {slog.LevelWarn, "cosmos: retrying where the session is known"},
	event.KindBudgetRefused:  {slog.LevelWarn, "cosmos: retry refused by the budget"},
	event.KindGaveUp:         {slog.LevelError, "cosmos: giving up"},
	event.KindCompleted:      {slog.LevelWarn, "cosmos: operation needed long"},
	event.KindMarked:         {slog.LevelWarn, "cosmos: endpoint put last"},
	event.KindUnmarked:       {slog.LevelInfo, "cosmos: endpoint is back"},
	event.KindBreakerOpened:  {slog.LevelWarn, "cosmos: circuit breaker opened"},
	event.KindBreakerProbing: {slog.LevelInfo, "cosmos: circuit breaker probes"},
	event.KindBreakerClosed:  {slog.LevelInfo, "cosmos: circuit breaker closed"},
	event.KindOverrideMoved:  {slog.LevelWarn, "cosmos: writes of a partition moved"},
	event.KindRefreshed:      {slog.LevelInfo, "cosmos: topology refreshed"},
	event.KindLetterLost:     {slog.LevelError, "cosmos: dead letter lost"},
}

// styleOf also knows what to do with a kind that it has never heard of.
func styleOf(e *event.Event) style {
	s, ok := styles[e.Kind]
	switch {
	case !ok:
		return style{slog.LevelInfo, "cosmos: " + string(e.Kind)}
	case e.Kind == event.KindRefreshed && e.Failed:
		return style{slog.LevelWarn, "cosmos: topology refresh failed"}
	}
	return s
}

// entry is something to log.
type entry struct {
	ctx    context.Context
	record slog.Record
}

// single is the entry of one event.
func single(ctx context.Context, e *event.Event, s style) entry {
	r := slog.NewRecord(e.Time, s.level, s.message, 0)
	attrs := attributes{make([]slog.Attr, 0, 14)}
	attrs.text("kind", string(e.Kind))
	attrs.text("cause", string(e.Cause))
	attrs.text("operation", e.Operation)
	attrs.text("container", e.Collection)
	attrs.text("partition", e.Partition)
	attrs.text("region", e.Region)
	attrs.text("target", e.Target)
	attrs.number("status", e.Status)
	attrs.number("sub_status", e.SubStatus)
	attrs.number("attempt", e.Attempt)
	attrs.duration("wait", e.Wait)
	attrs.duration("elapsed", e.Elapsed)
	if e.Charge > 0 {
		attrs.list = append(attrs.list, slog.Float64("charge", e.Charge))
	}
	attrs.text("reason", e.Reason)
	r.AddAttrs(attrs.list...)
	return entry{ctx, r}
}

// attributes collects those that say something.
type attributes struct{ list []slog.Attr }

func (a *attributes) text(key, value string) {
	if value != "" {
		a.list = append(a.list, slog.String(key, value))
	}
}

func (a *attributes) number(key string, value int) {
	if value != 0 {
		a.list = append(a.list, slog.Int(key, value))
	}
}

func (a *attributes) duration(key string, value time.Duration) {
	if value != 0 {
		a.list = append(a.list, slog.Duration(key, value))
	}
}
