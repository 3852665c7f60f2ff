package telemetry_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/telemetry"
)

// hostile makes events in which everything that callers and servers decide is
// new each time.
func hostile(i int) []policies.Event {
	e := policies.Event{
		Operation: "read", Collection: fmt.Sprintf("dbs/db/colls/c%d", i), Partition: fmt.Sprint(i),
		Region: fmt.Sprintf("acct-%d.documents.azure.com:443", i), Target: fmt.Sprintf("Region %d", i),
		Status: 429, SubStatus: i, Cause: policies.CauseThrottling, Attempt: i%100 + 1, Charge: float64(i),
		Failed: true, Reason: fmt.Sprintf("secret-%d", i),
	}
	var events []policies.Event
	for _, kind := range []policies.EventKind{
		policies.EventRetry, policies.EventFailover, policies.EventGaveUp, policies.EventCompleted, policies.EventBudgetRefused, policies.EventLetterLost,
		policies.EventBreakerOpened, policies.EventBreakerProbing, policies.EventBreakerClosed, policies.EventMarked, policies.EventOverrideMoved, policies.EventRefreshed,
	} {
		e.Kind = kind
		events = append(events, e)
	}
	return events
}

func TestLabelsAreBounded(t *testing.T) {
	observer, reader := newObserver(t, &telemetry.Options{MaxCollections: 3})
	for i := range 20_000 {
		for _, e := range hostile(i) {
			observer.Observe(t.Context(), e)
		}
	}
	// Containers, regions and sub-statuses grow together here: the longest list
	// decides how many combinations there are before all are "other".
	const most = 96 + 1
	for name, m := range collect(t, reader) {
		series := points(m)
		if len(series) > most {
			t.Errorf("%s has %d series, want %d at most", name, len(series), most)
		}
		containers := map[string]bool{}
		for labels := range series {
			for _, leak := range []string{"secret", "acct-", "documents", "cosmosretry.partition"} {
				if strings.Contains(labels, leak) {
					t.Fatalf("%s{%s} must not have %q", name, labels, leak)
				}
			}
			if _, rest, ok := strings.Cut(labels, "db.collection.name="); ok {
				collection, _, _ := strings.Cut(rest, ",")
				containers[collection] = true
			}
		}
		if len(containers) > 4 || len(containers) > 0 && !containers["other"] {
			t.Errorf("%s has the containers %v, want three and others", name, containers)
		}
	}
}

func TestLabelsOfOddEvents(t *testing.T) {
	for name, test := range map[string]struct {
		e    policies.Event
		want string
	}{
		"nothing":           {policies.Event{}, ""},
		"escaped container": {policies.Event{Operation: "upsert", Collection: "dbs/my%20db/colls/gr%C3%BCn"}, "db.collection.name=grün,db.namespace=my db,db.operation.name=upsert_item"},
		"broken escape":     {policies.Event{Collection: "dbs/%zz/colls/c"}, "db.collection.name=c,db.namespace=%zz"},
		"no container path": {policies.Event{Collection: "docs"}, "db.collection.name=other"},
		"new operation":     {policies.Event{Operation: "hedge"}, "db.operation.name=other"},
		"metadata":          {policies.Event{Operation: "metadata replace"}, "db.operation.name=replace_metadata"},
		"status":            {policies.Event{Status: 7, Failed: true}, "db.response.status_code=other,error.type=other"},
		"no answer":         {policies.Event{Failed: true, Cause: policies.CauseTimeout}, "error.type=timeout"},
		"no idea":           {policies.Event{Failed: true}, "error.type=_OTHER"},
		"host":              {policies.Event{Region: "localhost:8081"}, "cosmosretry.region=unknown"},
		"not modified":      {policies.Event{Status: 304}, "db.response.status_code=304"},
	} {
		t.Run(name, func(t *testing.T) {
			observer, reader := newObserver(t, nil)
			test.e.Kind = policies.EventCompleted
			observer.Observe(t.Context(), test.e)
			wantPoints(t, reader, "db.client.operation.duration", map[string]float64{test.want: 0})
		})
	}
}

func TestAccountReadsAreNoOperations(t *testing.T) {
	observer, reader := newObserver(t, nil)
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventCompleted, Operation: "account read", Attempt: 3})
	observer.Observe(t.Context(), policies.Event{Kind: policies.EventFailover, Operation: "account read", Region: "acct.documents.azure.com:443", Target: "West US"})
	metrics := collect(t, reader)
	if len(metrics) != 2 {
		t.Errorf("got %v, want the retry and the failover", metrics)
	}
	wantPoints(t, reader, "cosmosretry.retries", map[string]float64{
		"cosmosretry.cause=none,cosmosretry.kind=failover,cosmosretry.region=unknown,db.operation.name=read_account": 1,
	})
}

func TestObserveConcurrentSafe(t *testing.T) {
	observer, reader := newObserver(t, &telemetry.Options{MaxCollections: 2000})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 150 {
				for _, e := range hostile(i) {
					observer.Observe(t.Context(), e)
				}
			}
		})
	}
	all.Wait()
	total := 0.0
	for _, p := range points(collect(t, reader)["cosmosretry.gave_up"]) {
		total += p.value
	}
	if total != 8*150 {
		t.Errorf("counted %v, want %d", total, 8*150)
	}
}
