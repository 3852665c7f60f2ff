package regioncache

import (
	"context"
	"slices"
)

type excludedKey struct{}

// WithExcludedRegions returns a context whose operations do not use the named
// regions, in addition to those that the client or an outer context excludes.
// Names match without regard to case, spaces, hyphens and underscores; a name
// that the account does not have excludes nothing.
//
// The exclusion binds every data-plane and metadata attempt of the operation,
// retries included. Only when every region that could serve it is excluded does
// the write region serve. The account read is not bound by it.
// See "excluded_regions interaction" in the retry specification.
func WithExcludedRegions(ctx context.Context, regions ...string) context.Context {
	if len(regions) == 0 {
		return ctx
	}
	keys := slices.Clone(excludedBy(ctx))
	for _, name := range regions {
		if key := regionKey(name); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return context.WithValue(ctx, excludedKey{}, keys)
}

func excludedBy(ctx context.Context) []string {
	keys, _ := ctx.Value(excludedKey{}).([]string)
	return keys
}
