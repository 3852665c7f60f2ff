package policies

import (
	"time"

	"github.com/cosmosretry/cosmosretry/policies/failover"
	"github.com/cosmosretry/cosmosretry/policies/session"
	"github.com/cosmosretry/cosmosretry/policies/throttle"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

// Settings holds every number that the policies work with, in the shape of the
// JSON that [ParseSettings] reads. In each field zero (or absence) means the
// default and a negative number switches the thing off, unless the field says
// otherwise. Durations are Go duration strings in JSON ("1m30s").
//
// A field left at zero is taken from the environment, if that has its variable,
// before the default applies; see [Install].
type Settings struct {
	// Throttle limits the retries after 429 and 449.
	Throttle ThrottleSettings `json:"throttle"`
	// Failover limits the retries in other regions.
	Failover FailoverSettings `json:"failover"`
	// Session limits the retries after 404/1002.
	Session SessionSettings `json:"session"`
	// Regions says which regions to use.
	Regions RegionSettings `json:"regions"`
	// Breaker configures the partition circuit breaker.
	Breaker BreakerSettings `json:"breaker"`
	// Budget limits the retries of the process across operations.
	Budget BudgetSettings `json:"budget"`
	// OperationTimeout is a deadline for every operation, waits and retries
	// included, in addition to the deadline of the caller's context.
	// Default: none; negative means none too.
	OperationTimeout Duration `json:"operationTimeout"`
}

// ThrottleSettings limits the retries after 429 and 449; see [throttle.Options].
type ThrottleSettings struct {
	// MaxRetries after 429, per visit to a region. Default: 9.
	MaxRetries int `json:"maxRetries"`
	// MaxWait bounds the waits after 429, per visit to a region. Default: 30 s.
	MaxWait Duration `json:"maxWait"`
	// BaseDelay is the first wait after a 429 that says nothing. Default: 5 ms.
	BaseDelay Duration `json:"baseDelay"`
	// MaxDelay is the longest wait after a 429 that says nothing. Default: 5 s.
	MaxDelay Duration `json:"maxDelay"`
	// RetryWith limits the retries after 449.
	RetryWith RetryWithSettings `json:"retryWith"`
}

// RetryWithSettings limits the retries after 449; see [throttle.RetryWithOptions].
type RetryWithSettings struct {
	// MaxWait bounds the waits per operation. Default: 30 s.
	MaxWait Duration `json:"maxWait"`
	// BaseDelay is the first wait. Default: 10 ms.
	BaseDelay Duration `json:"baseDelay"`
	// MaxDelay is the longest wait. Default: 1 s.
	MaxDelay Duration `json:"maxDelay"`
}

// FailoverSettings limits the retries in other regions; see [failover.Options].
type FailoverSettings struct {
	// MaxRetries is the generic budget per operation. Default: 3.
	MaxRetries int `json:"maxRetries"`
	// Backend limits the retries while the account changes its regions.
	Backend BackendSettings `json:"backend"`
	// LocalRetries on a new connection, per visit to a region. Default: 1.
	LocalRetries int `json:"localRetries"`
	// AttemptTimeout bounds each request.
	AttemptTimeout AttemptTimeoutSettings `json:"attemptTimeout"`
}

// BackendSettings limits the retries after 403/1008 and multi-write 403/3; see
// [failover.BackendOptions].
type BackendSettings struct {
	// MaxRetries per operation. Default: 120.
	MaxRetries int `json:"maxRetries"`
	// Delay before each retry. Default: 1 s.
	Delay Duration `json:"delay"`
}

// AttemptTimeoutSettings bounds each request; see [failover.AttemptTimeout].
type AttemptTimeoutSettings struct {
	// Point bounds operations on one item. Default: 6 s.
	Point Duration `json:"point"`
	// Query bounds queries, feeds and batches. Default: 65 s.
	Query Duration `json:"query"`
	// Metadata bounds requests for databases, containers and offers. Default: 65 s.
	Metadata Duration `json:"metadata"`
	// Account bounds the account read. Default: 5 s.
	Account Duration `json:"account"`
}

// SessionSettings limits the retries after 404/1002; see [session.Options].
type SessionSettings struct {
	// MaxRetries per operation. Default: 2 on single-write accounts, the number
	// of regions on multi-write accounts.
	MaxRetries int `json:"maxRetries"`
}

// RegionSettings says which regions to use; see [regioncache.Options].
type RegionSettings struct {
	// Preferred regions in order. Default: PreferredRegions of the client options.
	Preferred []string `json:"preferred"`
	// Excluded regions. Default: none.
	Excluded []string `json:"excluded"`
	// Discovery, when false, sends every request to the endpoint that the client
	// was made with. Default: true.
	Discovery *bool `json:"discovery"`
	// UnavailableFor is how long an unreachable endpoint is tried last. Default: 60 s.
	UnavailableFor Duration `json:"unavailableFor"`
	// RefreshInterval is the least time between on-demand account reads. Default: 5 s.
	RefreshInterval Duration `json:"refreshInterval"`
}

// BreakerSettings configures the partition circuit breaker; see
// [regioncache.BreakerOptions].
type BreakerSettings struct {
	// Enabled switches the breaker. Default: true.
	Enabled *bool `json:"enabled"`
	// ReadFailures in a row open it for reads. Default: 10.
	ReadFailures int `json:"readFailures"`
	// WriteFailures in a row open it for writes. Default: 5.
	WriteFailures int `json:"writeFailures"`
	// CounterReset is the quiet time after which counting starts again. Default: 5 min.
	CounterReset Duration `json:"counterReset"`
	// UnavailableFor is the wait before a probe. Default: 5 s; not negative.
	UnavailableFor Duration `json:"unavailableFor"`
	// Capacity is how many partitions are remembered. Default: 8192; not negative.
	Capacity int `json:"capacity"`
}

// BudgetSettings limits the retries of the process; see [BudgetOptions]. While
// all its fields are zero there is no such budget, or the one that the program made
// has its own numbers; see [Options].
type BudgetSettings struct {
	// Ratio of retries to requests. Default, once another field is set: 0.2.
	Ratio float64 `json:"ratio"`
	// MinPerSecond retries are allowed besides. Default, once another field is set: 10.
	MinPerSecond float64 `json:"minPerSecond"`
	// Window that requests and retries are counted in. Default: 10 s; 1 s to 1 min.
	Window Duration `json:"window"`
	// MaxPerMinute caps the retries. Default: no cap.
	MaxPerMinute int `json:"maxPerMinute"`
	// MaxPerMinutePerRegion caps the retries that go to one region. Default: no cap.
	MaxPerMinutePerRegion int `json:"maxPerMinutePerRegion"`
}

// Duration is a [time.Duration] that JSON holds as a Go duration string.
type Duration time.Duration

// String formats the duration as [time.Duration] does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes a Go duration string.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a Go duration string.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// ThrottleOptions returns the settings in the form of [throttle.New].
func (s *Settings) ThrottleOptions() *throttle.Options {
	return &throttle.Options{
		MaxRetries: s.Throttle.MaxRetries,
		MaxWait:    time.Duration(s.Throttle.MaxWait),
		BaseDelay:  time.Duration(s.Throttle.BaseDelay),
		MaxDelay:   time.Duration(s.Throttle.MaxDelay),
		RetryWith: throttle.RetryWithOptions{
			MaxWait:   time.Duration(s.Throttle.RetryWith.MaxWait),
			BaseDelay: time.Duration(s.Throttle.RetryWith.BaseDelay),
			MaxDelay:  time.Duration(s.Throttle.RetryWith.MaxDelay),
		},
		AttemptTimeout: s.attemptTimeout(),
	}
}

// FailoverOptions returns the settings in the form of [failover.New].
func (s *Settings) FailoverOptions() *failover.Options {
	return &failover.Options{
		MaxRetries:   s.Failover.MaxRetries,
		LocalRetries: s.Failover.LocalRetries,
		Backend: failover.BackendOptions{
			MaxRetries: s.Failover.Backend.MaxRetries,
			Delay:      time.Duration(s.Failover.Backend.Delay),
		},
		AttemptTimeout: s.attemptTimeout(),
	}
}

func (s *Settings) attemptTimeout() failover.AttemptTimeout {
	t := s.Failover.AttemptTimeout
	return failover.AttemptTimeout{
		Point: time.Duration(t.Point), Query: time.Duration(t.Query),
		Metadata: time.Duration(t.Metadata), Account: time.Duration(t.Account),
	}
}

// SessionOptions returns the settings in the form of [session.New].
func (s *Settings) SessionOptions() *session.Options {
	return &session.Options{MaxRetries: s.Session.MaxRetries, AttemptTimeout: s.attemptTimeout()}
}

// BudgetOptions returns the settings in the form of [NewBudget].
func (s *Settings) BudgetOptions() *BudgetOptions {
	return &BudgetOptions{
		Ratio:                 s.Budget.Ratio,
		MinPerSecond:          s.Budget.MinPerSecond,
		Window:                time.Duration(s.Budget.Window),
		MaxPerMinute:          s.Budget.MaxPerMinute,
		MaxPerMinutePerRegion: s.Budget.MaxPerMinutePerRegion,
	}
}

// CacheOptions returns the settings in the form of [regioncache.New]; account
// and logger are not settings and stay nil.
func (s *Settings) CacheOptions() *regioncache.Options {
	return &regioncache.Options{
		PreferredRegions: s.Regions.Preferred,
		ExcludedRegions:  s.Regions.Excluded,
		PinEndpoint:      s.Regions.Discovery != nil && !*s.Regions.Discovery,
		UnavailableFor:   time.Duration(s.Regions.UnavailableFor),
		RefreshInterval:  time.Duration(s.Regions.RefreshInterval),
		AccountTimeout:   max(time.Duration(s.Failover.AttemptTimeout.Account), 0),
		Breaker: regioncache.BreakerOptions{
			Disabled:       s.Breaker.Enabled != nil && !*s.Breaker.Enabled,
			ReadFailures:   s.Breaker.ReadFailures,
			WriteFailures:  s.Breaker.WriteFailures,
			CounterReset:   time.Duration(s.Breaker.CounterReset),
			UnavailableFor: time.Duration(s.Breaker.UnavailableFor),
			Capacity:       s.Breaker.Capacity,
		},
	}
}

func (s *Settings) orEmpty() *Settings {
	if s == nil {
		return new(Settings)
	}
	return s
}
