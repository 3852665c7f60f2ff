// Package logging writes what the policies decide to a [slog.Logger].
//
//	observer, err := logging.New(slog.Default(), nil)
//	…
//	set, err := policies.Install(options, endpoint, &policies.Options{Observers: []policies.Observer{observer}})
//	…
//	defer observer.Close() // what has not been summed up yet
//
// A transient fault that a retry mends is no error of the application, so it
// must not look like one:
//
//	level   what
//	Warn    retry, local retry, failover, session retry, a retry that the budget refused, an endpoint that is
//	        marked, a circuit breaker that opens, writes of a partition that move (PPAF), a failed topology refresh,
//	        an operation that ended after more attempts than Options.Attempts or later than Options.Slow
//	Error   giving up, a dead letter that was lost
//	Info    an endpoint that is back, a breaker that probes or closes, a topology refresh
//
// Other operations that end are not logged.
//
// Each entry has the time of the decision and, where they apply, the attributes
// kind, cause, operation, container, partition, region, target, status,
// sub_status, attempt, wait, elapsed, charge and reason. cause tells throttling
// ("throttling") from connections that fail ("connection"), failures of the
// service ("server"), silence ("timeout"), regions that moved ("topology") and
// replicas that lag ("session"). No entry has a body, a credential or the value
// of a partition key.
//
// # Storms
//
// An outage makes as many events as there are requests, all of them alike. Events
// of the same kind, cause and region share a period, which begins with the first
// of them and lasts for Options.Period. In a period the first Options.Burst are
// logged one by one, and the others counted. When the period is over, one entry
// of the same level sums these up: how many there were, the most attempts, the
// longest wait and elapsed time among them, and the reason of the last. Then the
// next event begins a new period.
//
// There is no timer: the entry is written when the next event arrives, of
// whatever kind, or with [Observer.Close]. At most 256 combinations are told
// apart at a time; beyond them cause and region are left out.
package logging
