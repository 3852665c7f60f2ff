package conformance

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// stack is what a client is made of besides azcosmos.
type stack struct {
	// install puts the policies of a case into the options of its client.
	install func(spec *clientSpec, endpoint string, credential azcosmos.KeyCredential, options *azcosmos.ClientOptions) error
	// scope puts into the context of an operation what its caller asks of the policies.
	scope func(ctx context.Context, step *stepSpec) context.Context
}

// bare is azcosmos alone.
var bare = stack{
	install: func(*clientSpec, string, azcosmos.KeyCredential, *azcosmos.ClientOptions) error { return nil },
	scope:   func(ctx context.Context, _ *stepSpec) context.Context { return ctx },
}
