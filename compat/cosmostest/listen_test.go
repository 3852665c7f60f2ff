package cosmostest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

var protocols = []struct {
	name    string
	options *ListenOptions
	proto   string
}{
	{"HTTP2", nil, "HTTP/2.0"},
	{"HTTP1", &ListenOptions{HTTP1Only: true}, "HTTP/1.1"},
	{"plain", &ListenOptions{PlainHTTP: true}, "HTTP/1.1"},
}

// listening is an account on loopback listeners, and a client of it.
func listening(t *testing.T, o *ListenOptions) (*Account, *http.Client) {
	t.Helper()
	acct := New(t, oneContainer())
	noError(t, acct.Listen(o))
	client := acct.Client()
	t.Cleanup(client.CloseIdleConnections)
	return acct, client
}

// TestListenItems does over real connections what TestItems does in process.
func TestListenItems(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			acct, client := listening(t, p.options)
			exerciseItems(t, newContainerClient(t, acct, client))
			for _, r := range acct.Requests() {
				if r.Proto != p.proto || r.Status == 0 {
					t.Errorf("logged %+v, want %s", r, p.proto)
				}
			}
		})
	}
}

func TestListenStopStart(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			acct, client := listening(t, p.options)
			url := acct.RegionEndpoint("East US") + "dbs/db/colls/c/docs/1"
			for range 3 {
				resp, err := signed(t, acct, client, "GET", url, keyA, nil)
				noError(t, err)
				drain(resp)
				noError(t, acct.Stop("east us"))
				if _, err := signed(t, acct, client, "GET", url, keyA, nil); !errors.Is(err, syscall.ECONNREFUSED) {
					t.Fatalf("stopped: error %v, want refused", err)
				}
				if resp, err := signed(t, acct, client, "GET", acct.Endpoint(), nil, nil); err != nil {
					t.Fatalf("the global endpoint stopped, too: %v", err)
				} else {
					drain(resp)
				}
				noError(t, acct.Start("East US"))
			}
			resp, err := signed(t, acct, client, "GET", url, keyA, nil)
			noError(t, err)
			drain(resp)
		})
	}
}

// TestListenStopCuts: a request under way when its region stops fails at once.
func TestListenStopCuts(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			acct, client := listening(t, p.options)
			arrived := make(chan struct{})
			acct.SetFaults(Fault{Region: "*", Transport: Blackhole, Match: func(*Request) bool { close(arrived); return true }})
			done := make(chan error)
			go func() {
				_, err := signed(t, acct, client, "GET", acct.RegionEndpoint("East US")+"dbs/db/colls/c/docs/1", keyA, nil)
				done <- err
			}()
			<-arrived
			acct.SetFaults()
			noError(t, acct.Stop("East US"))
			if err := <-done; err == nil {
				t.Error("the request survived its region")
			}
		})
	}
}

// connectionChecks are what a client sees of each fault. plain: without TLS; http1: without HTTP/2.
func connectionChecks(plain, http1 bool) map[TransportFault]func(error) bool {
	return map[TransportFault]func(error) bool{
		Refused: func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) },
		DNS: func(err error) bool {
			_, ok := errors.AsType[*net.DNSError](err)
			return ok
		},
		TLS: func(err error) bool {
			_, ok := errors.AsType[*tls.CertificateVerificationError](err)
			return ok || plain && err != nil
		},
		Reset:        func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		EOF:          func(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) },
		ResetMidBody: func(err error) bool { return err != nil },
		Blackhole:    func(err error) bool { return errors.Is(err, context.Canceled) },
		GoAway: func(err error) bool {
			return http1 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) || !http1 && strings.Contains(err.Error(), errGoAway.Error())
		},
		StreamReset: func(err error) bool {
			return http1 && errors.Is(err, syscall.ECONNRESET) || !http1 && strings.Contains(err.Error(), "INTERNAL_ERROR; received from peer")
		},
	}
}

func TestListenTransportFaults(t *testing.T) {
	for _, p := range protocols {
		for fault, check := range connectionChecks(p.name == "plain", p.name != "HTTP2") {
			t.Run(p.name+"/"+fault.String(), func(t *testing.T) {
				acct, client := listening(t, p.options)
				url := acct.RegionEndpoint("East US") + "dbs/db/colls/c/docs"
				warm, err := signed(t, acct, client, "GET", url+"/1", keyA, nil)
				noError(t, err)
				drain(warm)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				f := Fault{Region: "East US", Transport: fault, Times: 1}
				if fault == Blackhole { // wait for what never comes until the request has arrived
					f.Match = func(*Request) bool { cancel(); return true }
				}
				acct.SetFaults(f)
				req, _ := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(make([]byte, 1<<20)))
				if _, err := client.Do(req); !check(err) {
					t.Errorf("error %v", err)
				}
				resp, err := signed(t, acct, client, "GET", url+"/1", keyA, nil)
				if err != nil {
					t.Fatalf("after the fault: %v", err)
				}
				drain(resp)
				noError(t, acct.Close()) // waits for the handlers, which complete the log
				if log := acct.Requests(); len(log) < 2 || log[1].Transport != fault {
					t.Errorf("log %v, want the fault in entry 1", log)
				}
			})
		}
	}
}

func TestListenTruncated(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			acct, client := listening(t, p.options)
			acct.SetFaults(Fault{Region: "*", Transport: Truncated})
			resp, err := signed(t, acct, client, "GET", acct.RegionEndpoint("East US")+"dbs/db/colls/c/docs/1", keyA, nil)
			noError(t, err)
			body, err := io.ReadAll(resp.Body)
			if resp.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) || int64(len(body)) >= resp.ContentLength {
				t.Errorf("status %d, %d of %d bytes, %v", resp.StatusCode, len(body), resp.ContentLength, err)
			}
		})
	}
}

// TestListenEarly: the answer comes although most of the request body does not.
func TestListenEarly(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			acct, client := listening(t, p.options)
			empty := ""
			acct.SetFaults(Fault{Region: "*", Status: 503, Early: true, Body: &empty})
			body, stuck := io.Pipe()
			defer stuck.Close()
			req, _ := http.NewRequestWithContext(t.Context(), "POST", acct.RegionEndpoint("West US")+"dbs/db/colls/c/docs", body)
			req.ContentLength = 1 << 20
			resp, err := client.Do(req)
			noError(t, err)
			drain(resp)
			if log := acct.Requests(); resp.StatusCode != 503 || log[0].Body != nil || log[0].Region != "West US" {
				t.Errorf("status %d, log %+v", resp.StatusCode, log)
			}
		})
	}
}
