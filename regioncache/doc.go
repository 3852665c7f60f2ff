// Package regioncache is the routing state that the policies of one Cosmos DB
// account share: which regions it has, which endpoints and partitions are in
// trouble, and hence where the next attempt of an operation goes.
//
// # What it knows, and from where
//
//   - The topology: an immutable [Snapshot], learned from every account read
//     that passes the policies, and on demand through an [AccountReader] after
//     403/3 and 403/1008. A bad account document never replaces a good one.
//   - Endpoint marks: an endpoint that could not be reached is tried last for
//     60 s, by every operation. Any answer from it clears the mark.
//   - The partition map: in which physical partition a partition key lives, as
//     answers tell it; 65,536 keys, the least recently used ones forgotten.
//   - Partition breakers (PPCB): a partition that fails 10 reads or 5 writes in
//     a row in one region is served by the next region. After 5 s one request
//     probes. A breaker reroutes, it never rejects.
//   - Write overrides (PPAF): on accounts that fail over per partition, the
//     region that took a partition's last write.
//
// [Cache.Choose] puts all of it in one order.
//
// # Cost
//
// Readers load immutable snapshots; writers publish new ones. The healthy path
// takes no lock but one of 32 of the partition map, starts no goroutine and
// allocates nothing. Entries expire when they are looked at.
package regioncache
