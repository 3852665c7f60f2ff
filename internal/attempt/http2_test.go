package attempt_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
)

// The frames of HTTP/2 that break things, see RFC 9113, section 6.
const (
	frameHeaders   = 0x1
	frameReset     = 0x3
	frameSettings  = 0x4
	frameGoAway    = 0x7
	flagAck        = 0x1
	flagEndHeaders = 0x4

	internalError   = 0x2
	refusedStream   = 0x7
	enhanceYourCalm = 0xb
)

// conn2 is the server's side of a connection that speaks HTTP/2 by hand.
type conn2 struct{ *tls.Conn }

func (c conn2) write(kind, flags byte, stream uint32, payload []byte) {
	frame := make([]byte, 9, 9+len(payload))
	frame[0], frame[1], frame[2] = byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload))
	frame[3], frame[4] = kind, flags
	binary.BigEndian.PutUint32(frame[5:], stream)
	_, _ = c.Write(append(frame, payload...))
}

// request reads up to the next request, and returns its stream.
func (c conn2) request() (stream uint32, err error) {
	for {
		var header [9]byte
		if _, err := io.ReadFull(c, header[:]); err != nil {
			return 0, err
		}
		length := int64(header[0])<<16 | int64(header[1])<<8 | int64(header[2])
		if _, err := io.CopyN(io.Discard, c, length); err != nil {
			return 0, err
		}
		if header[3] == frameHeaders {
			return binary.BigEndian.Uint32(header[5:]), nil
		}
	}
}

func (c conn2) resetStream(stream, code uint32) {
	c.write(frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code))
}

func (c conn2) goAway(last, code uint32) {
	c.write(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), code))
}

// answer sends ":status: 200", which HPACK's static table has as entry 8.
func (c conn2) answer(stream uint32) { c.write(frameHeaders, flagEndHeaders, stream, []byte{0x88}) }

// serve2 runs a server that answers each request by hand.
func serve2(t *testing.T, handle func(c conn2, stream uint32)) (*http.Client, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.EnableHTTP2 = true
	server.StartTLS()
	server.Config.ErrorLog = quiet
	config := server.TLS.Clone()
	server.Close()
	endpoint := listenTLS(t, config, func(c net.Conn) {
		defer c.Close()
		if _, err := io.ReadFull(c, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
			return
		}
		h := conn2{c.(*tls.Conn)}
		h.write(frameSettings, 0, 0, nil)
		h.write(frameSettings, flagAck, 0, nil)
		for {
			stream, err := h.request()
			if err != nil {
				return
			}
			handle(h, stream)
		}
	})
	return newTransport(t, server, nil), "https://" + endpoint
}

func TestHTTP2FailuresMayHaveBeenSent(t *testing.T) {
	for _, f := range []struct {
		fault
		handle func(c conn2, stream uint32)
	}{
		{fault{name: "RST_STREAM"}, func(c conn2, stream uint32) { c.resetStream(stream, internalError) }},
		{fault{name: "RST_STREAM in the answer"}, func(c conn2, stream uint32) {
			c.answer(stream)
			c.resetStream(stream, internalError)
		}},
		{fault{name: "GOAWAY with an error"}, func(c conn2, stream uint32) {
			c.goAway(stream, internalError)
			_ = c.CloseWrite()
		}},
		{fault{name: "GOAWAY without an error, and no answer"}, func(c conn2, stream uint32) {
			c.goAway(stream, 0)
			_ = c.CloseWrite()
		}},
		{fault{name: "GOAWAY in the answer"}, func(c conn2, stream uint32) {
			c.answer(stream)
			c.goAway(stream, enhanceYourCalm)
			_ = c.CloseWrite()
		}},
		{fault{name: "nonsense"}, func(c conn2, stream uint32) { c.write(frameHeaders, flagEndHeaders, stream, []byte{0xff, 0xff, 0xff}) }},
	} {
		for _, method := range []string{"GET", "POST", "PATCH"} {
			f.method, f.want = method, broken
			if method != "GET" {
				f.body = `{"id":"i"}`
			}
			f.client = func(t *testing.T) (*http.Client, string) { return serve2(t, f.handle) }
			t.Run(method+" "+f.name, f.check)
		}
	}
}

// TestHTTP2TransportRetriesWithTheWholeBody: streams that the server surely has
// not looked at are sent again by the transport itself, which asks the request
// for its body anew.
func TestHTTP2TransportRetriesWithTheWholeBody(t *testing.T) {
	refused := 0
	client, endpoint := serve2(t, func(c conn2, stream uint32) {
		if refused++; refused <= 2 {
			c.resetStream(stream, refusedStream)
			return
		}
		c.answer(stream)
		c.write(0x0, 0x1, stream, []byte(`{}`)) // DATA, END_STREAM
	})
	p := &sender{timeouts: attempt.Timeouts{Point: patience}}
	resp, err := newPipeline(client, p).Do(newRequest(t, t.Context(), "POST", endpoint, `{"id":"i"}`))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v", resp, err)
	}
	if refused != 3 || len(p.ended) != 1 {
		t.Errorf("%d streams for %d attempts, want 3 for 1", refused, len(p.ended))
	}
}
