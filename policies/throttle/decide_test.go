package throttle

import (
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

func answered(status, sub int) attempt.Outcome {
	return attempt.Outcome{Class: attempt.Answered, Status: status, SubStatus: sub, Sent: true}
}

func TestDecide(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name  string
		facts facts
		want  verdict
		delay time.Duration
	}{
		{"a hint is followed", facts{outcome: answered(429, 3200), hint: 100 * ms, hinted: true}, retry, 100 * ms},
		{"a hint of nothing means now", facts{outcome: answered(429, 0), hinted: true}, retry, 0},
		{"the first wait without a hint", facts{outcome: answered(429, 0), random: 0.5}, retry, 5 * ms},
		{"the ninth", facts{outcome: answered(429, 0), retries: 8, random: 0.5}, retry, 1280 * ms},
		{"the tenth retry does not exist", facts{outcome: answered(429, 0), retries: 9, hinted: true}, surface, 0},
		{"a hint that just fits", facts{outcome: answered(429, 0), hint: 10 * time.Second, hinted: true, retries: 2, waited: 20 * time.Second}, retry, 10 * time.Second},
		{"a hint that does not", facts{outcome: answered(429, 0), hint: 10*time.Second + 1, hinted: true, waited: 20 * time.Second}, surface, 10*time.Second + 1},
		{"a hint beyond the whole budget", facts{outcome: answered(429, 0), hint: 31 * time.Second, hinted: true}, surface, 31 * time.Second},
		{"a hint beyond all measure", facts{outcome: answered(429, 0), hint: 1<<63 - 1, hinted: true, waited: time.Second}, surface, 1<<63 - 1},
		{"waits without a hint count too", facts{outcome: answered(429, 0), random: 0.5, waited: 30*time.Second - 4*ms}, surface, 5 * ms},
		{"a global throttle is failover's", facts{outcome: answered(429, 3092), hint: ms, hinted: true}, pass, 0},
		{"449 waits its own way, whatever the hint", facts{outcome: answered(449, 0), hint: time.Second, hinted: true}, retry, 10 * ms},
		{"449 adds a salt", facts{outcome: answered(449, 0), retries: 2, random: 0.5}, retry, 42*ms + 500*time.Microsecond},
		{"449 waits at most a second", facts{outcome: answered(449, 0), retries: 20}, retry, time.Second},
		{"449 for thirty seconds", facts{outcome: answered(449, 0), retries: 35, waited: 29*time.Second + 1}, surface, time.Second},
		{"an answer that fits nothing", facts{outcome: answered(503, 0)}, pass, 0},
		{"a success", facts{outcome: answered(200, 0)}, pass, 0},
		{"a broken connection", facts{outcome: attempt.Outcome{Class: attempt.Failed, Status: 429}}, pass, 0},
	}
	options := (*Options)(nil).withDefaults()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := decide(&options, tt.facts)
			if d.verdict != tt.want || d.delay != tt.delay {
				t.Errorf("got verdict %d after %v (%s), want %d after %v", d.verdict, d.delay, d.reason, tt.want, tt.delay)
			}
			if d.reason == "" {
				t.Error("a decision has no reason")
			}
		})
	}
}

func TestNegativeOptionsSwitchRetriesOff(t *testing.T) {
	tests := []struct {
		name    string
		options Options
		facts   facts
		want    verdict
	}{
		{"no retries after 429", Options{MaxRetries: -1}, facts{outcome: answered(429, 0), hinted: true}, surface},
		{"no waits after 429", Options{MaxWait: -1}, facts{outcome: answered(429, 0), hint: 1, hinted: true}, surface},
		{"but a hint of 0 needs none", Options{MaxWait: -1}, facts{outcome: answered(429, 0), hinted: true}, retry},
		{"no back-off after 429", Options{BaseDelay: -1}, facts{outcome: answered(429, 0), random: 0.9}, retry},
		{"no retries after 449", Options{RetryWith: RetryWithOptions{MaxWait: -1}}, facts{outcome: answered(449, 0)}, surface},
		{"nor without a wait that could end them", Options{RetryWith: RetryWithOptions{BaseDelay: -1}}, facts{outcome: answered(449, 0)}, surface},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			options := tt.options.withDefaults()
			if d := decide(&options, tt.facts); d.verdict != tt.want {
				t.Errorf("got verdict %d (%s), want %d", d.verdict, d.reason, tt.want)
			}
		})
	}
}

// FuzzDecide: no facts make a wait negative or longer than what is left.
func FuzzDecide(f *testing.F) {
	f.Add(429, 0, int64(time.Second), true, 3, int64(0), 0.5)
	f.Add(449, 0, int64(0), false, 40, int64(29*time.Second), 0.99)
	f.Fuzz(func(t *testing.T, status, sub int, hint int64, hinted bool, retries int, waited int64, random float64) {
		if retries < 0 || waited < 0 || hint < 0 || !(random >= 0 && random < 1) {
			return
		}
		options := (*Options)(nil).withDefaults()
		d := decide(&options, facts{outcome: answered(status, sub), hint: time.Duration(hint), hinted: hinted, retries: retries, waited: time.Duration(waited), random: random})
		if d.verdict != retry {
			return
		}
		if d.delay < 0 || d.delay > 30*time.Second-time.Duration(waited) {
			t.Errorf("waits %v after %v", d.delay, time.Duration(waited))
		}
		if hinted && status == 429 && d.delay != time.Duration(hint) {
			t.Errorf("waits %v where the service asks for %v", d.delay, time.Duration(hint))
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	options := (*Options)(nil).withDefaults()
	f := facts{outcome: answered(429, 0), random: 0.5}
	b.ReportAllocs()
	for b.Loop() {
		decide(&options, f)
	}
}
