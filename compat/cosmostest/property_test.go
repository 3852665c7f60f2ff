package cosmostest

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// TestSessionGuarantee: whatever happens to partitions, write region and replication, a read with the session token of
// an earlier write or read never answers with something older.
func TestSessionGuarantee(t *testing.T) {
	served := 0
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			s := newStorm(t, seed, &Config{Containers: []Container{{Database: "db", ID: "c", Partitions: 2}}})
			hub, tokens, last := s.regions[0], map[string]string{}, map[string]int{}
			for range 200 {
				key := fmt.Sprint("k", s.rand.IntN(5))
				switch s.rand.IntN(10) {
				case 0, 1, 2:
					if status, token, n := s.write(hub, key, "1"); token != "" && status[0] == '2' {
						tokens[key], last[key] = token, n
					}
				case 3, 4, 5, 6:
					region := s.region()
					status, token, n := s.send(region, "GET", key, "1", tokens[key], "")
					if status == "404/1002" {
						continue
					}
					served++
					if int(n) != last[key] {
						t.Fatalf("seed %d: %s answers %s for %s with n %v, the session saw %d (token %s)", seed, region, status, key, n, last[key], tokens[key])
					}
					tokens[key] = token
				case 7:
					s.reshape()
				case 8:
					hub = s.region()
					noError(t, s.acct.Failover(hub))
				default:
					s.weather()
				}
			}
			s.acct.Replicate()
			s.same()
		})
	}
	if served < 2000 {
		t.Errorf("only %d reads were served", served)
	}
}

// TestConvergence: several write regions come to the same items, whatever the order in which writes arrive.
func TestConvergence(t *testing.T) {
	conflicts := 0
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			cfg := &Config{MultiWrite: true, Containers: []Container{{Database: "db", ID: "c", Partitions: 2}}}
			if seed%2 == 1 {
				cfg.Containers[0].ConflictPath = "/n"
			}
			s := newStorm(t, seed, cfg)
			for range 200 {
				switch s.rand.IntN(10) {
				case 0, 1, 2, 3, 4, 5:
					s.write(s.region(), fmt.Sprint("k", s.rand.IntN(3)), fmt.Sprint(s.rand.IntN(2)))
				case 6:
					s.reshape()
				case 7:
					region := s.region()
					noError(t, s.acct.Stop(region))
					s.weather()
					noError(t, s.acct.Start(region))
				default:
					s.weather()
				}
			}
			s.acct.Replicate()
			s.same()
			list, err := s.acct.Conflicts("db", "c")
			noError(t, err)
			conflicts += len(list)
			if s.acct.store.busy.Load() || len(s.acct.store.fresh)+len(s.acct.store.old) > 0 {
				t.Error("something is left when all has arrived")
			}
		})
	}
	if conflicts < 100 {
		t.Errorf("only %d conflicts", conflicts)
	}
}

// TestNoWriteVanishes: through outages, failovers and splits, every write that was acknowledged is in all regions or told
// as lost, and none is both.
func TestNoWriteVanishes(t *testing.T) {
	kept, lost := 0, 0
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			cfg := &Config{PPAF: true, StrictPPAF: true, Containers: []Container{{Database: "db", ID: "c", Partitions: 2}}}
			s := newStorm(t, seed, cfg)
			acknowledged := map[string]bool{}
			for range 150 {
				switch s.rand.IntN(10) {
				case 0, 1, 2, 3, 4:
					s.n++
					id, region := fmt.Sprint(s.n), s.region()
					body := fmt.Sprintf(`{"id":%q,"pk":"k%d"}`, id, s.n%5)
					if !s.acct.reachable(region) {
						continue
					}
					status, _, _ := s.send(region, "POST", fmt.Sprint("k", s.n%5), id, "", body)
					acknowledged[id] = status == "201/"
				case 5:
					s.outage()
				case 6:
					s.reshape()
				default:
					s.weather()
				}
			}
			for _, region := range s.regions {
				noError(t, s.acct.Start(region))
			}
			s.acct.Replicate()
			s.same()
			k, l := s.account(acknowledged)
			kept, lost = kept+k, lost+l
		})
	}
	if kept < 1000 || lost < 50 {
		t.Errorf("only %d writes were kept and %d lost", kept, lost)
	}
}
