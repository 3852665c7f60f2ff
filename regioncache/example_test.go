package regioncache_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/regioncache"
)

// documentOf is what the service answers to GET / for an account with these
// regions, the first of which takes the writes.
func documentOf(regions ...string) []byte {
	var locations []string
	for _, name := range regions {
		host := "acct-" + strings.ToLower(strings.ReplaceAll(name, " ", "")) + ".documents.azure.com"
		locations = append(locations, fmt.Sprintf(`{"name": %q, "databaseAccountEndpoint": "https://%s:443/"}`, name, host))
	}
	return fmt.Appendf(nil, `{"writableLocations": [%s], "readableLocations": [%s]}`, locations[0], strings.Join(locations, ","))
}

// exampleCache is a cache that knows an account of three regions.
func exampleCache(o *regioncache.Options) *regioncache.Cache {
	cache, err := regioncache.New("https://acct.documents.azure.com:443/", o)
	if err != nil {
		panic(err)
	}
	if err := cache.Learn(documentOf("East US", "West US", "North Europe"), time.Now()); err != nil {
		panic(err)
	}
	return cache
}

// Regions come in the order of preference, spelled in any way.
func ExampleNew() {
	cache := exampleCache(&regioncache.Options{
		PreferredRegions: []string{"north-europe", "westus"},
		ExcludedRegions:  []string{"West US"},
	})
	for _, region := range cache.Snapshot().Reads() {
		fmt.Println("reads: ", region.Name)
	}
	for _, region := range cache.Snapshot().Writes() {
		fmt.Println("writes:", region.Name)
	}
	// Output:
	// reads:  North Europe
	// reads:  East US
	// writes: East US
}

// An operation can stay out of regions that others use.
func ExampleWithExcludedRegions() {
	cache := exampleCache(nil)
	ctx := regioncache.WithExcludedRegions(context.Background(), "East US")
	for _, c := range cache.Explain(ctx, "dbs/shop/colls/orders", `["a"]`, false).Candidates {
		fmt.Printf("%s, excluded: %t\n", c.Region, c.Excluded)
	}
	// Output:
	// West US, excluded: false
	// North Europe, excluded: false
	// East US, excluded: true
}

// A refresh asks the global endpoint first, then one region after the other.
func ExampleCache_Refresh() {
	cache := exampleCache(&regioncache.Options{
		Account: func(_ context.Context, endpoint string) ([]byte, error) {
			fmt.Println("asked", endpoint)
			if !strings.Contains(endpoint, "westus") {
				return nil, fmt.Errorf("%s is down", endpoint)
			}
			return documentOf("West US", "North Europe"), nil
		},
	})
	<-cache.Refresh()
	fmt.Println("writes now go to", cache.Snapshot().Writes()[0].Name)
	// Output:
	// asked https://acct.documents.azure.com:443/
	// asked https://acct-eastus.documents.azure.com:443/
	// asked https://acct-westus.documents.azure.com:443/
	// writes now go to West US
}

// A marked endpoint is tried last for a minute, or until it answers.
func ExampleCache_Marks() {
	cache := exampleCache(nil)
	cache.MarkUnavailable("acct-eastus.documents.azure.com:443")
	for _, m := range cache.Marks() {
		fmt.Printf("%s: %s for %v\n", m.Region, m.Reason, time.Until(m.Until).Round(time.Second))
	}
	// Output:
	// East US: unavailable for 1m0s
}

// After ten failed reads in a row, the partition's reads leave the region.
func ExampleCache_Unhealthy() {
	cache := exampleCache(nil)
	failReads(cache, 10) // through the failover policy
	for _, h := range cache.Unhealthy() {
		fmt.Printf("%s of partition %s in %s: %s after %d failures\n", h.Operation, h.Partition, h.Region, h.State, h.Failures)
	}
	// Output:
	// reads of partition 0 in East US: open after 10 failures
}
