package failover

import (
	"strings"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

func answered(status, sub int) attempt.Outcome {
	return attempt.Outcome{Class: attempt.Answered, Status: status, SubStatus: sub, Sent: true}
}

func TestDecideSpendsEachBudget(t *testing.T) {
	refused := attempt.Outcome{Class: attempt.Failed, Reconnect: true}
	tests := []struct {
		name    string
		outcome attempt.Outcome
		class   class
		account account
		used    attempt.FailoverBudget
		want    verdict
		delay   time.Duration
	}{
		{"the third generic retry is allowed", answered(503, 0), reads, singleWrite, attempt.FailoverBudget{Generic: 2}, nextRegion, 0},
		{"the fourth is not", answered(503, 0), reads, singleWrite, attempt.FailoverBudget{Generic: 3}, giveUp, 0},
		{"the backend budget does not count against it", answered(503, 0), reads, singleWrite, attempt.FailoverBudget{Backend: 120}, nextRegion, 0},
		{"the 120th backend retry is allowed", answered(403, 1008), reads, singleWrite, attempt.FailoverBudget{Backend: 119, Generic: 3}, nextBackend, time.Second},
		{"the 121st is not", answered(403, 1008), reads, singleWrite, attempt.FailoverBudget{Backend: 120}, giveUp, 0},
		{"single-write 403/3 takes from the generic budget", answered(403, 3), writes, singleWrite, attempt.FailoverBudget{Generic: 3}, giveUp, 0},
		{"a refused connection is tried again at once", refused, reads, singleWrite, attempt.FailoverBudget{}, reconnect, 0},
		{"once per visit", refused, reads, singleWrite, attempt.FailoverBudget{Local: 1}, nextRegion, 0},
		{"even when the generic budget is spent", refused, reads, singleWrite, attempt.FailoverBudget{Generic: 3}, reconnect, 0},
		{"then it ends", refused, reads, singleWrite, attempt.FailoverBudget{Generic: 3, Local: 1}, giveUp, 0},
		{"a stored procedure that was not sent is tried again", refused, once, singleWrite, attempt.FailoverBudget{}, reconnect, 0},
		{"one that may have been sent is not", attempt.Outcome{Class: attempt.Failed, Sent: true, Reconnect: true}, once, singleWrite, attempt.FailoverBudget{}, giveUp, 0},
		{"silence is not tried again locally", attempt.Outcome{Class: attempt.TimedOut, Sent: true}, writes, multiWrite, attempt.FailoverBudget{}, nextRegion, 0},
		{"a cancelled caller is nobody's failure", attempt.Outcome{Class: attempt.CallerDone}, reads, singleWrite, attempt.FailoverBudget{}, passOn, 0},
		{"another policy's refusal passes", attempt.Outcome{Class: attempt.Refused}, reads, singleWrite, attempt.FailoverBudget{}, passOn, 0},
	}
	options := (*Options)(nil).withDefaults()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := decide(&options, facts{outcome: tt.outcome, class: tt.class, account: tt.account, used: tt.used})
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
	o := (&Options{MaxRetries: -1, LocalRetries: -1, Backend: BackendOptions{MaxRetries: -1, Delay: -1}}).withDefaults()
	for _, outcome := range []attempt.Outcome{answered(503, 0), answered(403, 1008), {Class: attempt.Failed, Reconnect: true}} {
		if d := decide(&o, facts{outcome: outcome, class: reads, account: singleWrite}); d.verdict != giveUp {
			t.Errorf("%+v: got verdict %d, want the end", outcome, d.verdict)
		}
	}
}

func TestDecideEffects(t *testing.T) {
	tests := []struct {
		name    string
		outcome attempt.Outcome
		class   class
		account account
		want    effect
	}{
		{"503", answered(503, 0), reads, singleWrite, partitionFailure | markIfNoBreaker},
		{"503 of a stored procedure teaches too", answered(503, 0), once, multiWrite, partitionFailure | markIfNoBreaker},
		{"not sent marks the endpoint", attempt.Outcome{Class: attempt.Failed}, reads, singleWrite, partitionFailure | markEndpoint | lookAround},
		{"sent does not", attempt.Outcome{Class: attempt.Failed, Sent: true}, reads, singleWrite, partitionFailure},
		{"1008 marks and refreshes", answered(403, 1008), reads, singleWrite, markLost | refresh},
		{"single-write 403/3 waits for the topology", answered(403, 3), writes, singleWrite, markWrites | refresh | awaitRefresh},
		{"multi-write 403/3 counts once per region", answered(403, 3), writes, multiWrite, partitionFailure | countOnce | markIfNoBreaker | refresh},
		{"a local retry teaches nothing yet", attempt.Outcome{Class: attempt.Failed, Reconnect: true}, reads, singleWrite, 0},
	}
	options := (*Options)(nil).withDefaults()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := decide(&options, facts{outcome: tt.outcome, class: tt.class, account: tt.account}); d.effects != tt.want {
				t.Errorf("got effects %b, want %b", d.effects, tt.want)
			}
		})
	}
}

func TestSameEndpointBackoff(t *testing.T) {
	for earlier, want := range []time.Duration{0, 100, 200, 400, 800, 1000, 1000} {
		want *= time.Millisecond
		if got := sameEndpoint.Delay(earlier, 0, 0.5); got != want {
			t.Errorf("Delay(%d) = %v, want %v", earlier, got, want)
		}
		for _, random := range []float64{0, 0.999} {
			if got := sameEndpoint.Delay(earlier, 0, random); got < want*3/4 || got > min(want*5/4, time.Second) {
				t.Errorf("Delay(%d, %v) = %v, want %v ± 25 %%, at most 1 s", earlier, random, got, want)
			}
		}
	}
}

func TestRulesHaveReasons(t *testing.T) {
	for _, r := range rules {
		if r.reason == "" || strings.HasSuffix(r.reason, ".") {
			t.Errorf("%d/%d: reason %q: want a clause", r.status, r.subStatus, r.reason)
		}
	}
}

// FuzzDecide: whatever the facts, a decision within its budgets and with a reason.
func FuzzDecide(f *testing.F) {
	f.Add(503, 0, uint8(0), uint8(1), uint8(1), 0, 0, 0, true, false)
	f.Add(403, 1008, uint8(0), uint8(2), uint8(2), 3, 119, 1, true, true)
	f.Fuzz(func(t *testing.T, status, sub int, kind, who, what uint8, generic, backend, local int, sent, reconnectable bool) {
		o := (*Options)(nil).withDefaults()
		facts := facts{
			outcome: attempt.Outcome{Class: attempt.Class(kind % 5), Status: status, SubStatus: sub, Sent: sent, Reconnect: reconnectable},
			class:   class(1 << (who % 3)), account: account(1 << (what % 2)),
			used: attempt.FailoverBudget{Generic: generic, Backend: backend, Local: local},
		}
		d := decide(&o, facts)
		switch {
		case d.reason == "":
			t.Error("no reason")
		case d.verdict == nextRegion && generic >= o.MaxRetries,
			d.verdict == nextBackend && backend >= o.Backend.MaxRetries,
			d.verdict == reconnect && local >= o.LocalRetries:
			t.Errorf("verdict %d beyond its budget: %+v", d.verdict, facts.used)
		case facts.class == once && sent && facts.outcome.Class == attempt.Failed && d.verdict != giveUp:
			t.Errorf("an operation that must not run twice is repeated: %+v", facts)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	o := (*Options)(nil).withDefaults()
	f := facts{outcome: answered(503, 0), class: reads, account: singleWrite}
	b.ReportAllocs()
	for b.Loop() {
		decide(&o, f)
	}
}
