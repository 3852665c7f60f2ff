//go:build unix && !solaris && !illumos && !aix

package deadletter

import (
	"os"
	"syscall"
)

// unlock lets go of a file that cannot be closed as usual: the lock outlives the
// descriptor while the file is mapped into memory.
func unlock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
