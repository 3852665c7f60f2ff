package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// phase is one step of the script: what is wrong with the account, and for how
// much of the run.
type phase struct {
	name   string
	share  int // of a hundred
	faults []cosmostest.Fault
}

// distances are how far away the regions are.
func distances() []cosmostest.Fault {
	return []cosmostest.Fault{
		{Region: home, Delay: 2 * time.Millisecond},
		{Region: second, Delay: 30 * time.Millisecond},
		{Region: third, Delay: 45 * time.Millisecond},
	}
}

// script is a day of bad luck. wait is what the service asks for when it
// throttles.
func script(wait time.Duration) []phase {
	throttling := http.Header{"X-Ms-Retry-After-Ms": {strconv.FormatInt(wait.Milliseconds(), 10)}}
	return []phase{
		{"all is well", 10, nil},
		{home + " answers 503", 15, []cosmostest.Fault{{Region: home, Status: 503}}},
		{"all is well", 10, nil},
		{"every second request is throttled", 15, []cosmostest.Fault{{Region: "*", Status: 429, SubStatus: 3200, Header: throttling, Match: everySecond()}}},
		{home + " refuses connections", 10, []cosmostest.Fault{{Region: home, Transport: cosmostest.Refused}}},
		{"all is well", 5, nil},
		{"the replicas of " + home + " lag behind", 10, []cosmostest.Fault{{Region: home, Status: 404, SubStatus: 1002, Match: everySecond()}}},
		{home + " loses the account", 5, []cosmostest.Fault{{Region: home, Status: 403, SubStatus: 1008}}},
		{"every region fails", 10, []cosmostest.Fault{{Region: "*", Status: 503}}},
		{"all is well", 10, nil},
	}
}

// everySecond matches every second request.
func everySecond() func(*cosmostest.Request) bool {
	var n atomic.Int64
	return func(*cosmostest.Request) bool { return n.Add(1)%2 == 0 }
}

// play lets the shop work while the script happens to its account, and reports
// on each phase.
func play(ctx context.Context, s *shop, length time.Duration, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var t tally
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	working.Go(func() { s.work(ctx, &t) })
	for _, p := range script(10 * time.Millisecond) {
		s.account.SetFaults(append(p.faults, distances()...)...)
		done, failed := t.done.Load(), t.failed.Load()
		timer := time.NewTimer(length * time.Duration(p.share) / 100)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		fmt.Fprintf(out, "%-36s %5d operations, %d failed\n", p.name, t.done.Load()-done, t.failed.Load()-failed)
	}
	return nil
}
