package conformance

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

const (
	// patience is the virtual time after which an operation that does not end is canceled. No deadline of the context
	// tells the policies of it, and without it a hanging operation would end the whole run as a deadlock.
	patience = 10 * time.Minute
	// settling is the virtual time that passes after the last step, for what still runs in the background to end.
	settling = 2 * time.Minute
)

var errStuck = errors.New("the operation did not end")

// clock is the virtual time a case runs in.
type clock struct {
	// sleep lets time pass.
	sleep func(time.Duration)
	// settle waits until everything else waits too.
	settle func()
}

// runner runs the steps of one case. It is not safe for concurrent use.
type runner struct {
	clock     clock
	account   *cosmostest.Account
	database  *azcosmos.DatabaseClient
	container *azcosmos.ContainerClient
	pipeline  runtime.Pipeline
	stack     stack
	taught    bool
	ids       int
}

// runCase runs a case inside a bubble of virtual time and returns what is wrong: an error that tells the whole story.
func runCase(ctx context.Context, spec *caseSpec, stack stack, clock clock) error {
	r, err := newRunner(spec, stack, clock)
	if err != nil {
		return fmt.Errorf("%s\ncannot be set up: %w", spec.title(), err)
	}
	defer clock.sleep(settling)
	for number := range spec.Steps {
		step := &spec.Steps[number]
		for run := range step.runs() {
			place := fmt.Sprintf("step %d of %d (%s), run %d of %d", number+1, len(spec.Steps), step.Do, run+1, step.runs())
			result, err := r.run(ctx, step)
			if err != nil {
				return fmt.Errorf("%s\n%s cannot be run: %w", spec.title(), place, err)
			}
			if problems := step.Want.check(result); len(problems) > 0 {
				return errors.New(report(spec, place, problems, result))
			}
		}
	}
	return nil
}

// newRunner builds the account of a case and a client for it.
func newRunner(spec *caseSpec, stack stack, clock clock) (*runner, error) {
	account, err := newAccount(spec)
	if err != nil {
		return nil, err
	}
	credential, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(cosmostest.DefaultKey)
	if err != nil {
		return nil, err
	}
	options := &azcosmos.ClientOptions{PreferredRegions: spec.Client.Preferred}
	options.Transport = account.Transport()
	options.Retry.TryTimeout = time.Duration(spec.Client.TryTimeout)
	endpoint := spec.Client.endpoint(account)
	if err := stack.install(&spec.Client, endpoint, credential, options); err != nil {
		return nil, err
	}
	client, err := azcosmos.NewClientWithKey(endpoint, credential, options)
	if err != nil {
		return nil, err
	}
	database, err := client.NewDatabase(databaseID)
	if err != nil {
		return nil, err
	}
	container, err := database.NewContainer(containerID)
	if err != nil {
		return nil, err
	}
	return &runner{
		clock: clock, account: account, database: database, container: container,
		pipeline: newPipeline(key, options), stack: stack,
	}, nil
}

// endpoint is the one that the client is made for.
func (c *clientSpec) endpoint(account *cosmostest.Account) string {
	if c.Endpoint != "" {
		return account.RegionEndpoint(c.Endpoint)
	}
	return account.Endpoint()
}

// run runs a step once.
func (r *runner) run(ctx context.Context, step *stepSpec) (*outcome, error) {
	if err := r.teach(ctx, step); err != nil {
		return nil, err
	}
	r.clock.sleep(time.Duration(step.Advance))
	if err := step.prepare(r.account); err != nil {
		return nil, err
	}
	ctx, cancel := r.context(ctx, step)
	defer cancel()
	before := len(r.account.Requests())
	stop := step.schedule(r.account)
	result := &outcome{start: time.Now()}
	result.response, result.err = operations[step.Do](ctx, r, step)
	result.elapsed = time.Since(result.start)
	if err := stop(); err != nil {
		return nil, err
	}
	if errors.Is(context.Cause(ctx), errStuck) {
		result.err = fmt.Errorf("%w within %s: %w", errStuck, patience, result.err)
	}
	r.clock.settle()
	result.requests = r.account.Requests()[before:]
	return result, nil
}

// teach lets the policies learn the topology by a container read without faults before the first request that goes
// through the pipeline for stored procedures, which reads no account.
func (r *runner) teach(ctx context.Context, step *stepSpec) error {
	if step.Do != "sproc" || r.taught {
		return nil
	}
	r.taught = true
	r.account.SetFaults()
	if _, err := r.container.Read(ctx, nil); err != nil {
		return fmt.Errorf("container read before the first stored procedure: %w", err)
	}
	return nil
}

// context is that of the operation, with everything the caller asks for. The returned function ends it.
func (r *runner) context(ctx context.Context, step *stepSpec) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	time.AfterFunc(patience, func() { cancel(errStuck) })
	if step.CancelAfter > 0 {
		time.AfterFunc(time.Duration(step.CancelAfter), func() { cancel(nil) })
	}
	release := func() {}
	if step.Deadline > 0 {
		ctx, release = context.WithTimeout(ctx, time.Duration(step.Deadline))
	}
	return r.stack.scope(ctx, step), func() {
		release()
		cancel(nil)
	}
}

// freshID is an id that nothing in the account has.
func (r *runner) freshID() string {
	r.ids++
	return fmt.Sprintf("new-%d", r.ids)
}
