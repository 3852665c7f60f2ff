package cosmostest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestThousandAccounts: accounts leave nothing behind.
func TestThousandAccounts(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 1000 {
		acct, err := NewAccount(&Config{Name: fmt.Sprint("acct-", i), Containers: oneContainer().Containers})
		noError(t, err)
		noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"}))
		resp, err := signed(t, acct, acct.Transport(), "GET", acct.RegionEndpoint("West US")+"dbs/db/colls/c/docs/1", keyA, nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		noError(t, acct.Close())
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

// TestDeterministic: the same requests at the same times get the same answers, to the byte.
func TestDeterministic(t *testing.T) {
	run := func() (log []string) {
		synctest.Test(t, func(t *testing.T) {
			cfg := &Config{MultiWrite: true, ReplicationLag: time.Second, Seed: 7}
			cfg.Containers = []Container{{Database: "db", ID: "c", Partitions: 3, Throughput: 300, DefaultTTL: 5}}
			s := newStorm(t, 1, cfg)
			s.acct.SetFaults(Fault{Region: "*", Status: 503, Probability: 0.1})
			for range 300 {
				s.write(s.region(), fmt.Sprint("k", s.rand.IntN(9)), "1")
				s.weather()
			}
			for _, r := range s.acct.Requests() {
				log = append(log, fmt.Sprint(r.Time.UnixNano(), r))
			}
			for _, region := range s.regions {
				items, err := s.acct.Items("db", "c", region)
				noError(t, err)
				log = append(log, fmt.Sprint(items))
			}
			list, err := s.acct.Conflicts("db", "c")
			noError(t, err)
			for _, c := range list {
				log = append(log, fmt.Sprint(c.ID, c.Region, c.Time, c.Item))
			}
		})
		return log
	}
	if first, second := run(), run(); !slices.Equal(first, second) {
		for i := range first {
			if i >= len(second) || first[i] != second[i] {
				t.Fatalf("line %d:\n%s\n%s", i, first[i], second[min(i, len(second)-1)])
			}
		}
	}
}

// TestSimulationConcurrentSafe: everything at once, under the race detector.
func TestSimulationConcurrentSafe(t *testing.T) {
	acct := New(t, &Config{MultiWrite: true, ReplicationLag: time.Millisecond, Containers: []Container{{Database: "db", ID: "c", Throughput: 1_000_000}}})
	regions := acct.Config().Regions
	pick := func() string { return regions[rand.IntN(len(regions))] }
	var group sync.WaitGroup
	for worker := range 6 {
		group.Go(func() {
			for i := range 30 {
				header := map[string]string{headerPartitionKey: fmt.Sprintf(`["%d"]`, i%5), headerTentative: "true", "X-Ms-Documentdb-Is-Upsert": "true"}
				url := acct.RegionEndpoint(pick()) + "dbs/db/colls/c/docs"
				_, _ = signed(t, acct, acct.Transport(), "POST", url, header, fmt.Appendf(nil, `{"id":"%d","pk":"%d"}`, worker, i%5))
				_, _ = signed(t, acct, acct.Transport(), "GET", url+"/1", header, nil)
				_, _ = signed(t, acct, acct.Transport(), "GET", url, nil, nil)
			}
		})
	}
	for _, work := range operators(acct, pick) {
		group.Go(func() {
			for range 15 {
				work()
			}
		})
	}
	group.Wait()
	for _, region := range regions {
		noError(t, acct.Start(region))
	}
	noError(t, acct.ResumeReplication("*", "*"))
	acct.Replicate()
	(&storm{t: t, acct: acct, regions: regions}).same()
}

// operators are people who do all that can be done to an account. What one does may fail, for what another one does at
// the same time.
func operators(acct *Account, pick func() string) []func() {
	return []func(){
		func() { _ = acct.Stop(pick()); _ = acct.Start(pick()) },
		func() { _ = acct.PauseReplication(pick(), pick()); _ = acct.ResumeReplication("*", "*") },
		func() { _ = acct.SetReplicationLag("*", pick(), time.Duration(rand.IntN(1000))*time.Microsecond) },
		func() { _ = acct.Failover(pick()) },
		func() { _ = acct.AddRegion("UK South"); _ = acct.RemoveRegion("UK South") },
		func() {
			parts, _ := acct.Partitions("db", "c")
			_, _ = acct.Split("db", "c", parts[0].ID)
			_, _ = acct.Merge("db", "c", parts[0].ID, parts[len(parts)-1].ID)
		},
		func() {
			rule, err := acct.AddFault(Fault{Region: pick(), Status: 503, Probability: 0.5})
			if err == nil {
				rule.Disable()
				rule.Remove()
			}
		},
		func() { acct.SetFaults(Fault{Region: pick(), Transport: Reset}); acct.FaultHits(); acct.SetFaults() },
		func() { _, _ = acct.Items("db", "c", pick()); _, _ = acct.Conflicts("db", "c"); acct.Requests() },
		func() { _ = acct.Update(func(c *Config) error { c.PPAF = !c.PPAF; return nil }) },
		func() { _ = acct.Seed("db", "c", map[string]any{"id": "s", "pk": "1"}); acct.Replicate() },
	}
}
