//go:build !unix || solaris || illumos || aix

package deadletter

import "os"

// unlock does nothing: here the lock ends with the descriptor.
func unlock(*os.File) error { return nil }
