package policies

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// callPolicy runs once per operation, outside azcore's retries. It knows the
// caller's context, which azcore's TryTimeout hides from the policies inside,
// and gives the caller their result where azcore would put the bare context
// error in its place.
type callPolicy struct {
	timeout atomic.Int64 // of an operation, 0 for none
}

func (p *callPolicy) configure(s *Settings) {
	p.timeout.Store(int64(max(s.OperationTimeout, 0)))
}

// Do implements [policy.Policy].
func (p *callPolicy) Do(req *policy.Request) (*http.Response, error) {
	s := attempt.Begin(req)
	if timeout := time.Duration(p.timeout.Load()); timeout > 0 && s.Op.Scope != wire.ScopeAccount {
		ctx, cancel := context.WithTimeout(req.Raw().Context(), timeout)
		defer cancel()
		req = req.WithContext(ctx)
	}
	ctx := req.Raw().Context()
	s.CalledWith(ctx)
	if err := ctx.Err(); err != nil {
		return s.Settle(nil, err)
	}
	return s.Settle(req.Next())
}
