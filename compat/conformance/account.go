package conformance

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// The account of every case is called acct and has one container, partitioned by /pk.
const (
	accountName = "acct"
	databaseID  = "db"
	containerID = "c"
	keyField    = "pk"
)

// needsItem are the operations that find nothing to do without an item of their partition key.
var needsItem = []string{"read", "upsert", "replace", "patch", "delete", "query", "queryAcross"}

// newAccount builds the account of a case, with as many physical partitions as the case talks of.
func newAccount(spec *caseSpec) (*cosmostest.Account, error) {
	config := &cosmostest.Config{
		Name:        accountName,
		Consistency: "Session",
		Containers: []cosmostest.Container{{
			Database: databaseID, ID: containerID, PartitionKey: []string{"/" + keyField}, Partitions: spec.partitions(),
		}},
	}
	spec.Account.apply(config)
	return cosmostest.NewAccount(config)
}

// partitions tells how many physical partitions the container needs for every range of the case to exist.
func (c *caseSpec) partitions() int {
	highest := 1
	for _, step := range c.Steps {
		ranges := []string{step.Range}
		for _, fault := range step.Faults {
			ranges = append(ranges, fault.Range)
		}
		for _, id := range ranges {
			if number, err := strconv.Atoi(id); err == nil {
				highest = max(highest, number)
			}
		}
	}
	return highest + 1
}

// apply changes the fields of the account that the case names.
func (a *accountSpec) apply(config *cosmostest.Config) {
	if a.Regions != nil {
		config.Regions = slices.Clone(a.Regions)
	}
	if a.Write != nil {
		config.WriteRegions = slices.Clone(a.Write)
	}
	if a.MultiWrite != nil {
		config.MultiWrite = *a.MultiWrite
	}
	if a.PPAF != nil {
		config.PPAF = *a.PPAF
	}
}

// prepare makes the account ready for a run of the step: what changes about it, where the partition key lives, the item
// that the operation needs, and the faults, whose counters start again.
func (s *stepSpec) prepare(account *cosmostest.Account) error {
	if s.Account != nil {
		if err := s.Account.update(account); err != nil {
			return fmt.Errorf("account: %w", err)
		}
	}
	if err := account.Place(databaseID, containerID, s.PK, s.Range); err != nil {
		return fmt.Errorf("place %v in range %s: %w", s.PK, s.Range, err)
	}
	if slices.Contains(needsItem, s.Do) {
		if err := account.Seed(databaseID, containerID, s.fields(itemID)); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	var faults []cosmostest.Fault
	for i := range s.Faults {
		faults = append(faults, s.Faults[i].fault())
	}
	account.SetFaults(faults...)
	return nil
}

// fault says to the account what the case says.
func (f *faultSpec) fault() cosmostest.Fault {
	fault := cosmostest.Fault{
		Region: f.At, Account: f.On == "account", Range: f.Range,
		Status: f.Status, Body: f.Body, Delay: time.Duration(f.Delay),
		Transport: f.Transport,
	}
	if f.Times != nil {
		fault.Times = *f.Times
	}
	if f.SubStatus != nil {
		fault.SubStatus, fault.HasSub = *f.SubStatus, true
	}
	if f.Headers != nil {
		fault.Header = http.Header{}
		for _, name := range slices.Sorted(maps.Keys(f.Headers)) {
			fault.Header.Set(name, f.Headers[name])
		}
	}
	return fault
}
