package backoff

import "time"

// Strategy gives the waits between retries. A strategy is a value: it keeps no
// state, and the same arguments give the same wait. Implementations must be
// safe for concurrent use.
type Strategy interface {
	// Delay is the wait before the retry of this number, counted from 0, when
	// the wait before it was previous. random is in [0, 1). A negative delay is none.
	Delay(retry int, previous time.Duration, random float64) time.Duration
}

// Jitter is how chance spreads an exponential wait, so that clients that failed
// together do not come back together.
type Jitter uint8

const (
	// JitterQuarter spreads a wait by ±25 %. It is the default.
	JitterQuarter Jitter = iota
	// JitterNone leaves it as it is.
	JitterNone
	// JitterEqual takes half of it and adds up to the other half.
	JitterEqual
	// JitterFull takes anything up to it.
	JitterFull
	// JitterDecorrelated takes anything between Base and three times the wait
	// before.
	JitterDecorrelated
)

// Exponential waits Base, and then twice as long each time, at most Max.
type Exponential struct {
	// Base is the first wait. Zero or less means no wait.
	Base time.Duration
	// Max is the longest wait. Zero means as long as it comes to.
	Max time.Duration
	// Jitter is how chance spreads the waits.
	Jitter Jitter
}

// Delay implements [Strategy].
func (e Exponential) Delay(retry int, previous time.Duration, random float64) time.Duration {
	base, limit := max(e.Base, 0), e.Max
	if limit <= 0 {
		limit = 1<<63 - 1
	}
	d := min(double(base, retry), limit)
	switch e.Jitter {
	case JitterNone:
		return d
	case JitterEqual:
		return d - d/2 + share(d/2, random)
	case JitterFull:
		return share(d, random)
	case JitterDecorrelated:
		most := min(max(previous, base), limit/3) * 3
		return min(base+share(max(most-base, 0), random), limit)
	}
	return Doubled(base, limit, retry, random)
}

// Incremental waits First, and then Step longer each time, at most Max.
type Incremental struct {
	First, Step time.Duration
	// Max is the longest wait. Zero means as long as it comes to.
	Max time.Duration
}

// Delay implements [Strategy].
func (i Incremental) Delay(retry int, _ time.Duration, _ float64) time.Duration {
	d := max(i.First, 0)
	step := max(i.Step, 0)
	if step > 0 && retry > int((1<<63-1-d)/step) {
		d = 1<<63 - 1
	} else {
		d += time.Duration(retry) * step
	}
	if i.Max > 0 {
		return min(d, i.Max)
	}
	return d
}

// Fixed waits equally long each time. Prefer a strategy with chance in it where
// many clients may fail together.
type Fixed time.Duration

// Delay implements [Strategy].
func (f Fixed) Delay(int, time.Duration, float64) time.Duration { return max(time.Duration(f), 0) }

// ImmediateOnce retries once without a wait, and then as Then says, counted
// from there.
type ImmediateOnce struct{ Then Strategy }

// Delay implements [Strategy].
func (o ImmediateOnce) Delay(retry int, previous time.Duration, random float64) time.Duration {
	if retry == 0 || o.Then == nil {
		return 0
	}
	return o.Then.Delay(retry-1, previous, random)
}

func share(d time.Duration, random float64) time.Duration {
	return time.Duration(random * float64(d))
}
