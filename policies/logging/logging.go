package logging

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/event"
)

// Observer logs the decisions of the policies; give it to the Observers of
// policies.Options. It is an asynchronous observer: a slow handler delays no
// request, it misses events. Several clients can share one; it is safe for
// concurrent use.
type Observer struct {
	logger  *slog.Logger
	options Options

	mu    sync.Mutex // never held while the logger works
	storm storm
	due   atomic.Int64 // when the next summary is, in Unix nanoseconds; 0 for none
}

var _ event.Selective = (*Observer)(nil)

// New returns an observer that logs to logger. A nil logger means [slog.Default]
// as it is now, nil options mean the defaults. An option that makes no sense is
// an error that names it.
func New(logger *slog.Logger, o *Options) (*Observer, error) {
	options, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.Default()
	}
	return &Observer{
		logger: logger, options: options,
		storm: storm{burst: options.Burst, length: options.Period, all: map[key]*period{}},
	}, nil
}

// Wants implements policies.SelectiveObserver: operations that end well and soon
// are of no interest, unless a summary is due.
func (o *Observer) Wants(e event.Event) bool {
	if e.Kind != event.KindCompleted || o.options.wants(e.Attempt, e.Elapsed) {
		return true
	}
	due := o.due.Load()
	return due != 0 && e.Time.UnixNano() >= due
}

// Observe implements policies.Observer.
func (o *Observer) Observe(ctx context.Context, e event.Event) {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	if e.Kind == event.KindCompleted && !o.options.wants(e.Attempt, e.Elapsed) {
		o.flush(e.Time, false)
		return
	}
	how := styleOf(&e)
	if !o.logger.Enabled(ctx, how.level) {
		return
	}
	if o.options.Period < 0 {
		o.write(single(ctx, &e, how))
		return
	}
	o.mu.Lock()
	entries := o.storm.end(e.Time, false)
	byItself := o.storm.take(ctx, &e, how)
	o.due.Store(o.storm.due())
	o.mu.Unlock()
	o.write(entries...)
	if byItself {
		o.write(single(ctx, &e, how))
	}
}

// flush writes the summaries that are due, or all of them.
func (o *Observer) flush(now time.Time, all bool) {
	o.mu.Lock()
	entries := o.storm.end(now, all)
	o.due.Store(o.storm.due())
	o.mu.Unlock()
	o.write(entries...)
}

// Close writes the summaries of the periods that are not over yet. The error is
// always nil. Events that come later are logged all the same.
func (o *Observer) Close() error {
	o.flush(time.Now(), true)
	return nil
}

func (o *Observer) write(entries ...entry) {
	h := o.logger.Handler()
	for _, e := range entries {
		if h.Enabled(e.ctx, e.record.Level) {
			_ = h.Handle(e.ctx, e.record) // as slog.Logger does
		}
	}
}
