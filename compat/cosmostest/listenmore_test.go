package cosmostest

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// TestListenOptions: another host, fixed ports, and what is refused.
func TestListenOptions(t *testing.T) {
	first, _ := listening(t, &ListenOptions{Host: "localhost"})
	if url := first.Endpoint(); !strings.HasPrefix(url, "https://localhost:") {
		t.Errorf("endpoint %s", url)
	}
	noError(t, get(t, first, first.RegionEndpoint("East US"))) // in process, with the advertised URL
	if err := first.Listen(nil); err == nil {
		t.Error("the account listened twice")
	}
	for _, o := range []*ListenOptions{{Port: -1}, {Port: 65536}} {
		if err := New(t, nil).Listen(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	_, port, _ := net.SplitHostPort(hostOf(first.Endpoint()))
	taken, _ := strconv.Atoi(port)
	if err := New(t, nil).Listen(&ListenOptions{Port: taken - 1}); err == nil {
		t.Error("a port that is taken was taken again")
	}
}

// TestListenForeignClient: a client that is not the account's own sees refused connections as resets, and a certificate
// that nobody it trusts has signed.
func TestListenForeignClient(t *testing.T) {
	acct, _ := listening(t, nil)
	foreign := &http.Client{Transport: &http.Transport{}}
	_, err := foreign.Get(acct.Endpoint())
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
		t.Errorf("error %v, want a certificate error", err)
	}
	acct.SetFaults(Fault{Region: "global", Account: true, Transport: Refused})
	if _, err := foreign.Get(acct.Endpoint()); err == nil || strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v, want a connection that is cut before the handshake", err)
	}
}

func TestListenUpdate(t *testing.T) {
	acct, client := listening(t, nil)
	west := acct.RegionEndpoint("West US")
	noError(t, acct.Update(func(c *Config) error {
		c.Regions = []string{"East US", "Japan East"}
		return nil
	}))
	for url, want := range map[string]int{acct.RegionEndpoint("Japan East"): 404, west: 403} {
		resp, err := signed(t, acct, client, "GET", url+"dbs/db/colls/c/docs/1", keyA, nil)
		noError(t, err)
		drain(resp)
		if resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", url, resp.StatusCode, want)
		}
	}
}

// TestCloseLeavesNothing: no goroutine of the account outlives Close, whatever was under way.
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	acct, err := NewAccount(oneContainer())
	noError(t, err)
	noError(t, acct.Listen(nil))
	client := acct.Client()
	c := newContainerClient(t, acct, client)
	_, err = c.ReadItem(t.Context(), azcosmos.NewPartitionKeyString("a"), "1", nil)
	wantStatus(t, err, 404)
	noError(t, acct.Stop("West US"))
	noError(t, acct.Close())
	noError(t, acct.Close())
	if err := acct.Start("West US"); err == nil {
		t.Error("a region of a closed account started")
	}
	client.CloseIdleConnections()
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}

func drain(resp *http.Response) {
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// TestListenNarrowReset: on HTTP/2 a reset that is limited to a partition leaves the others on the connection alone.
func TestListenNarrowReset(t *testing.T) {
	acct, client := listening(t, nil)
	noError(t, acct.Place("db", "c", "b", "1"))
	url := acct.RegionEndpoint("East US") + "dbs/db/colls/c/docs/1"
	arrived, release := make(chan struct{}), make(chan struct{})
	acct.SetFaults(
		Fault{Region: "*", Range: "1", Transport: Reset},
		Fault{Region: "*", Range: "0", Match: func(*Request) bool { close(arrived); <-release; return true }},
	)
	done := make(chan error)
	go func() {
		resp, err := signed(t, acct, client, "GET", url, keyA, nil)
		if err == nil {
			drain(resp)
		}
		done <- err
	}()
	<-arrived
	_, err := signed(t, acct, client, "GET", url, map[string]string{headerPartitionKey: `["b"]`}, nil)
	close(release)
	if err == nil {
		t.Error("partition 1 answered")
	}
	if err := <-done; err != nil {
		t.Errorf("partition 0: %v", err)
	}
}

// TestConcurrent drives everything at once; the race detector is the judge.
func TestConcurrent(t *testing.T) {
	acct, client := listening(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	each := func(work func()) {
		wg.Go(func() {
			for ctx.Err() == nil {
				work()
			}
		})
	}
	read := func(do func(*http.Request) (*http.Response, error)) func() {
		return func() {
			req, _ := http.NewRequestWithContext(ctx, "GET", acct.RegionEndpoint("West US")+"dbs/db/colls/c/docs/1", nil)
			req.Header.Set(headerPartitionKey, `["a"]`)
			noError(t, acct.Sign(req))
			if resp, err := do(req); err == nil {
				drain(resp)
			}
		}
	}
	each(read(client.Do))
	each(read(client.Do))
	each(read(acct.Transport().Do))
	each(func() { noError(t, acct.Stop("West US")); noError(t, acct.Start("West US")) })
	each(func() {
		acct.SetFaults(Fault{Region: "*", Transport: Reset, Times: 1}, Fault{Region: "West US", Transport: Refused, Times: 1})
	})
	each(func() { noError(t, acct.Update(func(c *Config) error { c.PPAF = !c.PPAF; return nil })) })
	each(func() { noError(t, acct.Seed("db", "c", map[string]any{"id": "1", "pk": "a"})) })
	each(func() { acct.Requests(); acct.ResetLog() })
	wg.Wait()
}
