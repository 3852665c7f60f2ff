package cosmostest

import (
	"fmt"
	"slices"
)

// Failover makes a region the write region of the account, and the hub. On an account with one write region the old one
// answers writes with 403/3 from now on, the new one takes them, and account reads tell of it after
// [Config.TopologyDelay]. The new region catches up first, whatever the lag; when the old one is stopped, what that has
// not sent is lost, and [Account.Conflicts] has it once the region is started again. On an account with several write
// regions, all of them go on to take writes; the hub is the one that takes those of metadata. A region that the account
// does not have or that is stopped is an error; the hub itself is none.
func (a *Account) Failover(to string) error {
	if !a.reachable(to) {
		return fmt.Errorf("cosmostest: failover: region %q is stopped", to)
	}
	return a.reshape(func(c *Config) error {
		i := indexRegion(c.Regions, to)
		if i < 0 {
			return fmt.Errorf("cosmostest: failover: no region %q; allowed: one of %q", to, c.Regions)
		}
		hub := c.Regions[i]
		if !c.MultiWrite && len(c.WriteRegions) == 1 {
			c.WriteRegions = []string{hub}
			return nil
		}
		c.WriteRegions = append([]string{hub}, without(c.WriteRegions, to)...)
		return nil
	})
}

// AddRegion adds a readable region to the account, which has a copy of all that the hub has; on accounts with
// [Config.MultiWrite] it takes writes, too. Account reads tell of it after [Config.TopologyDelay]. A region that the
// account has already is an error. On an account that listens, the region gets a listener of its own.
func (a *Account) AddRegion(name string) error {
	return a.reshape(func(c *Config) error {
		if indexRegion(c.Regions, name) >= 0 {
			return fmt.Errorf("cosmostest: add region: the account has %q already", name)
		}
		c.Regions = append(c.Regions, name)
		if c.MultiWrite {
			c.WriteRegions = append(c.WriteRegions, name)
		}
		return nil
	})
}

// RemoveRegion takes a region away from the account: requests to it get 403/1008 from now on, and account reads tell of
// it after [Config.TopologyDelay]. What it has not sent to the others is sent first, or lost when it is stopped. The only
// write region is an error, move it with [Account.Failover] first; so is a region that the account does not have.
func (a *Account) RemoveRegion(name string) error {
	return a.reshape(func(c *Config) error {
		if indexRegion(c.Regions, name) < 0 {
			return fmt.Errorf("cosmostest: remove region: no region %q; allowed: one of %q", name, c.Regions)
		}
		c.Regions, c.WriteRegions = without(c.Regions, name), without(c.WriteRegions, name)
		if len(c.WriteRegions) == 0 {
			return fmt.Errorf("cosmostest: remove region: %q is the only write region", name)
		}
		return nil
	})
}

// reshape changes the regions of the account; change gets lists with the defaults filled in. Account reads tell it later.
func (a *Account) reshape(change func(*Config) error) error {
	return a.update(func(c *Config) error {
		full := c.withDefaults()
		c.Regions, c.WriteRegions = slices.Clone(full.Regions), slices.Clone(full.WriteRegions)
		return change(c)
	}, a.top.Load().cfg.TopologyDelay)
}

// without is a list of regions without one of them.
func without(regions []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(regions), func(other string) bool { return regionKey(other) == regionKey(name) })
}

// indexRegion finds a region by its name.
func indexRegion(regions []string, name string) int {
	return slices.IndexFunc(regions, func(other string) bool { return regionKey(other) == regionKey(name) })
}
