package event

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Hub hands events to observers. A nil Hub has none and costs a comparison.
// It is safe for concurrent use.
type Hub struct {
	direct  []Synchronous
	queued  []*queue
	dropped atomic.Int64
}

// NewHub returns a hub for the observers, nil when there are none.
func NewHub(observers []Observer) *Hub {
	h := new(Hub)
	for _, o := range observers {
		switch o := o.(type) {
		case nil:
		case Synchronous:
			h.direct = append(h.direct, o)
		default:
			q := &queue{hub: h, observer: o}
			q.selective, _ = o.(Selective)
			h.queued = append(h.queued, q)
		}
	}
	if h.direct == nil && h.queued == nil {
		return nil
	}
	return h
}

// Emit tells the observers. It neither blocks nor fails.
func (h *Hub) Emit(ctx context.Context, e Event) {
	if h == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	for _, o := range h.direct {
		h.call(ctx, o, &e)
	}
	for _, q := range h.queued {
		if q.selective == nil || h.wants(q.selective, &e) {
			q.put(ctx, &e)
		}
	}
}

// Dropped is how many events an observer missed, because it was too slow or
// panicked.
func (h *Hub) Dropped() int64 {
	if h == nil {
		return 0
	}
	return h.dropped.Load()
}

func (h *Hub) call(ctx context.Context, o Observer, e *Event) {
	defer func() {
		if recover() != nil {
			h.dropped.Add(1)
		}
	}()
	o.Observe(ctx, *e)
}

func (h *Hub) wants(o Selective, e *Event) (yes bool) {
	defer func() {
		if recover() != nil {
			h.dropped.Add(1)
		}
	}()
	return o.Wants(*e)
}

// queueLength is how far an observer may lag behind before it misses events.
const queueLength = 1024

// queue runs one observer in a goroutine that exists only while there are
// events for it.
type queue struct {
	hub       *Hub
	observer  Observer
	selective Selective // the observer, if it is one

	mu      sync.Mutex
	events  []queued
	running bool
}

type queued struct {
	ctx context.Context
	e   Event
}

func (q *queue) put(ctx context.Context, e *Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.events) >= queueLength {
		q.hub.dropped.Add(1)
		return
	}
	// The observer runs later: it gets the request's values, not its end.
	q.events = append(q.events, queued{context.WithoutCancel(ctx), *e})
	if !q.running {
		q.running = true
		go q.run()
	}
}

func (q *queue) run() {
	for {
		q.mu.Lock()
		if len(q.events) == 0 {
			q.running, q.events = false, nil
			q.mu.Unlock()
			return
		}
		batch := q.events
		q.events = nil
		q.mu.Unlock()
		for i := range batch {
			q.hub.call(batch[i].ctx, q.observer, &batch[i].e)
		}
	}
}
