package cosmostest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
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
		noError(s.t, sleep(s.t.Context(), time.Duration(s.rand.IntN(1500))*time.Millisecond))
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
	if err != nil && !strings.Contains(err.Error(), "all stopped") {
		s.t.Fatal(err)
	}
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

// outage stops a region or starts it, or moves the write region of the account or of a partition.
func (s *storm) outage() {
	region := s.region()
	switch s.rand.IntN(4) {
	case 0:
		noError(s.t, s.acct.Stop(region))
	case 1, 2:
		noError(s.t, s.acct.Start(region))
		if s.rand.IntN(3) == 0 {
			noError(s.t, s.acct.Failover(region))
		}
	default:
		noError(s.t, s.acct.Start(region))
		parts, err := s.acct.Partitions("db", "c")
		noError(s.t, err)
		noError(s.t, s.acct.FailoverPartition("db", "c", parts[s.rand.IntN(len(parts))].ID, region))
	}
}

// account compares what was acknowledged with what is there and what is told as lost.
func (s *storm) account(acknowledged map[string]bool) (kept, lost int) {
	s.t.Helper()
	there, gone := map[string]bool{}, map[string]bool{}
	items, err := s.acct.Items("db", "c", "")
	noError(s.t, err)
	for _, it := range items {
		there[it["id"].(string)] = true
	}
	list, err := s.acct.Conflicts("db", "c")
	noError(s.t, err)
	for _, c := range list {
		gone[c.Item["id"].(string)] = true
	}
	for id, ok := range acknowledged {
		if there[id] && gone[id] || ok && !there[id] && !gone[id] || !ok && there[id] {
			s.t.Errorf("write %s: acknowledged %t, there %t, told as lost %t", id, ok, there[id], gone[id])
		}
	}
	return len(there), len(gone)
}
