package storm

import (
	"context"
	"sync"
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
)

// second is what happened in one second, or in several.
type second struct {
	offered, good, failed int // operations: begun, ended well, given up
	requests, retries     int
	refused               int // retries, by the budget
}

func (s *second) add(o second) {
	s.offered += o.offered
	s.good += o.good
	s.failed += o.failed
	s.requests += o.requests
	s.retries += o.retries
	s.refused += o.refused
}

// failedShare is the share of the operations that ended which failed.
func (s *second) failedShare() float64 {
	return float64(s.failed) / float64(max(s.good+s.failed, 1))
}

// counter counts by the second. It is an observer, and safe for concurrent use.
type counter struct {
	mu      sync.Mutex
	start   time.Time
	seconds []second
}

// begin starts counting afresh.
func (c *counter) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start, c.seconds = time.Now(), nil
}

func (c *counter) count(what second) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := int(time.Since(c.start) / time.Second)
	for i >= len(c.seconds) {
		c.seconds = append(c.seconds, second{})
	}
	c.seconds[i].add(what)
}

// Observe implements policies.Observer.
func (c *counter) Observe(_ context.Context, e policies.Event) {
	switch e.Kind {
	case policies.EventRetry, policies.EventFailover, policies.EventLocalRetry:
		c.count(second{retries: 1})
	case policies.EventBudgetRefused:
		c.count(second{refused: 1})
	}
}

// ObservesSynchronously implements policies.SynchronousObserver.
func (c *counter) ObservesSynchronously() {}

// sum adds up the seconds of a phase.
func (c *counter) sum(p phase) second {
	var total second
	for _, s := range c.seconds[p.from:p.to] {
		total.add(s)
	}
	return total
}

// recovered is how many seconds after one of them the service is well and stays
// so for five: at least 95 % of the operations that end, end well. It is
// negative when that never comes.
func (c *counter) recovered(from, to int) int {
	const steady = 5
	well := 0
	for i := from; i < to; i++ {
		s := &c.seconds[i]
		if well++; s.good == 0 || s.failedShare() > .05 {
			well = 0
		}
		if well == steady {
			return i + 1 - steady - from
		}
	}
	return -1
}
