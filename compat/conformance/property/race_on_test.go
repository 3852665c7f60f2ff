//go:build race

package property

// raceDetector keeps cold worlds out: when its first account read fails, azcosmos 1.4.1 reads the account in the
// background while the operation reads what that writes.
const raceDetector = true
