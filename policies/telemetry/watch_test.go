package telemetry_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/tracing"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

func TestWatchReportsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer, reader := newObserver(t, nil)
		budget, err := policies.NewBudget(&policies.BudgetOptions{Ratio: -1, MinPerSecond: 3})
		if err != nil {
			t.Fatal(err)
		}
		panics := policies.ObserverFunc(func(context.Context, policies.Event) { panic("observer") })
		options := &policies.Options{Budget: budget, Observers: []policies.Observer{observer, panics}}
		container, set := newClient(t, account, options, tracing.Provider{})
		_, idle := newClient(t, account, options, tracing.Provider{})
		stop, stopIdle := observer.Watch(set), observer.Watch(idle)
		observer.Watch(set) // what is watched twice counts once
		observer.WatchBudget(budget)
		observer.WatchCache(set.Cache())

		account.SetFaults(cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused})
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		missed := float64(set.Dropped())
		if missed == 0 {
			t.Fatal("the panics were not counted")
		}
		wantPoints(t, reader, "azure.cosmosdb.client.active_instance.count", map[string]float64{"": 2})
		wantPoints(t, reader, "cosmosretry.budget.left", map[string]float64{"": 28})
		wantPoints(t, reader, "cosmosretry.events.dropped", map[string]float64{"": missed})
		wantPoints(t, reader, "cosmosretry.endpoint.marks", map[string]float64{"cosmosretry.region=East US": 1})
		wantPoints(t, reader, "cosmosretry.endpoint.marked", map[string]float64{
			"cosmosretry.region=East US": 1, "cosmosretry.region=West US": 0, "cosmosretry.region=North Europe": 0,
		})
		stop()
		stop()
		stopIdle()
		wantPoints(t, reader, "azure.cosmosdb.client.active_instance.count", map[string]float64{"": 1})
		wantPoints(t, reader, "cosmosretry.events.dropped", map[string]float64{"": missed}) // must not fall
	})
}

func TestOverridesAreWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := cosmostest.New(t, &cosmostest.Config{PPAF: true, Containers: []cosmostest.Container{{Database: "db", ID: "c"}}})
		observer, reader := newObserver(t, nil)
		container, set := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}}, tracing.Provider{})
		observer.Watch(set)
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		if err := create(t.Context(), container, "1"); err != nil {
			t.Fatal(err)
		}
		wantPoints(t, reader, "cosmosretry.ppaf.overrides", map[string]float64{
			"cosmosretry.region=East US": 0, "cosmosretry.region=West US": 1, "cosmosretry.region=North Europe": 0,
		})
		wantPoints(t, reader, "cosmosretry.ppaf.moves", map[string]float64{
			"cosmosretry.region=West US,db.collection.name=c,db.namespace=db,db.operation.name=writes": 1,
		})
	})
}

func TestNothingIsWatchedByDefault(t *testing.T) {
	observer, reader := newObserver(t, nil)
	observer.Watch(nil)()
	observer.WatchBudget(nil)()
	observer.WatchCache(nil)()
	if got := collect(t, reader); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
	budget, err := policies.NewBudget(nil)
	if err != nil {
		t.Fatal(err)
	}
	observer.WatchBudget(budget)
	if got := collect(t, reader); len(got) != 1 {
		t.Errorf("got %v, want the budget", got)
	}
	if err := observer.Close(); err != nil {
		t.Fatal(err)
	}
	if got := points(collect(t, reader)["cosmosretry.budget.left"]); len(got) != 0 {
		t.Errorf("got %v after Close, want nothing", got)
	}
}
