package cosmostest

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// BenchmarkAccount makes an account with one container and closes it, as a test does.
func BenchmarkAccount(b *testing.B) {
	cfg := oneContainer()
	b.ReportAllocs()
	for b.Loop() {
		acct, err := NewAccount(cfg)
		if err != nil || acct.Close() != nil {
			b.Fatal(err)
		}
	}
}

// quiet is an account without a log, with one item.
func quiet(b *testing.B, change func(*Config)) *Account {
	cfg := &Config{LogLimit: -1, Containers: oneContainer().Containers}
	if change != nil {
		change(cfg)
	}
	acct := New(b, cfg)
	noError(b, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"}))
	return acct
}

// BenchmarkRead is a point read in process, signature check included.
func BenchmarkRead(b *testing.B) {
	for name, change := range map[string]func(*Config){
		"plain": nil,
		"every feature": func(c *Config) {
			c.ReplicationLag, c.PPAF, c.StrictPPAF = time.Second, true, true
			c.Containers[0].Throughput, c.Containers[0].DefaultTTL = 1_000_000_000, 1000
		},
	} {
		b.Run(name, func(b *testing.B) {
			acct := quiet(b, change)
			req, err := http.NewRequestWithContext(b.Context(), "GET", docURL, nil)
			noError(b, err)
			req.Header.Set(headerPartitionKey, `["a"]`)
			req.Header.Set(headerSession, "0:-1#100")
			noError(b, acct.Sign(req))
			transport := acct.Transport()
			b.ReportAllocs()
			for b.Loop() {
				resp, err := transport.Do(req)
				if err != nil || resp.StatusCode != 200 {
					b.Fatal(resp, err)
				}
			}
		})
	}
}

// BenchmarkUpsert is a point write in process with two other regions, at once and after a lag.
func BenchmarkUpsert(b *testing.B) {
	for _, lag := range []time.Duration{0, time.Millisecond} {
		b.Run(fmt.Sprint("lag ", lag), func(b *testing.B) {
			acct := quiet(b, func(c *Config) { c.ReplicationLag = lag })
			transport := acct.Transport()
			header := map[string]string{headerPartitionKey: `["a"]`, "X-Ms-Documentdb-Is-Upsert": "True"}
			url := acct.RegionEndpoint("East US") + "dbs/db/colls/c/docs"
			b.ReportAllocs()
			for b.Loop() {
				resp, err := signed(b, acct, transport, "POST", url, header, []byte(`{"id":"1","pk":"a"}`))
				if err != nil || resp.StatusCode != 200 {
					b.Fatal(resp, err)
				}
			}
		})
	}
}

// BenchmarkListen is point reads over loopback connections, many at a time.
func BenchmarkListen(b *testing.B) {
	for _, p := range protocols {
		b.Run(p.name, func(b *testing.B) {
			acct := quiet(b, nil)
			noError(b, acct.Listen(p.options))
			client := acct.Client()
			defer client.CloseIdleConnections()
			url := acct.RegionEndpoint("East US") + "dbs/db/colls/c/docs/1"
			b.SetParallelism(16)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					resp, err := signed(b, acct, client, "GET", url, keyA, nil)
					if err != nil || resp.StatusCode != 200 {
						b.Error(resp, err)
						return
					}
					drain(resp)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
