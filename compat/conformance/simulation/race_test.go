//go:build race

package simulation

// defaultHours is shorter where the race detector makes everything slower.
const defaultHours = 1
