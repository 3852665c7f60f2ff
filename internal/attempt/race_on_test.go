//go:build race

package attempt_test

// raceEnabled: the race detector makes all code many times slower.
const raceEnabled = true
