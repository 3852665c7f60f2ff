//go:build race

package storm

// crowd is smaller under the race detector, which takes ten times as long. The
// table of the documentation is for the usual one.
const crowd = 4
