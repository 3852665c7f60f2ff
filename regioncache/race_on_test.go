//go:build race

package regioncache

// raceEnabled: the race detector makes all code many times slower.
const raceEnabled = true
