// Package simulation runs a day of outages against the policies, in virtual
// time, and compares what they do with what an oracle knows.
//
//	go test -v ./compat/conformance/simulation                     # two hours, prints the table
//	go test -v ./compat/conformance/simulation -hours 24 -seed 7   # a day; 7 is the default
//
// # The account
//
// 100 physical partitions with 50 keys each, in three regions, as a
// single-write, a multi-write and a PPAF account. (And once with 10,000 keys
// each: more than the client can remember the partitions of. Then the retries of
// each operation do all the work.) 2,000 operations per second
// fall on the partitions evenly, four reads to one write. Outages come by
// chance, from the seed: of one partition in one region, or of a whole region;
// as 503, 500, 408, 410, 429/3092, connections that are refused or reset, and
// silence. On the PPAF account the service moves the writes of a partition to
// another region 30 s after its own fell ill, and back 30 s after it is well.
// One request in a thousand is throttled for 5 ms, and one read in a thousand
// finds a region that has not caught up with its session.
//
// The requests go through the failover, session and throttle policies in a
// pipeline of azcore. Nothing but the transport is made up.
//
// # Sampling
//
// A day has 172.8 million operations. Around each change of a partition's
// health (from 2 s before to 10 s after) every operation is run, for that is
// where something is decided. In between, one operation per partition is run
// every 3 s while one of its regions is sick, every 250 ms until the client has
// come back to a region that is well again, and every 5 min in good times; it
// counts for all that it stands for. Probes are counted as they come:
// their number depends on the time, not on the traffic.
//
// # The oracle
//
// It sees every request at the transport and knows the outages. An operation
// fails avoidably when a region could have served it from its beginning to its
// end. A partition is known to be sick in a region after 10 reads or 5 writes
// failed there in a row; from then on a request to it is a probe, when it is
// the only one and 5 s have passed; or a last resort, when every other region is
// known to be sick too or has failed in the operation; or else it has gone astray. A partition is disturbed
// when all its regions have been well for 90 s and still an operation does not
// succeed in its first region at once.
package simulation
