package policies

import (
	"cmp"
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
	shared  atomic.Pointer[attempt.Shared]
	timeout atomic.Int64 // of an operation, 0 for none
}

// Do implements [policy.Policy].
func (p *callPolicy) Do(req *policy.Request) (*http.Response, error) {
	shared := p.shared.Load()
	s := attempt.Begin(req, shared)
	if timeout := p.timeoutOf(s); timeout > 0 {
		ctx, cancel := context.WithTimeout(req.Raw().Context(), timeout)
		defer cancel()
		req = req.WithContext(ctx)
	}
	ctx := req.Raw().Context()
	s.CalledWith(ctx)
	shared.Budget.Request(s.Start)
	if err := ctx.Err(); err != nil {
		return s.Settle(nil, err)
	}
	return s.Settle(req.Next())
}

// timeoutOf is the deadline of an operation; the account read has none, because
// it serves all of them.
func (p *callPolicy) timeoutOf(s *attempt.State) time.Duration {
	timeout := time.Duration(p.timeout.Load())
	if l := s.Limits(); l != nil {
		timeout = cmp.Or(l.OperationTimeout, timeout)
	}
	if s.Op.Scope == wire.ScopeAccount {
		return 0
	}
	return timeout
}
