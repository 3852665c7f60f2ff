package deadletter

import "context"

type replayKey struct{}

// replayed reports whether a context is that of a letter which is sent again.
func replayed(ctx context.Context) bool { return ctx.Value(replayKey{}) != nil }
