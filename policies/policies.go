package policies

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/event"
	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// Options configures [Install], which copies it. Nil and the zero value mean the
// defaults.
type Options struct {
	// Settings holds the numbers. Nil: the environment, then the defaults.
	Settings *Settings
	// Account reads the account when its regions have changed (403/3, 403/1008).
	// Nil: the topology is learned only from the account reads that the client
	// makes by itself, every 5 min. The constructors of package compat set it.
	Account regioncache.AccountReader
	// Cache is shared routing state, for several clients of one account; that of
	// another account is an error. Nil: a cache of its own. A given cache keeps its
	// own options: Account does not apply to it, and settings of regions and breaker
	// are errors.
	Cache *regioncache.Cache
	// Budget limits the retries of the whole process; give the same one to every
	// client. Settings of a budget take the place of its numbers, for all clients
	// that share it, until there are none any more. Nil: the client has a budget of
	// its own if the settings have one, and otherwise each operation's own budgets
	// are the only limit.
	Budget *Budget
	// Observers are told of each decision. Nil: nobody is, and the policies
	// spend nothing on it.
	Observers []Observer
	// DeadLetters keeps item writes that the policies gave up, so that they can be
	// sent again later. Nil: nobody does, they are the caller's alone.
	DeadLetters DeadLetters
	// Backoff, when set, gives the waits after a 429 that says nothing, and
	// FailoverBackoff those before a retry that finds no other endpoint to go to.
	// Nil: as the retry specification says.
	Backoff, FailoverBackoff Backoff
	// Logger gets warnings that deserve an operator's attention, such as an
	// unknown preferred region. Nil: [slog.Default].
	Logger *slog.Logger
}

// Set is what [Install] has put into a client's options. It is safe for
// concurrent use.
type Set struct {
	cache      *regioncache.Cache
	shared     bool // the cache has options of its own
	preferred  []string
	tryTimeout time.Duration
	options    Options
	call       *callPolicy
	events     *event.Hub

	mu     sync.Mutex     // one Apply at a time
	budget BudgetSettings // that the budget in force was made from

	settings atomic.Pointer[Settings]
	failover *failover.Policy
	session  *session.Policy
	throttle *throttle.Policy
}

// Install puts all policies into the options of a client that is about to be
// made for the account at endpoint: one into PerCallPolicies, and one into
// PerRetryPolicies that has failover, session and throttle in it, in this order.
// It does no I/O.
// The preferred regions are those of the settings, else those of options.
//
// Each number comes from the first of: the environment variable
// AZURE_COSMOS_PPCB_ENABLED_OVERRIDE (for the breaker's switch), the settings,
// the setting's environment variable, the default.
//
// It is an error when options is nil or has the policies already, when endpoint
// is no URL of an account, and when a setting or an environment variable makes
// no sense; the error names it and what is allowed, and options stays as it was.
func Install(options *azcosmos.ClientOptions, endpoint string, o *Options) (*Set, error) {
	if options == nil {
		return nil, errors.New("policies: options is nil: want the azcosmos.ClientOptions that the client will be made with")
	}
	for _, p := range options.PerCallPolicies {
		if _, ok := p.(*callPolicy); ok {
			return nil, errors.New("policies: options has the policies already: want a copy of the client options for each client")
		}
	}
	s, err := newSet(endpoint, options, o)
	if err != nil {
		return nil, err
	}
	// Slices of the caller's that have room would be written to in place.
	options.PerCallPolicies = append(options.PerCallPolicies[:len(options.PerCallPolicies):len(options.PerCallPolicies)], s.call)
	options.PerRetryPolicies = append(options.PerRetryPolicies[:len(options.PerRetryPolicies):len(options.PerRetryPolicies)], s.failover)
	return s, nil
}

func newSet(endpoint string, client *azcosmos.ClientOptions, o *Options) (*Set, error) {
	s := &Set{call: new(callPolicy), preferred: client.PreferredRegions, tryTimeout: max(client.Retry.TryTimeout, 0)}
	if o != nil {
		s.options = *o
	}
	s.events = event.NewHub(s.options.Observers)
	s.call.shared.Store(&attempt.Shared{Events: s.events, Budget: s.options.Budget})
	settings, err := s.options.Settings.withEnvironment(os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	if s.cache = s.options.Cache; s.cache != nil {
		s.shared = true
		if err := s.share(endpoint, settings); err != nil {
			return nil, err
		}
	} else if s.cache, err = regioncache.New(endpoint, s.cacheOptions(settings)); err != nil {
		return nil, err
	}
	s.cache.ReportTo(s.events)
	if s.failover, err = failover.New(s.cache, s.failoverOptions(settings)); err != nil {
		return nil, err
	}
	if s.session, err = session.New(s.cache, settings.SessionOptions()); err != nil {
		return nil, err
	}
	if s.throttle, err = throttle.New(s.throttleOptions(settings)); err != nil {
		return nil, err
	}
	s.session.Enclose(s.throttle)
	s.failover.Enclose(s.session)
	if err := s.configureCalls(settings); err != nil {
		return nil, err
	}
	for _, o := range s.options.Observers {
		if o, ok := o.(InstalledObserver); ok {
			o.Installed(s)
		}
	}
	return s, nil
}

// share makes sure that a given cache is the account's, and that nobody expects
// of these settings what the cache's own options decide. The kill switch of the
// breaker reaches every cache.
func (s *Set) share(endpoint string, settings *Settings) error {
	if !s.cache.Serves(endpoint) {
		return fmt.Errorf("policies: Options.Cache is for the account at %s: want one for %s", s.cache.Endpoint(), endpoint)
	}
	regions, breaker := &s.options.Settings.orEmpty().Regions, s.options.Settings.orEmpty().Breaker
	if len(regions.Preferred) > 0 || len(regions.Excluded) > 0 || regions.Discovery != nil || breaker != (BreakerSettings{}) {
		return errors.New("policies: Settings has regions or a breaker, and Options.Cache is set: want them in the options of the cache")
	}
	if _, ok := os.LookupEnv(killSwitch); ok && settings.Breaker.Enabled != nil {
		s.cache.EnableBreaker(*settings.Breaker.Enabled)
	}
	return nil
}

func (s *Set) cacheOptions(settings *Settings) *regioncache.Options {
	o := settings.CacheOptions()
	if o.PreferredRegions == nil {
		o.PreferredRegions = s.preferred
	}
	o.Account = s.options.Account
	o.Logger = s.options.Logger
	return o
}

// Apply replaces the settings, for operations that start later; those under way
// keep their budgets. Nil means the environment, then the defaults. The
// environment is read again. A setting that makes no sense is an error, and so
// are regions and breaker where [Options].Cache is set; then nothing changes.
// Profiles of a context count before the settings.
func (s *Set) Apply(settings *Settings) error {
	filled, err := settings.withEnvironment(os.LookupEnv)
	if err != nil {
		return fmt.Errorf("policies: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared {
		s.options.Settings = settings
		if err := s.share(s.cache.Endpoint(), filled); err != nil {
			return err
		}
	} else {
		if err := s.cache.Configure(s.cacheOptions(filled)); err != nil {
			return err
		}
	}
	s.failover.Configure(s.failoverOptions(filled))
	s.session.Configure(filled.SessionOptions())
	s.throttle.Configure(s.throttleOptions(filled))
	return s.configureCalls(filled)
}

// configureCalls sets what the per-call policy gives every operation.
func (s *Set) configureCalls(settings *Settings) error {
	shared := &attempt.Shared{Events: s.events, Budget: s.options.Budget, DeadLetters: s.options.DeadLetters, TryTimeout: s.tryTimeout}
	if err := s.configureBudget(settings, &shared.Budget); err != nil {
		return fmt.Errorf("policies: settings: %w", err)
	}
	s.settings.Store(settings)
	s.call.shared.Store(shared)
	s.call.timeout.Store(int64(max(settings.OperationTimeout, 0)))
	return nil
}

// configureBudget gives the budget in force the numbers of the settings, and
// makes it where the options have none. What it has counted stays.
func (s *Set) configureBudget(settings *Settings, budget **Budget) (err error) {
	off := settings.Budget == BudgetSettings{}
	switch running := s.Budget(); {
	case settings.Budget == s.budget:
		*budget = running
	case off && *budget != nil:
		err = (*budget).Configure(nil)
	case off:
	case running == nil:
		*budget, err = NewBudget(settings.BudgetOptions())
	default:
		*budget, err = running, running.Configure(settings.BudgetOptions())
	}
	if err == nil {
		s.budget = settings.Budget
	}
	return err
}

func (s *Set) failoverOptions(settings *Settings) *failover.Options {
	o := settings.FailoverOptions()
	o.Backoff = s.options.FailoverBackoff
	return o
}

func (s *Set) throttleOptions(settings *Settings) *throttle.Options {
	o := settings.ThrottleOptions()
	o.Backoff = s.options.Backoff
	return o
}

// Dropped is how many events observers have missed, because they were too slow
// or panicked.
func (s *Set) Dropped() int64 { return s.events.Dropped() }

// Budget is the retry budget in force, nil for none.
func (s *Set) Budget() *Budget { return s.call.shared.Load().Budget }

// Unhealthy lists every partition that fails in a region: whose breaker is open,
// probing, or counting failures. It stops no request; see
// [regioncache.Cache.Unhealthy], and Marks and Overrides there for the rest of
// the state.
func (s *Set) Unhealthy() []PartitionHealth { return s.cache.Unhealthy() }

// Cache is the routing state that the policies share.
func (s *Set) Cache() *regioncache.Cache { return s.cache }

// WithWriteRetry returns a context whose writes are, or are not, repeated when
// an earlier attempt may have been executed: after 408, 5xx, 429/3092 and
// transport errors that left the fate of the request open. What was surely not
// executed is retried in any case. The default is true for every write but
// stored procedures, which are never repeated.
//
// Opt out for writes that must not happen twice and have no ETag to guard them,
// such as a patch that increments. See "Idempotency Requirements" in the retry
// specification.
func WithWriteRetry(ctx context.Context, retry bool) context.Context {
	return attempt.WithCall(ctx, func(c *attempt.Call) { c.WriteRetry = &retry })
}

// Error is the end of an operation that the policies gave up. It carries the
// last answer of the service, which errors.As finds as *[azcore.ResponseError],
// or else the transport's error, and the list of all attempts. It does not change
// any more, and is safe for concurrent use. errors.As finds it as *Error.
//
//	Error() string              one line, without the id of the item; %+v adds a line per attempt
//	Attempts() []Attempt        every request, oldest first; none if the deadline was over before the first
//	Elapsed() time.Duration     from the start of the operation to its end, waits included
//	Transient() bool            the same operation may succeed later, and may be repeated
//	RetryAfter() time.Duration  how long the service asked to wait, 0 when it did not say
//	Reason() string             why it was not retried further, in a few words
//
// After a deadline it is 408/20008 and matches context.DeadlineExceeded as well. An
// operation that its caller cancelled ends in context.Canceled, and in no Error.
//
// [azcore.ResponseError]: https://pkg.go.dev/github.com/Azure/azure-sdk-for-go/sdk/azcore#ResponseError
type Error = attempt.Error

// Attempt is one request of an operation, as [Error] and [Diagnostics] list it:
//
//	Region, Host       where it went; Region is empty while the account's regions are unknown
//	Start, Duration    when it was sent, and how long the answer or the failure took
//	Wait               how long the policies slept before it
//	Status, SubStatus  of the answer, 0 when none arrived
//	Sent               false when it surely never left the client
//	Reason             why it was sent: what went wrong before it; empty for the first
//	Charge, Partition  request units and physical partition, where an observer or diagnostics want them
//	ActivityID         its name in the service's own logs
//	Err                why no answer arrived, nil when one did
type Attempt = attempt.Attempt
