package cosmostest

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// The request charges, in request units: a simple model of the service's. A point read costs 1 for each KiB of the item
// that is begun, a create and a delete 5.5, a replace, an upsert and a patch 10.5 (they take the old version out of the
// index, too), a page of a query 2.5 and 0.1 for each result and 1 for each further KiB of it, and everything else 1.
// Reads with strong or bounded consistency ask two replicas and cost twice as much. A failed operation costs 1, and a
// throttled one nothing.
const (
	failureCharge = 1
	createCharge  = 5.5
	replaceCharge = 10.5
	pageCharge    = 2.5
	resultCharge  = 0.1
)

// charge is what an operation on an item of a size costs.
func (w *work) charge(o op, size int) float64 {
	kib := float64(max(1, (size+1023)/1024))
	switch o {
	case opCreate, opDelete:
		return createCharge * kib
	case opReplace, opUpsert, opPatch:
		return replaceCharge * kib
	}
	return w.readCharge(kib)
}

// pageChargeFor is what a page of results costs.
func (w *work) pageChargeFor(docs [][]byte) float64 {
	size := 0
	for _, d := range docs {
		size += len(d)
	}
	return w.readCharge(pageCharge + resultCharge*float64(len(docs)) + float64(size/1024))
}

func (w *work) readCharge(ru float64) float64 {
	if w.level <= levelBounded {
		return 2 * ru
	}
	return ru
}

func formatCharge(ru float64) string { return strconv.FormatFloat(ru, 'g', 6, 64) }

// ledger is what the partitions of a container have left of their throughput.
type ledger struct {
	mu     sync.Mutex // never held across anything that waits
	meters map[meterKey]*meter
}

type meterKey struct {
	part *partition
	site int
}

// meter is what one partition has left in one region. Every second adds its share, up to a second's; what a request
// costs more than was left is taken from the seconds that follow.
type meter struct {
	second int64
	left   float64
}

// meter returns the meter of a partition in a region with the shares of the seconds that have passed.
func (l *ledger) meter(p *partition, site int, share float64, second int64) *meter {
	key := meterKey{p, site}
	m, ok := l.meters[key]
	if !ok {
		if l.meters == nil {
			l.meters = map[meterKey]*meter{}
		}
		m = &meter{second, share}
		l.meters[key] = m
	}
	if passed := second - m.second; passed > 0 {
		m.left = min(share, m.left+share*float64(passed))
		m.second = second
	}
	m.left = min(m.left, share) // which may have become less
	return m
}

// share is what a partition may spend in a second; 0 for as much as it likes.
func (c *container) share(s *store) float64 {
	if c.offer == nil || !c.limited && !s.throttle {
		return 0
	}
	return float64(c.offer.rate) / float64(max(1, c.shares))
}

// throttled refuses a request to a partition that has spent its throughput.
func (w *work) throttled(c *container, p *partition) *failure {
	share := c.share(w.store)
	if share == 0 {
		return nil
	}
	now := w.store.now()
	c.ledger.mu.Lock()
	left := c.ledger.meter(p, w.site, share, now.Unix()).left
	c.ledger.mu.Unlock()
	if left > 0 {
		return nil
	}
	f := fail(http.StatusTooManyRequests, 3200, "The request rate is too large: partition %s has %g request units per "+
		"second in this region.", p.id, share)
	seconds := int64(-left/share) + 1
	f.retryAfter = max(time.Millisecond, time.Unix(now.Unix()+seconds, 0).Sub(now))
	return f
}

// spend takes a charge from a partition.
func (w *work) spend(c *container, p *partition, ru float64) {
	share := c.share(w.store)
	if share == 0 {
		return
	}
	second := w.store.now().Unix()
	c.ledger.mu.Lock()
	defer c.ledger.mu.Unlock()
	c.ledger.meter(p, w.site, share, second).left -= ru
}
