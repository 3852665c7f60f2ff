// Package policies is the front door: it puts the retry and cross-region
// failover of the Cosmos DB Rust driver into an azcosmos client.
//
//	options := &azcosmos.ClientOptions{PreferredRegions: []string{"East US", "West US"}}
//	set, err := policies.Install(options, endpoint, nil)
//	client, err := azcosmos.NewClientWithKey(endpoint, cred, options)
//
// Package compat has constructors that do these lines in one.
//
// # Where they stand
//
//	azcosmos operation
//	  → the account read (GET / through a pipeline of its own, at the first call
//	    and every 5 minutes; the same policies see it)
//	  → per-call policy        ours: the operation's deadline, and its result
//	  → azcore's retries       stopped by our errors
//	  → authentication
//	  → azcosmos's retries     stopped by our errors, too
//	  → failover               ours: which region, and the next one
//	  → session                ours: 404/1002
//	  → throttle               ours: 429 and 449
//	  → transport
//
// Each owns its outcomes and passes the rest through. What they give up ends as
// an [Error], which is also the *azcore.ResponseError of the last answer. One
// operation costs at most what its budgets say, whatever azcore and azcosmos do
// around it.
//
// # Configuration
//
//   - [Settings]: every number, from code, JSON ([ParseSettings]), a watched
//     file ([WatchSettings]) or the environment; [Set.Apply] at run time.
//   - Per operation, through the context: [WithWriteRetry], [WithProfile],
//     [WithDiagnostics], and regioncache.WithExcludedRegions.
//   - [Budget]: a limit on the retries of the whole process.
//   - [Observer]: an [Event] per decision. Packages policies/logging,
//     policies/telemetry and policies/debug are observers.
//   - [DeadLetters]: keeps the writes that gave up.
package policies
