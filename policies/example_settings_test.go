package policies_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// Settings come from JSON, or from code. What they leave open, the environment
// fills, and then the defaults.
func ExampleParseSettings() {
	settings, err := policies.ParseSettings([]byte(`{
		"failover": {"maxRetries": 2, "attemptTimeout": {"point": "3s"}},
		"throttle": {"maxRetries": -1},
		"regions":  {"excluded": ["West Europe"]},
		"budget":   {"ratio": 0.1}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("failovers:", settings.Failover.MaxRetries)
	fmt.Println("time for one request:", settings.Failover.AttemptTimeout.Point)
	fmt.Println("throttled:", settings.Throttle.MaxRetries, "(off)")
	fmt.Println("session retries:", settings.Session.MaxRetries, "(the default)")
	// Output:
	// failovers: 2
	// time for one request: 3s
	// throttled: -1 (off)
	// session retries: 0 (the default)
}

// A wrong field or value is an error that names it, and what is allowed.
func ExampleParseSettings_errors() {
	for _, document := range []string{
		`{"failover": {"maxRetry": 2}}`,
		`{"failover": {"maxRetries": 2.5}}`,
		`{"throttle": {"maxWait": 30}}`,
		`{"budget": {"window": "1h"}}`,
		`{"breaker": {"unavailableFor": "-1s"}}`,
	} {
		_, err := policies.ParseSettings([]byte(document))
		fmt.Println(err)
	}
	// Output:
	// settings: failover.maxRetry does not exist: want attemptTimeout, backend, localRetries, maxRetries
	// settings: failover.maxRetries is 2.5: want a whole number
	// settings: throttle.maxWait is 30: want a duration in quotes, such as "1m30s"
	// settings: budget.window is 1h0m0s: want 1s to 1m (0 for the default)
	// settings: breaker.unavailableFor is -1s: want 1ms to 24h (0 for the default)
}

// The limits of a program that runs are changed for the operations that start
// later.
func ExampleSet_Apply() {
	account := openShop("apply")
	orders, set := openOrders(account, nil)
	account.SetFaults(cosmostest.Fault{Status: 503})

	fmt.Println("requests by default:", attempts(readOrder(context.Background(), orders)))
	if err := set.Apply(&policies.Settings{Failover: policies.FailoverSettings{MaxRetries: 1}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("with one failover:", attempts(readOrder(context.Background(), orders)))
	if err := set.Apply(&policies.Settings{Failover: policies.FailoverSettings{MaxRetries: -1}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("with failover off:", attempts(readOrder(context.Background(), orders)))
	// Output:
	// requests by default: 4
	// with one failover: 2
	// with failover off: 1
}

// What is in force, and what of it somebody has set.
func ExampleSet_InForce() {
	_, set := openOrders(openShop("inforce"), &policies.Options{Settings: &policies.Settings{
		Throttle: policies.ThrottleSettings{MaxRetries: 5},
		Regions:  policies.RegionSettings{Preferred: []string{"West US", "East US"}},
	}})
	for _, s := range set.InForce() {
		if s.Set {
			fmt.Printf("%s = %s, by default %s: %s\n", s.Path, s.Value, s.Default, s.Meaning)
		}
	}
	// Output:
	// throttle.maxRetries = 5, by default 9: retries after 429, per visit to a region
	// regions.preferred = ["West US","East US"], by default those of the client options: regions in the order in which to use them
}

// Each policy can be used alone, with the numbers of the settings.
func ExampleSettings() {
	settings := &policies.Settings{Throttle: policies.ThrottleSettings{MaxRetries: 5}}
	fmt.Println(settings.ThrottleOptions().MaxRetries) // for throttle.New
	// Output:
	// 5
}
