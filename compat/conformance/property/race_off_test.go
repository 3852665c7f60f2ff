//go:build !race

package property

const raceDetector = false
