//go:build !unix

package cosmostest

import "io"

// holdPort keeps nothing here: there is a small chance that a stopped region finds its port taken when it starts.
func holdPort(string) (io.Closer, error) { return io.NopCloser(nil), nil }
