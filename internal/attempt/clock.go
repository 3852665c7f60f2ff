package attempt

import (
	"context"
	"net/http/httptrace"
	"slices"
	"sync"
	"time"
)

// clock is the context of one attempt: it ends when the caller's context does,
// or when the attempt's time is up. It does what context.WithTimeout does, but
// it lives in the operation's state, and it starts a timer and looks after its
// parent only once somebody asks for Done. So an attempt over a transport that
// answers at once pays for none of it.
type clock struct {
	context.Context // the parent, for its values

	timeout time.Duration

	mu         sync.Mutex
	deadline   time.Time // zero for none
	err        error
	expired    bool          // it was the deadline
	done       chan struct{} // made when somebody asks for it
	timer      *time.Timer
	stopParent func() bool
	after      []*func()
	trace      trace
	hooks      *httptrace.ClientTrace // made when the transport asks for them
}

// start begins the clock; timeout counts from now.
func (c *clock) start(parent context.Context, now time.Time, timeout time.Duration) {
	c.Context, c.timeout, c.deadline = parent, timeout, now.Add(timeout)
}

// Deadline is the earlier one of the attempt's and the caller's.
func (c *clock) Deadline() (time.Time, bool) {
	parent, ok := c.Context.Deadline()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deadline.IsZero() || ok && parent.Before(c.deadline) {
		return parent, ok
	}
	return c.deadline, true
}

// Done is closed when the clock has ended.
func (c *clock) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		} else {
			c.watch()
		}
	}
	return c.done
}

// watch arms what ends the clock. The caller holds c.mu.
func (c *clock) watch() {
	if !c.deadline.IsZero() {
		c.timer = time.AfterFunc(time.Until(c.deadline), c.expire)
	}
	if c.Context.Done() != nil {
		c.stopParent = context.AfterFunc(c.Context, func() { c.end(c.Context.Err(), false) })
	}
}

// Err is nil until the clock has ended.
func (c *clock) Err() error {
	c.mu.Lock()
	err, deadline := c.err, c.deadline
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if err := c.Context.Err(); err != nil {
		c.end(err, false)
		return err
	}
	if !deadline.IsZero() && !time.Now().Before(deadline) {
		c.end(context.DeadlineExceeded, true)
		return context.DeadlineExceeded
	}
	return nil
}

// AfterFunc arranges for f to run in its own goroutine once the clock has
// ended. The context package looks for this method: with it, a context derived
// from the clock needs no goroutine that waits for Done.
func (c *clock) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	entry := &f
	c.after = append(c.after, entry)
	return func() bool { return c.remove(entry) }
}

func (c *clock) remove(entry *func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.after, entry)
	if i >= 0 {
		c.after = slices.Delete(c.after, i, i+1)
	}
	return i >= 0
}

// end ends the clock, once.
func (c *clock) end(err error, expired bool) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err, c.expired = err, expired
	after := c.after
	c.after = nil
	if c.done != nil {
		close(c.done)
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	stop := c.stopParent
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
	for _, f := range after {
		go (*f)()
	}
}

// expire is the timer's. It may come after stop, having waited for c.mu.
func (c *clock) expire() {
	c.mu.Lock()
	stopped := c.deadline.IsZero()
	c.mu.Unlock()
	if !stopped {
		c.end(context.DeadlineExceeded, true)
	}
}

// stop stops the timer of a clock whose answer is handed over as a stream: the
// time-out bounds the answer, not its reader.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = time.Time{}
	if c.timer != nil {
		c.timer.Stop()
	}
}

// release ends the clock of an attempt that is over.
func (c *clock) release() { c.end(context.Canceled, false) }

// cause is why the clock has ended, nil while it has not: the attempt's own
// time-out, or what ended the caller's context.
func (c *clock) cause() error {
	if c.Err() == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.expired {
		return &timeoutError{c.timeout}
	}
	return context.Cause(c.Context)
}

// Value has the trace of the attempt, besides the values of the caller.
func (c *clock) Value(key any) any {
	if key != traceKey {
		return c.Context.Value(key)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hooks == nil {
		// The caller may have a trace of its own: httptrace joins the two.
		c.hooks = httptrace.ContextClientTrace(httptrace.WithClientTrace(c.Context, c.trace.hooks()))
	}
	return c.hooks
}

// traceKey is the key by which net/http/httptrace finds a trace in a context.
var traceKey = func() any {
	var k keyRecorder
	httptrace.ContextClientTrace(&k)
	return k.key
}()

type keyRecorder struct {
	context.Context
	key any
}

func (k *keyRecorder) Value(key any) any {
	k.key = key
	return nil
}
