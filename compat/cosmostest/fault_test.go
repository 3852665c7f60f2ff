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
			Fault{Region: "*", Status: 503, SubStatus: 21008, Header: http.Header{"retry-after": {"2"}}, Times: 1, Delay: time.Second},
			Fault{Region: "East US", Status: 404, HasSub: true, Body: &html},
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
	})
}

// TestFaultChoice: the first fault that matches and is not used up answers.
func TestFaultChoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		acct.SetFaults(
			Fault{Region: "west-us", Status: 500},
			Fault{Region: "*", Account: true, Status: 501},
			Fault{Region: "EASTUS", Range: "7", Status: 502},
			Fault{Region: "East US", Status: 503, Skip: 1, Times: 2},
			Fault{Region: "", Status: 410, Match: func(r *Request) bool { return strings.Contains(string(r.Body), "x") }},
			Fault{Region: "*", Delay: time.Hour},
		)
		global := acct.Endpoint() + "dbs/db/colls/c/docs/1"
		for i, tc := range []struct {
			url, body string
			want      int
			delay     time.Duration
		}{
			{docURL, "", 400, time.Hour}, // skipped, no match, and then a fault that only delays
			{docURL, "x", 503, 0},
			{docURL, "y", 503, 0},
			{docURL, "x", 410, 0},
			{global, "x", 410, 0},
			{global, "y", 400, 0},
		} {
			start := time.Now()
			resp, err := signed(t, acct, acct.Transport(), "PUT", tc.url, keyA, []byte(tc.body))
			noError(t, err)
			if resp.StatusCode != tc.want || time.Since(start) != tc.delay {
				t.Errorf("%d: status %d after %v, want %d after %v", i, resp.StatusCode, time.Since(start), tc.want, tc.delay)
			}
		}
		if hits := acct.FaultHits(); !slices.Equal(hits, []int{0, 0, 0, 2, 2, 1}) {
			t.Errorf("hits %v", hits)
		}
	})
}

// TestFaultTurns: Percent is spread evenly, After and For are a window in time.
func TestFaultTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		statuses := func(n int, step time.Duration) (out []int) {
			for range n {
				resp, err := signed(t, acct, acct.Transport(), "GET", docURL, keyA, nil)
				noError(t, err)
				out = append(out, resp.StatusCode)
				noError(t, sleep(t.Context(), step))
			}
			return out
		}
		acct.SetFaults(Fault{Region: "*", Status: 503, Percent: 40})
		if got, want := statuses(5, 0), []int{404, 404, 503, 404, 503}; !slices.Equal(got, want) {
			t.Errorf("40 percent: %v, want %v", got, want)
		}
		acct.SetFaults(Fault{Region: "*", Status: 503, After: time.Second, For: 2 * time.Second})
		if got, want := statuses(5, time.Second), []int{404, 503, 503, 404, 404}; !slices.Equal(got, want) {
			t.Errorf("from 1 s for 2 s: %v, want %v", got, want)
		}
	})
}

func TestNamedFaults(t *testing.T) {
	for _, name := range FaultNames() {
		if f, err := NamedFault(name); err != nil || f.silent() && f.Delay == 0 && f.Bandwidth == 0 {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	if f, err := NamedFault("leaseNotFound"); err != nil || f.Status != 410 || f.SubStatus != 1022 {
		t.Errorf("leaseNotFound: %+v, %v", f, err)
	}
	if _, err := NamedFault("flood"); err == nil || !strings.Contains(err.Error(), "throttled") {
		t.Errorf("error %v, want one that lists the names", err)
	}
}

func TestTransportFaultNames(t *testing.T) {
	for f := range StreamReset + 1 {
		var back TransportFault
		if text, _ := f.MarshalText(); back.UnmarshalText(text) != nil || back != f {
			t.Errorf("%d is %q and back %d", f, text, back)
		}
	}
	if err := new(TransportFault).UnmarshalText([]byte("flood")); err == nil || !strings.Contains(err.Error(), "blackhole") {
		t.Errorf("error %v, want one that lists the names", err)
	}
}

// transportChecks are what a client sees of each fault.
var transportChecks = map[TransportFault]func(error) bool{
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
	GoAway:       func(err error) bool { return strings.Contains(err.Error(), "GOAWAY") },
	StreamReset:  func(err error) bool { return strings.Contains(err.Error(), "INTERNAL_ERROR") },
}

// TestTransportFaults checks that every fault looks as it does over a network.
func TestTransportFaults(t *testing.T) {
	for fault, check := range transportChecks {
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
					t.Errorf("log %v", log)
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
		if items, err := acct.Items("db", "c", "north europe"); err != nil || len(items) != 1 || items[0]["id"] != "1" {
			t.Errorf("items %v, %v: the write was not applied", items, err)
		}
	})
}
