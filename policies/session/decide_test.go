package session

import (
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

func answered(status, sub int) attempt.Outcome {
	return attempt.Outcome{Class: attempt.Answered, Status: status, SubStatus: sub, Sent: true}
}

func TestDecide(t *testing.T) {
	lag := answered(404, 1002)
	tests := []struct {
		name    string
		options Options
		facts   facts
		want    verdict
	}{
		{"single-write goes to the hub", Options{}, facts{outcome: lag, hub: true, endpoints: 3}, toHub},
		{"twice", Options{}, facts{outcome: lag, hub: true, endpoints: 3, retries: 1}, toHub},
		{"not three times", Options{}, facts{outcome: lag, hub: true, endpoints: 3, retries: 2}, surface},
		{"an excluded hub is not used", Options{}, facts{outcome: lag, endpoints: 3}, toNext},
		{"multi-write goes to the next region", Options{}, facts{outcome: lag, multiWrite: true, hub: true, endpoints: 3}, toNext},
		{"as often as there are regions", Options{}, facts{outcome: lag, multiWrite: true, endpoints: 3, retries: 2}, toNext},
		{"and no more", Options{}, facts{outcome: lag, multiWrite: true, endpoints: 3, retries: 3}, surface},
		{"a setting wins", Options{MaxRetries: 1}, facts{outcome: lag, multiWrite: true, endpoints: 3, retries: 1}, surface},
		{"on single-write too", Options{MaxRetries: 5}, facts{outcome: lag, hub: true, retries: 4}, toHub},
		{"negative means none", Options{MaxRetries: -1}, facts{outcome: lag, hub: true}, surface},
		{"an item that is not there is an answer", Options{}, facts{outcome: answered(404, 0), hub: true}, pass},
		{"410/1002 is not ours", Options{}, facts{outcome: answered(410, 1002), hub: true}, pass},
		{"nor is a success", Options{}, facts{outcome: answered(200, 1002), hub: true}, pass},
		{"nor silence", Options{}, facts{outcome: attempt.Outcome{Class: attempt.TimedOut, Status: 404, SubStatus: 1002}}, pass},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := decide(&tt.options, tt.facts)
			if d.verdict != tt.want {
				t.Errorf("got verdict %d (%s), want %d", d.verdict, d.reason, tt.want)
			}
			if d.reason == "" {
				t.Error("a decision has no reason")
			}
		})
	}
}

// FuzzDecide: only 404/1002 is ours, and the budget holds.
func FuzzDecide(f *testing.F) {
	f.Add(404, 1002, true, false, 3, 0, 0)
	f.Add(404, 1002, false, true, 5, 5, -1)
	f.Fuzz(func(t *testing.T, status, sub int, multi, hub bool, endpoints, retries, limit int) {
		o := Options{MaxRetries: limit}
		d := decide(&o, facts{outcome: answered(status, sub), multiWrite: multi, hub: hub, endpoints: endpoints, retries: retries})
		retried := d.verdict == toHub || d.verdict == toNext
		switch {
		case (status != 404 || sub != 1002) && d.verdict != pass:
			t.Errorf("%d/%d is not ours, got verdict %d", status, sub, d.verdict)
		case retried && limit > 0 && retries >= limit, retried && limit < 0,
			retried && limit == 0 && !multi && retries >= 2, retried && limit == 0 && multi && retries >= endpoints:
			t.Errorf("retry %d is beyond the budget", retries)
		case d.verdict == toHub && (multi || !hub):
			t.Error("the hub serves retries of single-write accounts, unless excluded")
		}
	})
}
