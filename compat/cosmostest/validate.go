package cosmostest

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

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
	if err := c.validateBehaviour(); err != nil {
		return err
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

func (c *Config) validateBehaviour() error {
	switch {
	case !slices.Contains(consistencyLevels, c.Consistency):
		return configError("Consistency", c.Consistency, strings.Join(consistencyLevels, ", "))
	case c.MultiWrite && c.Consistency == "Strong":
		return configError("Consistency", c.Consistency, "a weaker level on an account with several write regions")
	case c.ReplicationLag < 0:
		return configError("ReplicationLag", c.ReplicationLag, "0 and more")
	case c.TopologyDelay < 0:
		return configError("TopologyDelay", c.TopologyDelay, "0 and more")
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
	case c.Throughput < 0:
		return configError(field+".Throughput", c.Throughput, "0 and more")
	case c.DefaultTTL < -1:
		return configError(field+".DefaultTTL", c.DefaultTTL, "-1 and more")
	case c.ConflictPath != "" && (c.ConflictPath[0] != '/' || len(c.ConflictPath) < 2):
		return configError(field+".ConflictPath", c.ConflictPath, `a path like "/version"`)
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

// validate checks a fault.
func (f *Fault) validate() error {
	for _, n := range []struct {
		field string
		value int64
		most  int64
	}{
		{"Times", int64(f.Times), 0}, {"Skip", int64(f.Skip), 0}, {"Percent", int64(f.Percent), 100},
		{"Bandwidth", int64(f.Bandwidth), 0}, {"Status", int64(f.Status), 999}, {"SubStatus", int64(f.SubStatus), 0},
		{"After", int64(f.After), 0}, {"For", int64(f.For), 0}, {"Delay", int64(f.Delay), 0},
	} {
		switch {
		case n.most == 0 && n.value < 0:
			return faultError(n.field, n.value, "0 and more")
		case n.most > 0 && (n.value < 0 || n.value > n.most):
			return faultError(n.field, n.value, fmt.Sprintf("0 to %d", n.most))
		}
	}
	switch {
	case !(f.Probability >= 0 && f.Probability <= 1): // NaN, too
		return faultError("Probability", f.Probability, "0 to 1")
	case f.Status != 0 && f.Status < 200:
		return faultError("Status", f.Status, "0, or 200 to 999")
	case f.Transport < 0 || int(f.Transport) >= len(transportFaultNames):
		return faultError("Transport", f.Transport, strings.Join(transportFaultNames[1:], ", "))
	}
	for _, o := range f.Operations {
		if !slices.Contains(Operations(), o) {
			return faultError("Operations", o, fmt.Sprint(Operations()))
		}
	}
	return nil
}

func faultError(field string, value any, allowed string) error {
	return fmt.Errorf("cosmostest: Fault.%s is %q; allowed: %s", field, fmt.Sprint(value), allowed)
}
