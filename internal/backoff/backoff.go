// Package backoff computes waits between retries. Its functions are pure: the
// random number is a parameter, so that a test can pin it.
package backoff

import "time"

// Doubled returns base·2ⁿ, at most limit, spread by ±25 %; random is in
// [0, 1). The spread keeps clients that failed together from coming back
// together. n counts from 0.
func Doubled(base, limit time.Duration, n int, random float64) time.Duration {
	d := min(double(base, n), limit)
	extra := share(d/2, random)
	return min(d-d/4, limit-extra) + extra
}

// Salted returns base·2ⁿ plus up to salt, at most limit: the wait that Cosmos
// DB clients use for 449.
func Salted(base, limit, salt time.Duration, n int, random float64) time.Duration {
	d := double(base, n)
	if d >= limit {
		return limit
	}
	return min(d+share(salt, random), limit)
}

// double returns d·2ⁿ and saturates instead of overflowing.
func double(d time.Duration, n int) time.Duration {
	const limit = time.Duration(1<<63 - 1)
	if d <= 0 {
		return 0
	}
	if n >= 62 || d > limit>>n {
		return limit
	}
	return d << n
}
