// Package budget limits the retries of a whole process, where the policies'
// own budgets limit those of one operation.
package budget

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// Options configures a [Budget]. Nil and the zero value mean the defaults.
type Options struct {
	// Ratio is how many retries the requests of the window allow: 0.2 allows one
	// retry for five requests. Default: 0.2. Negative: only MinPerSecond counts.
	Ratio float64
	// MinPerSecond is how many retries per second are allowed besides, so that a
	// process with little traffic can retry at all. Default: 10. Negative: none.
	MinPerSecond float64
	// Window is the time over which requests and retries are counted, 1 s to
	// 1 min. Default: 10 s.
	Window time.Duration
	// MaxPerMinute is an absolute cap on the retries of the last minute.
	// Default (0) and negative: no cap.
	MaxPerMinute int
	// MaxPerMinutePerRegion is the same for the retries sent to one region.
	// Default (0) and negative: no cap.
	MaxPerMinutePerRegion int
}

// Budget limits retries across operations, as Finagle and Linkerd define it:
// over a sliding window, retries are at most a share of the requests plus a
// floor per second. What it refuses fails at once with the last answer of the
// service. It keeps a struggling service from being held down by its clients'
// retries.
//
// A Budget is safe for concurrent use, and several clients can share one.
type Budget struct {
	initial Options // that New got

	mu       sync.Mutex
	options  Options
	requests window
	retries  window
	regions  map[string]*window
	refused  int64
}

// New returns a budget. Pass nil for the defaults. A ratio, floor, window or
// cap that makes no sense is an error that names the field and what is allowed.
func New(o *Options) (*Budget, error) {
	options, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Budget{initial: options, options: options, regions: map[string]*window{}}, nil
}

// Configure replaces the options; what was counted stays. Nil means those that
// the budget was made with. An option that makes no sense is an error, and then
// nothing changes.
func (b *Budget) Configure(o *Options) error {
	options := b.initial
	if o != nil {
		var err error
		if options, err = o.withDefaults(); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.options = options
	return nil
}

func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Ratio == 0 {
		c.Ratio = 0.2
	}
	if c.MinPerSecond == 0 {
		c.MinPerSecond = 10
	}
	if c.Window == 0 {
		c.Window = 10 * time.Second
	}
	switch {
	case math.IsNaN(c.Ratio) || c.Ratio > 10:
		return c, fmt.Errorf("budget: Ratio is %v: want a number up to 10 (0 for the default, negative for off)", c.Ratio)
	case math.IsNaN(c.MinPerSecond) || c.MinPerSecond > 1e6:
		return c, fmt.Errorf("budget: MinPerSecond is %v: want a number up to 1000000 (0 for the default, negative for off)", c.MinPerSecond)
	case c.Window < time.Second || c.Window > time.Minute:
		return c, fmt.Errorf("budget: Window is %v: want 1s to 1m0s (0 for the default)", c.Window)
	case c.MaxPerMinute > 1e6 || c.MaxPerMinutePerRegion > 1e6:
		return c, fmt.Errorf("budget: MaxPerMinute is %d and MaxPerMinutePerRegion is %d: want up to 1000000 (0 or negative for no cap)", c.MaxPerMinute, c.MaxPerMinutePerRegion)
	}
	return c, nil
}

// Request counts an operation. A nil Budget counts nothing.
func (b *Budget) Request(now time.Time) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests.add(now)
}

// Retry counts a retry that goes to region, or refuses it. A nil Budget allows
// every retry.
func (b *Budget) Retry(now time.Time, region string) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.allows(now, region) {
		b.refused++
		return false
	}
	b.retries.add(now)
	if b.options.MaxPerMinutePerRegion > 0 {
		b.region(region).add(now)
	}
	return true
}

// Allows reports whether a retry would be allowed, to some region at least. It
// counts nothing. A nil Budget allows every retry.
func (b *Budget) Allows(now time.Time) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left(now) >= 1 && (b.options.MaxPerMinute <= 0 || b.retries.sum(now, time.Minute) < b.options.MaxPerMinute)
}

func (b *Budget) allows(now time.Time, region string) bool {
	o := &b.options
	if b.left(now) < 1 {
		return false
	}
	if o.MaxPerMinute > 0 && b.retries.sum(now, time.Minute) >= o.MaxPerMinute {
		return false
	}
	return o.MaxPerMinutePerRegion <= 0 || b.region(region).sum(now, time.Minute) < o.MaxPerMinutePerRegion
}

// left is how many retries the window still allows.
func (b *Budget) left(now time.Time) float64 {
	o := &b.options
	allowed := max(o.MinPerSecond, 0)*o.Window.Seconds() + max(o.Ratio, 0)*float64(b.requests.sum(now, o.Window))
	return allowed - float64(b.retries.sum(now, o.Window))
}

// maxRegions bounds the memory for caps by region; an account has far fewer.
const maxRegions = 256

func (b *Budget) region(name string) *window {
	w := b.regions[name]
	if w == nil {
		if len(b.regions) >= maxRegions {
			clear(b.regions)
		}
		w = new(window)
		b.regions[name] = w
	}
	return w
}

// Left is how many retries the budget would allow now, and how many it has
// refused so far.
func (b *Budget) Left() (left float64, refused int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	left = max(b.left(now), 0)
	if limit := b.options.MaxPerMinute; limit > 0 {
		left = min(left, float64(max(limit-b.retries.sum(now, time.Minute), 0)))
	}
	return left, b.refused
}

// window counts events by the second, for the last minute.
type window struct {
	slots [61]struct {
		second int64
		count  int
	}
}

func (w *window) add(now time.Time) {
	second := now.Unix()
	slot := &w.slots[uint64(second)%uint64(len(w.slots))]
	if slot.second != second {
		slot.second, slot.count = second, 0
	}
	slot.count++
}

// sum counts the events of the last d, in whole seconds.
func (w *window) sum(now time.Time, d time.Duration) int {
	oldest := now.Unix() - int64(d/time.Second) + 1
	n := 0
	for i := range w.slots {
		if slot := &w.slots[i]; slot.second >= oldest && slot.second <= now.Unix() {
			n += slot.count
		}
	}
	return n
}
