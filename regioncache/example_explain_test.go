package regioncache_test

import (
	"context"
	"fmt"
)

// Where would a read of this key go now, and why?
func ExampleCache_Explain() {
	cache := exampleCache(nil)
	failReads(cache, 10) // of the partition, in East US
	cache.MarkUnavailable("acct-westus.documents.azure.com:443")

	e := cache.Explain(context.Background(), "dbs/d/colls/c", `["a"]`, false)
	fmt.Println("partition", e.Partition)
	for i, c := range e.Candidates {
		fmt.Printf("%d. %s: breaker %s", i+1, c.Region, c.Breaker)
		if c.Marked != "" {
			fmt.Printf(", endpoint %s", c.Marked)
		}
		fmt.Println()
	}
	// Output:
	// partition 0
	// 1. North Europe: breaker closed
	// 2. East US: breaker open
	// 3. West US: breaker closed, endpoint unavailable
}
