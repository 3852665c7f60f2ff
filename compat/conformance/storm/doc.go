// Package storm holds a test that shows what a retry budget is for: a service
// that is overloaded for a while, and clients whose retries keep it overloaded
// when the reason is long gone.
//
//	go test -v ./compat/conformance/storm            # seconds; logs the table
//	go generate ./compat/conformance/storm           # writes it to docs/operating.md
//
// Everything but the network is real: azcosmos clients with all policies, over an
// account in memory that has a finite capacity. Time is virtual, arrivals and
// waits come from one seed, so the table is the same each time.
//
// # The service
//
// It works off one queue. An operation takes one unit of its capacity, and
// turning one away half a unit, since a gateway has read and authenticated the
// request before it knows. What it does with a request depends on how far it is
// behind: it serves it, it answers 429 without a hint, it answers 503, or it
// answers nothing and the client's own time-out ends the wait.
//
// # The load
//
// Many clients of one region send operations at random, whatever becomes of
// the ones before, as users do. It is a load that the service bears easily. Then
// its capacity drops for a while, and comes back.
//
// Without a budget each operation is sent up to ten times, and turning all of
// that away costs more than the service has: nothing is served any more, so
// everything is retried, for as long as the users come. The state feeds itself,
// which is why it is called metastable. With a budget the retries are a
// share of the operations, turning them away costs less than the service has,
// and it works itself free.
package storm
