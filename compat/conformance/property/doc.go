// Package property holds tests that run random fault scripts through azcosmos and the policies, in virtual time, and
// check of every operation what the retry specification promises of all of them.
//
//	go test ./compat/conformance/property                                  # the usual number of scripts, seconds
//	PROPERTY_SCRIPTS=200000 go test -timeout 30m ./compat/conformance/property   # as many as asked for
//	PROPERTY_FIRST_SEED=1000000 go test ./compat/conformance/property      # other scripts than usual
//	PROPERTY_SEED=17 go test -run TestProperties ./compat/conformance/property   # the world of one seed, with its log
//
// A script is one operation, what its caller asks of it, and how the account answers it: region by region and attempt
// by attempt, with odd answers, broken connections, delays, and changes of the account while it is under way. A world
// is an account, a client and a few scripts that run one after the other or side by side, so that some meet what others
// have taught the policies. Everything about a world follows from its seed, but for the jitter of the policies.
//
// # The properties
//
//   - budgets: no request is sent that no retry budget pays for. The budgets are computed here, from the settings and
//     the specification, and each request of the log must be paid for by the answer before it.
//   - effort: no operation is given up while a budget would pay for another request.
//   - waits: hints are never shortened, and the same endpoint is tried again at once only once.
//   - regions: never an excluded region, never a host that is none of the account's, never a region that has failed in
//     this operation before all others have; local retries stay where they are.
//   - content: the session token and the body are the same on every attempt, and the headers that the service needs
//     are there.
//   - repetition: what must not run twice is not sent again after an attempt that may have been executed.
//   - result: the caller gets the answer of the last attempt, whole, or what the rules for deadlines say.
//   - time: the caller is back when its deadline passes.
//   - text: the error names operation, regions and attempts, and nothing secret.
//   - nothing is left behind: the bubble of virtual time ends without goroutines.
//
// For each of them a test breaks the stack on purpose and makes sure that the property notices.
package property
