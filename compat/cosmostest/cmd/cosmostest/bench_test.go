package main

import (
	"net/http"
	"sync"
	"testing"
)

// BenchmarkReads reads an item over a loopback connection, 32 requests at a time. The client is as small as it gets: one
// signature for all of them.
//
//	go test -run '^$' -bench Reads -benchtime 50000x ./compat/cosmostest/cmd/cosmostest
func BenchmarkReads(b *testing.B) {
	for name, args := range map[string][]string{"HTTP2": nil, "HTTP1": {"-http1"}, "plain": {"-plain"}} {
		b.Run(name, func(b *testing.B) {
			p := start(b, args...)
			p.manage("POST", "/seed", item, nil)
			client := p.client()
			client.Transport.(*http.Transport).MaxIdleConnsPerHost = 32
			req := p.readRequest()
			want(b, "the status", send(client, req.Clone(b.Context())), http.StatusOK)

			var workers sync.WaitGroup
			tickets := make(chan struct{})
			for range 32 {
				workers.Go(func() {
					for range tickets {
						if status := send(client, req.Clone(b.Context())); status != http.StatusOK {
							b.Errorf("status %d, want 200", status)
						}
					}
				})
			}
			for b.Loop() {
				tickets <- struct{}{}
			}
			close(tickets)
			workers.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}
