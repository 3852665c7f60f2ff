package storm

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// TestService pins what the service does with a request, by how far it is behind.
func TestService(t *testing.T) {
	const served = http.StatusUnauthorized // the account finds no signature
	const unit = 10 * time.Millisecond
	tests := []struct {
		name    string
		behind  time.Duration
		trouble bool
		status  int // 0: none, until the client gives up after 2 s
		takes   time.Duration
		work    time.Duration
	}{
		{"idle", 0, false, served, latency + unit, unit},
		{"behind", 100 * time.Millisecond, false, served, 100*time.Millisecond + latency + unit, unit},
		{"in trouble", 0, true, served, latency + 4*unit, 4 * unit},
		{"throttling", throttles, false, http.StatusTooManyRequests, latency, unit / 2},
		{"refusing", refuses, false, http.StatusServiceUnavailable, latency, unit / 2},
		{"refusing in trouble", refuses, true, http.StatusServiceUnavailable, latency, 2 * unit},
		{"drowning", drowns, false, 0, 2 * time.Second, unit / 2},
		{"overflowing", overflows, false, 0, 2 * time.Second, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				now := time.Now()
				s := &service{account: cosmostest.New(t, nil).Transport(), unit: unit, slow: 4, seen: func() {}, free: now.Add(tt.behind)}
				if tt.trouble {
					s.trouble = window{now, now.Add(time.Minute)}
				}
				status := ask(t, s)
				if took := time.Since(now); status != tt.status || took != tt.takes {
					t.Errorf("got %d after %v, want %d after %v", status, took, tt.status, tt.takes)
				}
				if work := s.free.Sub(now) - tt.behind; work != tt.work {
					t.Errorf("it cost %v, want %v", work, tt.work)
				}
			})
		})
	}
}

// ask reads an item, and waits for 2 s at most.
func ask(t *testing.T, s *service) (status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://acct-eastus.documents.azure.com:443/dbs/shop/colls/orders/docs/1", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
