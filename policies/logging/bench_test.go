package logging_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/logging"
)

// BenchmarkObserve is the cost of an event in the observer's goroutine: of an
// operation that ends well, and of a failover in a storm.
func BenchmarkObserve(b *testing.B) {
	for name, e := range map[string]policies.Event{
		"completed": {Kind: policies.EventCompleted, Time: time.Now(), Region: "East US", Attempt: 1, Elapsed: time.Millisecond},
		"storm":     {Kind: policies.EventFailover, Time: time.Now(), Cause: policies.CauseServer, Region: "East US", Attempt: 1},
	} {
		b.Run(name, func(b *testing.B) {
			observer, err := logging.New(slog.New(slog.NewTextHandler(new(page), nil)), nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				observer.Observe(context.Background(), e)
			}
		})
	}
}
