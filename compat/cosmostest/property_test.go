package cosmostest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// storm drives an account at random, the same for the same seed.
type storm struct {
	t       *testing.T
	acct    *Account
	rand    *rand.Rand
	regions []string
	n       int // of the last write
}

func newStorm(t *testing.T, seed uint64, cfg *Config) *storm {
	acct := New(t, cfg)
	return &storm{t: t, acct: acct, rand: rand.New(rand.NewPCG(seed, 1)), regions: acct.Config().Regions}
}

func (s *storm) region() string { return s.regions[s.rand.IntN(len(s.regions))] }

// send sends a request to a region and returns the status with the sub-status, the session token and the body's n.
func (s *storm) send(region, method, key, id, token, body string) (status, session string, n float64) {
	s.t.Helper()
	header := map[string]string{headerPartitionKey: `["` + key + `"]`, headerTentative: "true"}
	if token != "" {
		header[headerSession] = token
	}
	url := s.acct.RegionEndpoint(region) + "dbs/db/colls/c/docs"
	var payload []byte
	if method == "POST" {
		header["X-Ms-Documentdb-Is-Upsert"] = "True"
		payload = []byte(body)
	} else {
		url += "/" + id
	}
	resp, err := signed(s.t, s.acct, s.acct.Transport(), method, url, header, payload)
	noError(s.t, err)
	if resp.StatusCode == 200 && method == "GET" {
		n, _ = property(s.t, readBody(s.t, resp), "n").(float64)
	}
	return fmt.Sprint(resp.StatusCode, "/", resp.Header.Get(headerSubStatus)), resp.Header.Get(headerSession), n
}

// write upserts or deletes an item in a region.
func (s *storm) write(region, key, id string) (status, session string, n int) {
	s.n++
	if s.rand.IntN(6) == 0 {
		status, session, _ = s.send(region, "DELETE", key, id, "", "")
		return status, session, 0
	}
	status, session, _ = s.send(region, "POST", key, id, "", fmt.Sprintf(`{"id":%q,"pk":%q,"n":%d}`, id, key, s.n))
	return status, session, s.n
}

// weather changes how regions replicate.
func (s *storm) weather() {
	from, to := s.region(), s.region()
	if from == to {
		return
	}
	switch s.rand.IntN(6) {
	case 0:
		noError(s.t, s.acct.PauseReplication(from, to))
	case 1, 2:
		noError(s.t, s.acct.ResumeReplication(from, to))
	case 3:
		noError(s.t, s.acct.SetReplicationLag(from, to, time.Duration(s.rand.IntN(3000))*time.Millisecond))
	default:
		time.Sleep(time.Duration(s.rand.IntN(1500)) * time.Millisecond)
	}
}

// reshape splits or merges partitions.
func (s *storm) reshape() {
	parts, err := s.acct.Partitions("db", "c")
	noError(s.t, err)
	i := s.rand.IntN(len(parts))
	if len(parts) < 5 || i == 0 {
		_, err = s.acct.Split("db", "c", parts[i].ID)
	} else {
		_, err = s.acct.Merge("db", "c", parts[i-1].ID, parts[i].ID)
	}
	noError(s.t, err)
}

// same fails the test unless all regions have the same items.
func (s *storm) same() {
	s.t.Helper()
	want, err := s.acct.Items("db", "c", s.regions[0])
	noError(s.t, err)
	for _, region := range s.regions[1:] {
		got, err := s.acct.Items("db", "c", region)
		noError(s.t, err)
		byID := func(a, b map[string]any) int {
			return strings.Compare(fmt.Sprint(a["pk"], a["id"]), fmt.Sprint(b["pk"], b["id"]))
		}
		slices.SortFunc(want, byID)
		slices.SortFunc(got, byID)
		if !reflect.DeepEqual(got, want) {
			s.t.Fatalf("%s has\n%v\n%s has\n%v", region, got, s.regions[0], want)
		}
	}
}

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
			if s.acct.store.busy.Load() || len(s.acct.store.graves) > 0 {
				t.Error("something is left when all has arrived")
			}
		})
	}
	if conflicts < 100 {
		t.Errorf("only %d conflicts", conflicts)
	}
}
