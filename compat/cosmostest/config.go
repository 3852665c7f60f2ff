package cosmostest

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// DefaultKey is the account key when [Config.Key] is empty: the publicly documented key of the Cosmos DB emulator. It
// protects nothing.
const DefaultKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

// maxPartitions bounds Container.Partitions: the ids and boundaries of all of them are kept in memory.
const maxPartitions = 1024

var consistencyLevels = []string{"Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"}

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

	// PPAF is the account's enablePerPartitionFailoverBehavior. While it is set, item writes are accepted in every
	// readable region, as if the partition had failed over to wherever the client sends them. The default is false.
	PPAF bool

	// Key is the base64 account key that requests are signed with. The default is [DefaultKey].
	Key string

	// Tokens are the bearer tokens that are accepted beside the key. Empty: any token is. To accept none, set one that
	// nobody has.
	Tokens []string

	// Consistency is the default consistency level that the account tells. The default is "Session".
	Consistency string

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

// validate checks a Config that has its defaults. Every error names the field and what is allowed.
func (c *Config) validate() error {
	if strings.Trim(c.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return configError("Name", c.Name, "lower-case letters, digits and hyphens")
	}
	if err := validateRegions(c.Regions, c.WriteRegions); err != nil {
		return err
	}
	if _, err := base64.StdEncoding.DecodeString(c.Key); err != nil {
		return configError("Key", "…", "a base64 string")
	}
	if !slices.Contains(consistencyLevels, c.Consistency) {
		return configError("Consistency", c.Consistency, strings.Join(consistencyLevels, ", "))
	}
	seen := map[string]bool{}
	for i, ct := range c.Containers {
		field := fmt.Sprintf("Containers[%d]", i)
		if err := ct.validate(field); err != nil {
			return err
		}
		if name := ct.Database + "/" + ct.ID; seen[name] {
			return configError(field, name, "every container once")
		} else {
			seen[name] = true
		}
	}
	return nil
}

func validateRegions(regions, writable []string) error {
	known := map[string]bool{}
	for i, name := range regions {
		key := regionKey(name)
		if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || key == "" || key == regionKey(globalName) {
			return configError(fmt.Sprintf("Regions[%d]", i), name, "letters, digits and spaces, and not \"global\"")
		}
		if known[key] {
			return configError(fmt.Sprintf("Regions[%d]", i), name, "every region once")
		}
		known[key] = true
	}
	for i, name := range writable {
		if !known[regionKey(name)] {
			return configError(fmt.Sprintf("WriteRegions[%d]", i), name, strings.Join(regions, ", "))
		}
		if slices.ContainsFunc(writable[:i], func(n string) bool { return regionKey(n) == regionKey(name) }) {
			return configError(fmt.Sprintf("WriteRegions[%d]", i), name, "every region once")
		}
	}
	return nil
}

func (c Container) validate(field string) error {
	switch {
	case c.Database == "" || strings.ContainsAny(c.Database, `/\?#`):
		return configError(field+".Database", c.Database, `a name without / \ ? #`)
	case c.ID == "" || strings.ContainsAny(c.ID, `/\?#`):
		return configError(field+".ID", c.ID, `a name without / \ ? #`)
	case c.Partitions < 1 || c.Partitions > maxPartitions:
		return configError(field+".Partitions", c.Partitions, fmt.Sprintf("1 to %d", maxPartitions))
	case c.HashVersion != 1 && c.HashVersion != 2:
		return configError(field+".HashVersion", c.HashVersion, "1 or 2")
	case len(c.PartitionKey) > 1 && c.HashVersion != 2:
		return configError(field+".HashVersion", c.HashVersion, "2 for a hierarchical partition key")
	case len(c.PartitionKey) > 3:
		return configError(field+".PartitionKey", c.PartitionKey, "1 to 3 paths")
	}
	for _, path := range c.PartitionKey {
		if len(path) < 2 || path[0] != '/' || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
			return configError(field+".PartitionKey", path, `paths like "/pk" or "/address/zip"`)
		}
	}
	return nil
}

func configError(field string, value any, allowed string) error {
	return fmt.Errorf("cosmostest: Config.%s is %q; allowed: %s", field, fmt.Sprint(value), allowed)
}
