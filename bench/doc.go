// Package bench measures what the policies cost while nothing fails.
//
//	make bench                                  # from the root of the repository
//	cd bench && go test -bench Paired -run '^$' # the same, with flags of your own
//
// Both sides run the same azcosmos operation over the same transport, which
// answers from memory. One side is azcosmos alone, the other has all policies.
// There is no network, so the whole time of an operation is the client's own:
// the ratio is the worst that a program can see.
//
// The two sides take turns in short rounds, A B, B A, A B, …, so that whatever
// slows the machine down for a while slows both, and the medians of the rounds
// are compared:
//
//	ratio             median time of an operation with the policies, per median without
//	extra-allocs/op   allocations of an operation with the policies, less those without
//	extra-B/op        the same in bytes
//	bare-ns/op        median time of an operation without the policies
//	policies-ns/op    median time of an operation with them
//
// BenchmarkAlone runs one side at a time, for profiles:
//
//	cd bench && go test -run '^$' -bench 'Alone/read/policies' -cpuprofile cpu.out
//
// The module is nested, so that nothing in it reaches the users of the library.
package bench
