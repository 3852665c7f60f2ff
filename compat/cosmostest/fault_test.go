package cosmostest

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const docURL = "https://acct-eastus.documents.azure.com:443/dbs/db/colls/c/docs/1"

var keyA = map[string]string{headerPartitionKey: `["a"]`}

func TestFaultAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		html := "<html>"
		acct.SetFaults(
			Fault{Region: "west-us", Status: 500},
			Fault{Region: "*", Account: true, Status: 500},
			Fault{Region: "EASTUS", Range: "7", Status: 500},
			Fault{Region: "*", Status: 503, SubStatus: 21008, Header: http.Header{"retry-after": {"2"}}, Times: 1, Delay: time.Second},
			Fault{Region: "East US", Status: 404, HasSub: true, Body: &html, Times: 1},
			Fault{Region: "East US", Status: 410, Match: func(r *Request) bool { return strings.Contains(string(r.Body), "x") }},
		)
		start := time.Now()
		resp, err := signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil)
		noError(t, err)
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != 503 || resp.Header.Get("x-ms-substatus") != "21008" || resp.Header.Get("Retry-After") != "2" ||
			property(t, body, "code") != "ServiceUnavailable" || time.Since(start) != time.Second {
			t.Errorf("after %v: %d %v %s", time.Since(start), resp.StatusCode, resp.Header, body)
		}
		for _, h := range []string{headerRangeID, headerSession, headerCharge, "Etag"} {
			if resp.Header.Get(h) != "" {
				t.Errorf("a fault answer has the header %s", h)
			}
		}
		resp, err = signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil)
		noError(t, err)
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 404 || resp.Header.Get("x-ms-substatus") != "0" || string(body) != html {
			t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
		}
		for _, body := range []string{"x", "y"} {
			resp, err = signed(t, acct, acct.Transport(), "PUT", docURL, keyA, []byte(body))
			noError(t, err)
			if want := map[string]int{"x": 410, "y": 400}[body]; resp.StatusCode != want {
				t.Errorf("body %s: status %d, want %d", body, resp.StatusCode, want)
			}
		}
		if hits := acct.FaultHits(); !slices.Equal(hits, []int{0, 0, 0, 1, 1, 1}) {
			t.Errorf("hits %v", hits)
		}
	})
}

// TestTransportFaults checks that every fault looks as it does over a network.
func TestTransportFaults(t *testing.T) {
	for fault, check := range map[TransportFault]func(error) bool{
		Refused: func(err error) bool {
			opErr, ok := errors.AsType[*net.OpError](err)
			return ok && opErr.Op == "dial" && errors.Is(err, syscall.ECONNREFUSED)
		},
		DNS: func(err error) bool {
			dnsErr, ok := errors.AsType[*net.DNSError](err)
			return ok && dnsErr.IsNotFound && dnsErr.Name == "acct-eastus.documents.azure.com"
		},
		TLS: func(err error) bool {
			_, ok := errors.AsType[*tls.CertificateVerificationError](err)
			return ok
		},
		Reset: func(err error) bool {
			opErr, ok := errors.AsType[*net.OpError](err)
			return ok && opErr.Op == "read" && errors.Is(err, syscall.ECONNRESET)
		},
		EOF:          func(err error) bool { return errors.Is(err, io.EOF) },
		ResetMidBody: func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		Blackhole:    func(err error) bool { return errors.Is(err, context.DeadlineExceeded) },
	} {
		t.Run(fault.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := New(t, oneContainer())
				acct.SetFaults(Fault{Region: "East US", Transport: fault})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				body := &countingBody{Reader: strings.NewReader(strings.Repeat("x", 2*bodyPrefix))}
				req, _ := http.NewRequestWithContext(ctx, "POST", docURL, body)
				_, err := acct.Transport().Do(req)
				if urlErr, ok := errors.AsType[*url.Error](err); !ok || urlErr.Op != "Post" || !check(err) {
					t.Errorf("error %v (%T)", err, errors.Unwrap(err))
				}
				want := 2 * bodyPrefix
				switch {
				case fault.notSent():
					want = 0
				case fault == ResetMidBody:
					want = bodyPrefix
				}
				if body.n != want || !body.closed {
					t.Errorf("read %d bytes, closed %v; want %d and true", body.n, body.closed, want)
				}
				if log := acct.Requests(); len(log) != 1 || log[0].Transport != fault || log[0].Status != 0 || log[0].Canceled != (fault == Blackhole) {
					t.Errorf("log %+v", log)
				}
			})
		})
	}
}

type countingBody struct {
	io.Reader
	n      int
	closed bool
}

func (b *countingBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.n += n
	return n, err
}

func (b *countingBody) Close() error {
	b.closed = true
	return nil
}

func TestTruncated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		acct.SetFaults(Fault{Region: "*", Transport: Truncated})
		resp, err := signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil)
		noError(t, err)
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) || int64(len(body)) >= resp.ContentLength {
			t.Errorf("status %d, %d of %d bytes, %v", resp.StatusCode, len(body), resp.ContentLength, err)
		}
	})
}

// TestApplied: the write happens, and its answer is lost.
func TestApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		acct.SetFaults(Fault{Region: "*", Transport: Reset, Applied: true, Times: 1})
		url := strings.TrimSuffix(docURL, "/1")
		if _, err := signed(t, acct, acct.Transport(), "POST", url, keyA, []byte(`{"id":"1","pk":"a"}`)); !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("error %v, want a reset", err)
		}
		resp, err := signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil)
		noError(t, err)
		if resp.StatusCode != 200 {
			t.Errorf("status %d: the write was not applied", resp.StatusCode)
		}
	})
}
