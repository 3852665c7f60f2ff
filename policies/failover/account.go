package failover

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// readAccount serves the client's own account read. azcosmos holds a lock over
// it that every operation needs, so it is neither waited for nor repeated in
// one place: each host is asked once, for 5 s at most, and account reads that
// meet share one.
func (o *operation) readAccount() (*http.Response, error) {
	var own *http.Response
	document, err := o.cache.SharedAccountRead(o.state.Context(), func() (document []byte, err error) {
		own, document, err = o.askForAccount()
		return document, err
	})
	o.state.Learned = true
	switch {
	case err != nil && o.state.Context().Err() != nil:
		return nil, o.state.Interrupted()
	case err != nil:
		return nil, err
	case own != nil:
		return own, nil
	}
	return o.accountResponse(document), nil
}

// askForAccount asks one host after the other until one tells a topology.
func (o *operation) askForAccount() (resp *http.Response, document []byte, err error) {
	s := o.state
	u := o.req.Raw().URL
	reason := "no endpoint of the account could tell its regions"
	var unusable *http.Response
	for _, host := range o.cache.AccountHosts(u.Scheme, u.Host) {
		runtime.Drain(resp)
		s.Choose(host.Target())
		asked := time.Now()
		resp, err = s.Send(o.req, &o.options.AttemptTimeout, nil)
		if ended := s.Context().Err(); ended != nil {
			return nil, nil, ended
		}
		if err == nil && resp.StatusCode == http.StatusOK {
			if document, err = o.learnAccount(resp, asked); err == nil {
				return resp, document, nil
			}
			if unusable == nil && json.Valid(document) {
				unusable = resp
			}
			resp, reason = nil, "the account document cannot be used"
			continue
		}
		last := s.Last()
		if last.Class == attempt.Failed && !last.Sent {
			o.cache.MarkUnavailable(host.Host)
		}
		if last.Class == attempt.Refused || last.Class == attempt.Answered && !elsewhere(last) {
			return nil, nil, s.GiveUp(resp, err, "every endpoint of the account would say the same", false, 0)
		}
	}
	if unusable != nil && o.cache.Snapshot() == nil {
		// Nothing to route by; but the client may know what to do with it, and
		// then goes to the endpoint that it was made with.
		document, err = runtime.Payload(unusable)
		return unusable, document, err
	}
	return nil, nil, s.GiveUp(resp, err, reason, true, 0)
}

func (o *operation) learnAccount(resp *http.Response, asked time.Time) ([]byte, error) {
	document, err := runtime.Payload(resp)
	if err != nil {
		return nil, err
	}
	return document, o.cache.Learn(document, asked)
}

// elsewhere reports whether another endpoint may answer an account read better.
func elsewhere(o attempt.Outcome) bool {
	switch o.Status {
	case http.StatusRequestTimeout, http.StatusGone, http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		return o.SubStatus == wire.SubStatusAccountNotFound
	}
	return o.Status >= http.StatusInternalServerError
}

// accountResponse answers an account read with what is known already.
func (o *operation) accountResponse(document []byte) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          seekable{bytes.NewReader(document)},
		ContentLength: int64(len(document)),
		Request:       o.req.Raw(),
	}
}

type seekable struct{ io.ReadSeeker }

func (seekable) Close() error { return nil }
