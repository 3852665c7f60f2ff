package cosmostest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Transport is the account in process. It implements http.RoundTripper and azcore's policy.Transporter, starts no
// goroutine and holds no lock while it waits, so it may be used in a testing/synctest bubble. It is safe for concurrent
// use.
type Transport struct{ account *Account }

// Transport returns the in-process way to the account.
func (a *Account) Transport() *Transport { return &Transport{account: a} }

// Do is what http.Client.Do is over a network: errors are wrapped in a *url.Error.
func (t *Transport) Do(req *http.Request) (*http.Response, error) {
	resp, err := t.RoundTrip(req)
	if err != nil {
		op := req.Method[:1] + strings.ToLower(req.Method[1:])
		return nil, &url.Error{Op: op, URL: req.URL.Redacted(), Err: err}
	}
	return resp, nil
}

// RoundTrip is what http.Transport.RoundTrip is over a network. The whole request body is read before the answer,
// except when the request is not sent.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	ctx := req.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	region, reachable := t.account.locate(req.URL)
	x := t.account.begin(newRecord(req, region), func(n int64) ([]byte, error) { return readAll(req.Body, n) })
	x.bodyFirst = true
	if !reachable {
		fault := Refused
		if region == unknownName {
			fault = DNS
		}
		x.account.log.update(func() { x.rec.Transport = fault })
		return nil, fault.error(hostport(req.URL))
	}
	out := x.serve(ctx)
	switch {
	case out.err != nil:
		return nil, out.err
	case out.fault != NoTransportFault:
		return nil, out.fault.error(hostport(req.URL))
	}
	return out.answer.response(req), nil
}

// newRecord starts the log entry of a request.
func newRecord(req *http.Request, region string) *Request {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	return &Request{
		Region: region, Method: req.Method, Path: req.URL.EscapedPath(), Host: host,
		Header: req.Header.Clone(), Proto: req.Proto,
	}
}

func hostport(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return u.Host + ":443"
}

// readAll reads a body, or n bytes of it when n is not negative.
func readAll(r io.Reader, n int64) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	if n >= 0 {
		r = io.LimitReader(r, n)
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return body, fmt.Errorf("read request body: %w", err)
	}
	return body, nil
}

// response is the answer as an *http.Response to req.
func (ans *answer) response(req *http.Request) *http.Response {
	resp := &http.Response{
		Status:     fmt.Sprintf("%d %s", ans.status, http.StatusText(ans.status)),
		StatusCode: ans.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: ans.header, ContentLength: int64(len(ans.body)), Request: req,
	}
	switch {
	case len(ans.body) == 0 || req.Method == http.MethodHead:
		resp.Body = http.NoBody
	case ans.cut:
		resp.ContentLength += cutLength
		resp.Body = io.NopCloser(io.MultiReader(ans.reader(req.Context()), brokenOff{}))
	default:
		resp.Body = io.NopCloser(ans.reader(req.Context()))
	}
	resp.Header.Set("Content-Length", fmt.Sprint(resp.ContentLength))
	return resp
}

// cutLength is how many bytes of a truncated body are missing.
const cutLength = 256

// brokenOff is the end of a body that is shorter than its Content-Length.
type brokenOff struct{}

// Read fails as a connection does that ends in the middle of a body.
func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
