package cosmostest

import (
	"slices"
	"time"
)

// DefaultKey is the account key when [Config.Key] is empty: the publicly documented key of the Cosmos DB emulator. It
// protects nothing.
const DefaultKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

// maxPartitions bounds Container.Partitions: the ids and boundaries of all of them are kept in memory.
const maxPartitions = 1024

// Config describes an account. The zero value is a single-write account in three regions without containers. An
// account copies its Config; change it later with [Account.Update].
type Config struct {
	// Name is the account name, the first part of its host names. Lower-case letters, digits and hyphens. The default
	// is "acct". Clients may share what they know of an account among all that connect to the same host name (azcosmos
	// 1.5 does), so give accounts in one process names of their own, or close the clients.
	Name string

	// Regions are the readable regions in account order. The default is East US, West US, North Europe. Names are told
	// apart without regard to case, spaces, hyphens and underscores.
	Regions []string

	// WriteRegions are the writable regions in account order; the first one is the hub. Each must be in Regions. The
	// default is the first region, or all regions when MultiWrite is set.
	WriteRegions []string

	// MultiWrite says that every region in WriteRegions takes item writes. The default is false.
	MultiWrite bool

	// PPAF is the account's enablePerPartitionFailoverBehavior. While it is set on an account with one write region, every
	// physical partition has a write region of its own, at first the hub. It fails over to wherever the client sends a
	// write, without a reason unless StrictPPAF is set. The default is false.
	PPAF bool

	// StrictPPAF holds every physical partition in its write region, as the service does: with PPAF, a write that comes to
	// another readable region gets a 403/3, unless the write region is stopped or sick. It is sick if a fault applies to
	// the write there, or has answered the last write to the partition. [Account.FailoverPartition] moves a partition by
	// hand, and holds it in the same way with and without StrictPPAF. The default is false.
	StrictPPAF bool

	// Key is the base64 account key that requests are signed with. The default is [DefaultKey].
	Key string

	// Tokens are the bearer tokens that are accepted beside the key. Empty: any token is. To accept none, set one that
	// nobody has.
	Tokens []string

	// Consistency is the account's consistency level, "Strong", "BoundedStaleness", "Session", "ConsistentPrefix" or
	// "Eventual"; requests may ask for weaker ones. With Strong, writes are in all regions at once. Reads with
	// BoundedStaleness see all writes, however old. With Session, a read with a session token that is ahead of its region
	// gets a 404/1002. The others read what the region has. The default is "Session".
	Consistency string

	// ReplicationLag is how long a write takes from its region to each of the others. [Account.SetReplicationLag] sets it
	// for two regions. The default, 0, is not at all; a negative one is an error.
	ReplicationLag time.Duration

	// TopologyDelay is how long account reads tell the old regions after [Account.Failover], [Account.AddRegion] and
	// [Account.RemoveRegion]. The default, 0, is not at all; a negative one is an error.
	TopologyDelay time.Duration

	// EnforceThroughput throttles all containers, as Container.Throughput does for one, to what their offers say; those
	// that share the throughput of their database are not throttled. The default is false.
	EnforceThroughput bool

	// Seed decides which requests a fault with a Probability strikes. The default, 0, is a seed like any other.
	Seed uint64

	// Now is the account's clock, for examples and demonstrations that move time by hand; delays of faults and time-outs
	// take real time all the same. It must be safe for concurrent use. The default is time.Now, which is virtual time in a
	// testing/synctest bubble.
	Now func() time.Time

	// Containers exist from the start.
	Containers []Container

	// LogLimit is how many requests the log keeps; the oldest go first. 0 keeps all of them, negative keeps none (for
	// benchmarks).
	LogLimit int
}

// Container describes a container that exists from the start.
type Container struct {
	// Database and ID are required; the database is created with its first container.
	Database, ID string

	// PartitionKey are the paths of the partition key. The default is "/pk"; several paths are a hierarchical key.
	PartitionKey []string

	// Partitions is the number of physical partitions, with ids "0", "1" and so on and equal shares of the hash space.
	// The default is 1, the maximum 1024.
	Partitions int

	// HashVersion is the version of the partition key hash, 1 or 2. The default is 2; hierarchical keys need 2.
	HashVersion int

	// Throughput is what the container may spend in each region, in request units per second; its physical partitions
	// have equal shares of it, and one that has spent its share answers 429/3200 until the next second. Clients change it
	// with the container's offer. The default, 0, is no limit (the offer then says 400 for each partition); a negative one
	// is an error.
	Throughput int

	// DefaultTTL is the time to live of items that have none of their own ("ttl"), in seconds; -1 lets only those expire
	// that have one. The default, 0, lets none expire.
	DefaultTTL int

	// ConflictPath is the path of the number that decides between two versions of an item that regions wrote without
	// knowing of each other, such as "/version"; the higher one stays. The default is "/_ts".
	ConflictPath string
}

// clone returns a deep copy, so that neither side sees the other's later changes.
func (c *Config) clone() Config {
	if c == nil {
		return Config{}
	}
	out := *c
	out.Regions = slices.Clone(c.Regions)
	out.WriteRegions = slices.Clone(c.WriteRegions)
	out.Tokens = slices.Clone(c.Tokens)
	out.Containers = slices.Clone(c.Containers)
	for i := range out.Containers {
		out.Containers[i].PartitionKey = slices.Clone(out.Containers[i].PartitionKey)
	}
	return out
}

// withDefaults returns a copy in which every field has its effective value.
func (c *Config) withDefaults() Config {
	out := c.clone()
	if out.Name == "" {
		out.Name = "acct"
	}
	if len(out.Regions) == 0 {
		out.Regions = []string{"East US", "West US", "North Europe"}
	}
	if len(out.WriteRegions) == 0 {
		out.WriteRegions = out.Regions[:1:1]
		if out.MultiWrite {
			out.WriteRegions = slices.Clone(out.Regions)
		}
	}
	if out.Key == "" {
		out.Key = DefaultKey
	}
	if out.Consistency == "" {
		out.Consistency = "Session"
	}
	for i := range out.Containers {
		out.Containers[i] = out.Containers[i].withDefaults()
	}
	return out
}

func (c Container) withDefaults() Container {
	if len(c.PartitionKey) == 0 {
		c.PartitionKey = []string{"/pk"}
	}
	if c.Partitions == 0 {
		c.Partitions = 1
	}
	if c.HashVersion == 0 {
		c.HashVersion = 2
	}
	return c
}
