package policies_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// recorder is an observer that keeps what it is told. Read it after
// synctest.Wait.
type recorder struct{ events []policies.Event }

func (r *recorder) Observe(_ context.Context, e policies.Event) { r.events = append(r.events, e) }

func (r *recorder) kinds(without ...policies.EventKind) []policies.EventKind {
	var kinds []policies.EventKind
	for _, e := range r.events {
		if !slices.Contains(without, e.Kind) && !strings.HasPrefix(e.Operation, "account") {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func TestEventsTellEachDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer := new(recorder)
		container, _ := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}})
		account.SetFaults(
			cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused, Times: 2},
			cosmostest.Fault{Region: "West US", Status: 429, Header: http.Header{"X-Ms-Retry-After-Ms": {"50"}}, Times: 1},
			cosmostest.Fault{Region: "West US", Status: 404, SubStatus: 1002, Times: 1},
		)
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := []policies.EventKind{policies.EventLocalRetry, policies.EventFailover, policies.EventRetry, policies.EventSessionRetry, policies.EventCompleted}
		got := observer.kinds(policies.EventMarked, policies.EventUnmarked)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, e := range observer.events {
			switch e.Kind {
			case policies.EventFailover:
				if e.Region != "East US" || e.Target != "West US" || e.Cause != policies.CauseConnection || e.Attempt != 2 || e.Reason == "" {
					t.Errorf("failover: %+v", e)
				}
			case policies.EventRetry:
				if e.Region != "West US" || e.Wait != 50*time.Millisecond || e.Status != 429 || e.Cause != policies.CauseThrottling {
					t.Errorf("retry: %+v", e)
				}
			case policies.EventCompleted:
				if e.Operation == "read" && (e.Failed || e.Status != 200 || e.Attempt != 5 || e.Charge <= 0 || e.Elapsed != 50*time.Millisecond) {
					t.Errorf("completed: %+v", e)
				}
			}
		}
	})
}

func TestGivingUpIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer := new(recorder)
		container, _ := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}})
		account.SetFaults(cosmostest.Fault{Region: "*", Status: 500})
		if err := read(t.Context(), container); err == nil {
			t.Fatal("got a success")
		}
		synctest.Wait()
		got := observer.kinds()
		want := []policies.EventKind{policies.EventFailover, policies.EventFailover, policies.EventFailover, policies.EventGaveUp, policies.EventCompleted}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		last := observer.events[len(observer.events)-1]
		if !last.Failed || last.Status != 500 || last.Attempt != 4 || last.Reason == "" {
			t.Errorf("completed: %+v", last)
		}
	})
}

func TestPanickingObserverHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		bad := policies.ObserverFunc(func(context.Context, policies.Event) { panic("observer") })
		container, set := newClient(t, account, &policies.Options{Observers: []policies.Observer{bad}})
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		if err := read(t.Context(), container); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if set.Dropped() == 0 {
			t.Error("the panics were not counted")
		}
	})
}

func TestBudgetRefusesAtOnceWithTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		budget, err := policies.NewBudget(&policies.BudgetOptions{Ratio: -1, MinPerSecond: -1})
		if err != nil {
			t.Fatal(err)
		}
		observer := new(recorder)
		container, set := newClient(t, account, &policies.Options{Budget: budget, Observers: []policies.Observer{observer}})
		if set.Budget() != budget {
			t.Error("the budget in force is not the one given")
		}
		for name, fault := range map[string]cosmostest.Fault{
			"failover": {Region: "*", Status: 503},
			"backend":  {Region: "*", Status: 403, SubStatus: 1008},
			"throttle": {Region: "*", Status: 429, Header: http.Header{"Retry-After": {"5"}}},
			"session":  {Region: "*", Status: 404, SubStatus: 1002},
		} {
			account.SetFaults(fault)
			account.ResetLog()
			start := time.Now()
			err := read(t.Context(), container)
			requests := 0
			for _, r := range account.Requests() {
				if !r.Account {
					requests++
				}
			}
			if e, ok := errors.AsType[*azcore.ResponseError](err); !ok || e.StatusCode != fault.Status || requests != 1 || time.Since(start) != 0 {
				t.Errorf("%s: got %d requests, %v after %v; want 1 and the %d at once", name, requests, err, time.Since(start), fault.Status)
			}
			if err != nil && !strings.Contains(err.Error(), "retry budget") {
				t.Errorf("%s: %q does not say that the retry budget is spent", name, err)
			}
		}
		synctest.Wait()
		if !slices.Contains(observer.kinds(), policies.EventBudgetRefused) {
			t.Error("nobody was told")
		}
	})
}

func TestDiagnosticsOnSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		container, _ := newClient(t, account, nil)
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		var d policies.Diagnostics
		if err := read(policies.WithDiagnostics(t.Context(), &d), container); err != nil {
			t.Fatal(err)
		}
		if d.Operations() != 1 || len(d.Attempts()) != 2 || !slices.Equal(d.Regions(), []string{"East US", "West US"}) || d.Charge() <= 0 {
			t.Errorf("got %v", &d)
		}
		if a := d.Attempts()[1]; a.Reason == "" || a.Status != 200 || d.Attempts()[0].Reason != "" {
			t.Errorf("got %+v: want the reason of the second attempt", d.Attempts())
		}
		if s := d.String(); !strings.Contains(s, "2 attempts of 1 operation") || !strings.Contains(s, "East US: 503") {
			t.Errorf("got %q", s)
		}
	})
}

func TestProfilesKeepTheirObjective(t *testing.T) {
	faults := map[string]cosmostest.Fault{
		"silence":    {Region: "*", Transport: cosmostest.Blackhole},
		"throttling": {Region: "*", Status: 429, Header: http.Header{"X-Ms-Retry-After-Ms": {"400"}}},
		"failures":   {Region: "*", Status: 503, Delay: 300 * time.Millisecond},
		"topology":   {Region: "*", Status: 403, SubStatus: 1008},
		"refusal":    {Region: "*", Transport: cosmostest.Refused},
		"retry with": {Region: "*", Status: 449},
	}
	for _, profile := range []policies.Profile{policies.Interactive, policies.Background} {
		for name, fault := range faults {
			t.Run(profile.Name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					account := newAccount(t)
					container, _ := newClient(t, account, nil)
					if err := read(t.Context(), container); err != nil {
						t.Fatal(err)
					}
					account.SetFaults(fault)
					start := time.Now()
					err := read(policies.WithProfile(t.Context(), profile), container)
					if took := time.Since(start); err == nil || took > profile.Objective {
						t.Errorf("got %v after %v, want an error within %v", err, took, profile.Objective)
					}
				})
			})
		}
	}
}

// shelf keeps letters in memory.
type shelf struct {
	letters []policies.Letter
	err     error
}

func (s *shelf) Keep(_ context.Context, l policies.Letter) error {
	if s.err != nil {
		return s.err
	}
	s.letters = append(s.letters, l)
	return nil
}

func TestWritesThatGaveUpAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		kept := new(shelf)
		observer := new(recorder)
		container, _ := newClient(t, account, &policies.Options{DeadLetters: kept, Observers: []policies.Observer{observer}})
		create := func(id string) error {
			_, err := container.CreateItem(t.Context(), azcosmos.NewPartitionKeyString("a"), []byte(`{"id":"`+id+`","pk":"a"}`), nil)
			return err
		}
		account.SetFaults(cosmostest.Fault{Region: "*", Status: 503})
		if err := create("1"); err == nil {
			t.Fatal("got a success")
		}
		account.SetFaults(cosmostest.Fault{Region: "*", Status: 400})
		if err := create("2"); err == nil {
			t.Fatal("got a success")
		}
		if len(kept.letters) != 1 {
			t.Fatalf("kept %d letters, want 1: a refused write is no letter", len(kept.letters))
		}
		l := kept.letters[0]
		if l.Operation != "create" || string(l.Body) != `{"id":"1","pk":"a"}` || l.Path != "/dbs/db/colls/c/docs" || l.Status != 503 || l.Attempts != 4 || !l.MayHaveRun {
			t.Errorf("got %+v", l)
		}
		if l.Header.Get("x-ms-documentdb-partitionkey") != `["a"]` || l.Header.Get("Authorization") != "" {
			t.Errorf("header %v: want the partition key and no credential", l.Header)
		}
		kept.err = errors.New("disk full")
		account.SetFaults(cosmostest.Fault{Region: "*", Status: 503})
		if err := create("3"); err == nil {
			t.Fatal("got a success")
		}
		synctest.Wait()
		if !slices.Contains(observer.kinds(), policies.EventLetterLost) {
			t.Error("nobody was told that a letter was lost")
		}
	})
}

func TestSharedStateIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		observer := new(recorder)
		container, _ := newClient(t, account, &policies.Options{Observers: []policies.Observer{observer}})
		if err := read(t.Context(), container); err != nil { // learns the partition
			t.Fatal(err)
		}
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		for range 10 {
			if err := read(t.Context(), container); err != nil {
				t.Fatal(err)
			}
		}
		account.SetFaults()
		time.Sleep(8 * time.Second)
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		account.SetFaults(cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused})
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		account.SetFaults()
		time.Sleep(61 * time.Second)
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := []policies.EventKind{policies.EventBreakerOpened, policies.EventBreakerProbing, policies.EventBreakerClosed, policies.EventMarked, policies.EventUnmarked}
		got := observer.kinds(policies.EventCompleted, policies.EventFailover, policies.EventLocalRetry)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, e := range observer.events {
			if e.Kind == policies.EventBreakerOpened && (e.Region != "East US" || e.Partition != "0" || e.Operation != "reads" || e.Collection != "dbs/db/colls/c") {
				t.Errorf("breaker opened: %+v", e)
			}
		}
	})
}

func TestUnhealthyListsOpenBreakers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := newAccount(t)
		container, set := newClient(t, account, nil)
		if err := read(t.Context(), container); err != nil {
			t.Fatal(err)
		}
		if got := set.Unhealthy(); len(got) != 0 {
			t.Errorf("got %+v while all is well", got)
		}
		account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
		for range 10 {
			if err := read(t.Context(), container); err != nil {
				t.Fatal(err)
			}
		}
		got := set.Unhealthy()
		if len(got) != 1 || got[0].State != "open" || got[0].Region != "East US" || got[0].Partition != "0" || got[0].Failures != 10 || time.Until(got[0].NextProbe) < 5*time.Second {
			t.Errorf("got %+v, want partition 0 open in East US", got)
		}
	})
}
