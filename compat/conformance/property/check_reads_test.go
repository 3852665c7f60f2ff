package property

import (
	"fmt"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// checkReads makes sure that 403/3, 403/1008 and unreachable endpoints refresh the topology no more often than the
// specification allows: one fetch per refresh interval, unless it fails, and each fetch asks every endpoint once.
func checkReads(o *outcome) []string {
	if o.world.cold || o.world.together {
		return nil // azcosmos reads the account by itself until it succeeds; together, nobody knows who asked
	}
	interval := span(o.world.settings.Regions.RefreshInterval, 5*time.Second)
	if interval == 0 && o.accountReads > 0 {
		return []string{fmt.Sprintf("%d account reads, refreshes are switched off", o.accountReads)}
	}
	fetches := 1 // the one that the script before left under way
	for i := range o.attempts {
		switch c := o.cause(&o.attempts[i]); {
		case c == backend, c == either, c == generic && o.attempts[i].Status == 403, o.attempts[i].Transport != cosmostest.NoTransportFault:
			fetches++
		}
	}
	var problems []string
	if most := fetches * (1 + len(allRegions)); o.accountReads > most {
		problems = append(problems, fmt.Sprintf("%d account reads, at most %d fetches were asked for", o.accountReads, fetches))
	}
	told := len(o.reads) - o.readsBefore
	if most := 2 + int(o.elapsed/max(interval, 1)); told > min(most, fetches) {
		problems = append(problems, fmt.Sprintf("the account told its topology %d times in %v, once in %v is allowed", told, o.elapsed, interval))
	}
	return problems
}
