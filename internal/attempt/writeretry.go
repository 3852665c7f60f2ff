package attempt

import "context"

type writeRetryKey struct{}

// WithWriteRetry returns a context whose writes may, or may not, be repeated
// when an earlier attempt may have been executed.
func WithWriteRetry(ctx context.Context, retry bool) context.Context {
	return context.WithValue(ctx, writeRetryKey{}, retry)
}

// RetriesWrites reports what the context says; the default is true.
func RetriesWrites(ctx context.Context) bool {
	retry, ok := ctx.Value(writeRetryKey{}).(bool)
	return retry || !ok
}
