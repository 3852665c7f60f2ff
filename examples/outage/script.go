package main

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// phase is one step of the script: what becomes of the accounts, and for how long.
type phase struct {
	name   string
	past   string // the name in a sentence, of an outage
	length time.Duration
	begin  func(*cosmostest.Account) error
	from   time.Duration // since the start of the script
}

func (p *phase) to() time.Duration { return p.from + p.length }

func (p *phase) outage() bool { return p.past != "" }

// script is what happens to both accounts. An open circuit breaker waits for
// up to 7.5 s before it probes a region: the recovery leaves room for that.
func script(scale float64) []phase {
	phases := []phase{
		{name: "healthy", length: 4 * time.Second, begin: heal},
		{name: lost + " answers 503", past: "answered 503", length: 7 * time.Second, begin: answer503},
		{name: "recovered", length: 10 * time.Second, begin: heal},
		{name: lost + " refuses connections", past: "refused connections", length: 10 * time.Second, begin: shut},
		{name: "reopened", length: 5 * time.Second, begin: reopen},
		{name: "healthy", length: 4 * time.Second, begin: heal},
	}
	from := time.Duration(0)
	for i := range phases {
		phases[i].length = time.Duration(float64(phases[i].length) * scale)
		phases[i].from = from
		from += phases[i].length
	}
	return phases
}

func heal(a *cosmostest.Account) error {
	a.SetFaults(distances()...)
	return nil
}

// answer503 fails what is asked of the data in the region. The account read
// still works there, as it does in most outages of the service.
func answer503(a *cosmostest.Account) error {
	unavailable := cosmostest.Fault{Region: lost, Status: http.StatusServiceUnavailable, Delay: 2 * time.Millisecond}
	a.SetFaults(append([]cosmostest.Fault{unavailable}, distances()...)...)
	return nil
}

// shut closes the region's listener and cuts its connections.
func shut(a *cosmostest.Account) error { return a.Stop(lost) }

func reopen(a *cosmostest.Account) error { return a.Start(lost) }

// play lets both sides work while the script happens to their accounts, and
// returns when the last operation has ended.
func play(ctx context.Context, sides []*side, phases []phase, seed uint64, out io.Writer) (*outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	show := newProgress(out, sides)
	start := time.Now()
	var work sync.WaitGroup
	for _, s := range sides {
		load := workload{orders: s.orders, results: &s.results, seed: seed, start: start, length: phases[len(phases)-1].to()}
		work.Go(func() { load.run(ctx) })
	}
	defer work.Wait()
	defer cancel() // after an error; else there is nothing left to cancel
	for i := range phases {
		if err := enter(phases, i, sides, time.Since(start)); err != nil {
			return nil, err
		}
		if err := show.until(ctx, start, phases[i].to(), phases[i].name); err != nil {
			return nil, err
		}
	}
	work.Wait()
	show.end(start)
	return newOutcome(sides, phases, start), ctx.Err()
}

// enter begins a phase, and keeps when that really was: on a computer that is
// busy it may be later than the script says. The end stays where it was.
func enter(phases []phase, i int, sides []*side, now time.Duration) error {
	p := &phases[i]
	if i > 0 {
		p.length = max(0, p.to()-now)
		p.from, phases[i-1].length = now, now-phases[i-1].from
	}
	for _, s := range sides {
		if err := p.begin(s.account); err != nil {
			return err
		}
	}
	return nil
}
