package regioncache

import (
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"

	"github.com/cosmosretry/cosmosretry/internal/event"
)

// breakerKey is what a breaker watches: one partition in one region, reads and
// writes apart.
type breakerKey struct {
	partition Partition
	host      string
	write     bool
}

// breaker counts the consecutive failures of one partition in one region.
//
// gobreaker is the state machine: closed while counting, open for the period
// of unavailability, half-open with one request as the probe. It rejects when
// open; we only ever ask it, and reroute.
type breaker struct {
	mu       sync.Mutex
	gate     *gobreaker.TwoStepCircuitBreaker[struct{}] // fixed once tripped
	failures int
	first    time.Time // failure of the present count
	last     time.Time
	opened   time.Time     // fixed once tripped
	timeout  time.Duration // from the last failure to the next probe
	removed  bool

	tripped atomic.Bool
	wait    atomic.Int64 // once tripped, how long after opened no probe is due
}

var (
	errFailure = errors.New("partition failure")
	errNeutral = errors.New("neither success nor failure")
)

// breakerSet holds the breakers that have something to say: an entry exists
// from a partition's first failure until its next success. It is safe for
// concurrent use, and costs one atomic load while it is empty.
type breakerSet struct {
	entries *lru.Cache[breakerKey, *breaker]
	size    atomic.Int64
	open    atomic.Int64

	// slots counts the entries by a hash of their partition: a partition that is
	// well learns so without the lock of entries, which all requests would share.
	slots []atomic.Int32
	seed  maphash.Seed
}

func newBreakerSet(capacity int) *breakerSet {
	s := &breakerSet{slots: make([]atomic.Int32, 2*capacity), seed: maphash.MakeSeed()}
	s.entries, _ = lru.NewWithEvict(capacity, s.evicted)
	return s
}

// slot is the count of the entries of a partition, and of a few others.
func (s *breakerSet) slot(p Partition) *atomic.Int32 {
	return &s.slots[(maphash.String(s.seed, p.ID)^p.value)%uint64(len(s.slots))]
}

// evicted runs after an entry has left the cache, for whatever reason. An open
// breaker that is forgotten is closed: traffic returns to its region.
func (s *breakerSet) evicted(key breakerKey, b *breaker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.removed = true
	s.tally(key, -1)
	if b.tripped.Load() {
		s.open.Add(-1)
	}
}

// fail counts one failure, and reports whether it opened the breaker.
func (s *breakerSet) fail(key breakerKey, o *BreakerOptions, now time.Time) bool {
	threshold := o.ReadFailures
	if key.write {
		threshold = o.WriteFailures
	}
	if threshold < 0 {
		return false
	}
	b, ok := s.entries.Get(key)
	if !ok {
		b = s.add(key)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.count(threshold, o, now) || b.removed {
		return false
	}
	b.tripped.Store(true)
	s.open.Add(1)
	return true
}

func (s *breakerSet) add(key breakerKey) *breaker {
	fresh := new(breaker)
	s.tally(key, 1)
	if b, found, _ := s.entries.PeekOrAdd(key, fresh); found {
		s.tally(key, -1)
		return b
	}
	return fresh
}

func (s *breakerSet) tally(key breakerKey, n int32) {
	s.size.Add(int64(n))
	s.slot(key.partition).Add(n)
}

// count counts a failure of a breaker that is closed, and reports whether it is
// open now. Late failures of a breaker that is open already say nothing new.
func (b *breaker) count(threshold int, o *BreakerOptions, now time.Time) bool {
	if b.tripped.Load() {
		return false
	}
	quiet := o.CounterReset > 0 && now.Sub(b.last) > o.CounterReset
	if b.gate == nil || quiet {
		b.timeout = o.UnavailableFor + rand.N(o.UnavailableFor/2+1)
		b.gate, b.failures, b.first = newGate(threshold, b.timeout), 0, now
	}
	b.last = now
	b.failures++
	done, err := b.gate.Allow()
	if err != nil {
		return false
	}
	done(errFailure)
	if b.gate.State() == gobreaker.StateClosed {
		return false
	}
	b.opened = now
	b.wait.Store(int64(b.timeout))
	return true
}

func newGate(threshold int, timeout time.Duration) *gobreaker.TwoStepCircuitBreaker[struct{}] {
	return gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1,
		Timeout:     timeout,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= threshold },
		IsExcluded:  func(err error) bool { return err == errNeutral },
	})
}

// succeed forgets the failures of a breaker that is still counting. Once open,
// only its probe closes it.
func (s *breakerSet) succeed(key breakerKey) {
	if s.slot(key.partition).Load() == 0 {
		return
	}
	if b, ok := s.entries.Peek(key); ok && !b.tripped.Load() {
		s.entries.Remove(key)
	}
}

// take removes a breaker, and returns how many failures still counted.
func (s *breakerSet) take(key breakerKey, reset time.Duration, now time.Time) int {
	b, ok := s.entries.Peek(key)
	if !ok {
		return 0
	}
	s.entries.Remove(key)
	h, _ := b.health(reset, now)
	return h.Failures
}

// standing is what a breaker says of a region before an attempt.
type standing uint8

const (
	standingClosed standing = iota
	standingOpen            // stay away
	standingDue             // one request may probe
)

// tripped returns the breaker of a partition in a region if it is open, else nil.
func (s *breakerSet) tripped(key breakerKey) *breaker {
	if s.slot(key.partition).Load() == 0 {
		return nil
	}
	if b, ok := s.entries.Peek(key); ok && b.tripped.Load() {
		return b
	}
	return nil
}

// standing tells what an open breaker says, without an effect.
func (b *breaker) standing(now time.Time) standing {
	// The gate would say the same, but only one request at a time may ask it.
	if now.Sub(b.opened) <= time.Duration(b.wait.Load()) || b.gate.State() != gobreaker.StateHalfOpen {
		return standingOpen
	}
	if c := b.gate.Counts(); c.Requests > c.TotalExclusions {
		return standingOpen // another request probes
	}
	return standingDue
}

// probe takes the one place that a breaker has for a probe, nil when another
// request has it.
func (s *breakerSet) probe(key breakerKey) *Probe {
	b, ok := s.entries.Get(key)
	if !ok || !b.tripped.Load() {
		return nil
	}
	done, err := b.gate.Allow()
	if err != nil {
		return nil
	}
	return &Probe{set: s, key: key, breaker: b, done: done}
}

// Probe is the one request that finds out whether a partition works again in a
// region whose breaker is open. Exactly one of its methods must be called, once,
// or the breaker would wait for the result for ever. It is not safe for
// concurrent use.
type Probe struct {
	cache   *Cache // to tell; nil in tests of the set alone
	set     *breakerSet
	key     breakerKey
	breaker *breaker
	done    func(error)
}

// Succeeded closes the breaker.
func (p *Probe) Succeeded() {
	p.done(nil)
	if b, ok := p.set.entries.Peek(p.key); ok && b == p.breaker {
		p.set.entries.Remove(p.key)
	}
	if p.cache != nil {
		p.cache.emitPartition(event.KindBreakerClosed, p.key, "the probe was answered")
	}
}

// Failed starts the wait for the next probe.
func (p *Probe) Failed(now time.Time) {
	b := p.breaker
	b.mu.Lock()
	b.last = now
	b.failures++
	b.mu.Unlock()
	b.wait.Store(int64(now.Sub(b.opened) + b.timeout))
	p.done(errFailure)
}

// Released gives the place back, because the request ended without an answer
// that speaks for or against the region.
func (p *Probe) Released() { p.done(errNeutral) }
