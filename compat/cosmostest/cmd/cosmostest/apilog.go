package main

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// logActions are those on the log of requests.
func (a *api) logActions() {
	a.handle("GET /requests", a.requests)
	a.handle("DELETE /requests", func(r *http.Request) (any, error) {
		if _, err := parameters(r); err != nil {
			return nil, err
		}
		a.account.ResetLog()
		return logState{Requests: []logEntry{}}, nil
	})
}

// logState is the answer to GET /requests.
type logState struct {
	Count    int        `json:"count"`
	Requests []logEntry `json:"requests"`
}

// logEntry is a request that arrived.
type logEntry struct {
	Time      time.Time                 `json:"time"`
	Region    string                    `json:"region"`
	Account   bool                      `json:"account,omitempty"`
	Method    string                    `json:"method,omitempty"`
	Path      string                    `json:"path,omitempty"`
	Operation cosmostest.Operation      `json:"operation,omitempty"`
	Database  string                    `json:"database,omitempty"`
	Container string                    `json:"container,omitempty"`
	Range     string                    `json:"range,omitempty"`
	Fault     string                    `json:"fault,omitempty"`
	Status    int                       `json:"status,omitempty"`
	SubStatus int                       `json:"subStatus,omitempty"`
	Transport cosmostest.TransportFault `json:"transport,omitzero"`
	Canceled  bool                      `json:"canceled,omitempty"`
	Proto     string                    `json:"proto,omitempty"`
	Headers   http.Header               `json:"headers,omitempty"` // only with full
	Body      string                    `json:"body,omitempty"`    // only with full
}

func newEntry(r cosmostest.Request, full bool) logEntry {
	e := logEntry{
		Time: r.Time.UTC(), Region: r.Region, Account: r.Account, Method: r.Method, Path: r.Path,
		Operation: r.Operation, Database: r.Database, Container: r.Container, Range: r.Range, Fault: r.Fault,
		Status: r.Status, SubStatus: r.SubStatus, Transport: r.Transport, Canceled: r.Canceled, Proto: r.Proto,
	}
	if full {
		e.Headers, e.Body = r.Header, string(r.Body)
	}
	return e
}

// filter chooses requests. The zero value chooses all.
type filter struct {
	since                time.Time // only after it
	region, method, path string
	rangeID, fault       string
	operation            operation
	account, canceled    *bool
	status, subStatus    *int
	limit                int // the last so many; 0 is all
	full                 bool
}

func (a *api) requests(r *http.Request) (any, error) {
	f, err := a.readFilter(r)
	if err != nil {
		return nil, err
	}
	out := logState{Requests: []logEntry{}}
	for _, entry := range a.account.Requests() {
		if f.matches(&entry) {
			out.Requests = append(out.Requests, newEntry(entry, f.full))
		}
	}
	if n := len(out.Requests); f.limit > 0 && n > f.limit {
		out.Requests = out.Requests[n-f.limit:]
	}
	out.Count = len(out.Requests)
	return out, nil
}

// matches reports whether the filter chooses a request.
func (f *filter) matches(r *cosmostest.Request) bool {
	return r.Time.After(f.since) &&
		(f.region == "" || sameRegion(f.region, r.Region)) &&
		(f.method == "" || f.method == r.Method) &&
		strings.HasPrefix(r.Path, f.path) &&
		(f.rangeID == "" || f.rangeID == r.Range) &&
		(f.fault == "" || f.fault == r.Fault) &&
		(f.operation == "" || string(f.operation) == string(r.Operation)) &&
		(f.account == nil || *f.account == r.Account) &&
		(f.canceled == nil || *f.canceled == r.Canceled) &&
		(f.status == nil || *f.status == r.Status) &&
		(f.subStatus == nil || *f.subStatus == r.SubStatus)
}

// filters are the query parameters of GET /requests.
var filters = []string{
	"account", "canceled", "fault", "full", "limit", "method", "operation", "path", "range", "region", "since", "status", "subStatus",
}

// readFilter reads the query parameters of GET /requests.
func (a *api) readFilter(r *http.Request) (*filter, error) {
	q, err := parameters(r, filters...)
	if err != nil {
		return nil, err
	}
	f := &filter{
		region: q.Get("region"), method: strings.ToUpper(q.Get("method")), path: q.Get("path"), rangeID: q.Get("range"),
		fault: q.Get("fault"), operation: operation(q.Get("operation")),
	}
	if f.region != "" && !knows(a.account, f.region) {
		return nil, &fieldError{"region", "is " + quoted(f.region), `"global", ` + listed(a.account.Config().Regions)}
	}
	if f.operation != "" && !slices.Contains(operations(), string(f.operation)) {
		return nil, &fieldError{"operation", "is " + quoted(string(f.operation)), listed(operations())}
	}
	for name, to := range map[string]**bool{"account": &f.account, "canceled": &f.canceled} {
		if *to, err = parameter(q, name, "true, false", strconv.ParseBool); err != nil {
			return nil, err
		}
	}
	for name, to := range map[string]**int{"status": &f.status, "subStatus": &f.subStatus} {
		if *to, err = parameter(q, name, "an integer", strconv.Atoi); err != nil {
			return nil, err
		}
	}
	return f, readRest(f, q)
}

// readRest reads the parameters that have defaults.
func readRest(f *filter, q map[string][]string) error {
	full, err := parameter(q, "full", "true, false", strconv.ParseBool)
	set(&f.full, full)
	if err != nil {
		return err
	}
	limit, err := parameter(q, "limit", "a positive integer", positive)
	set(&f.limit, limit)
	if err != nil {
		return err
	}
	since, err := parameter(q, "since", `a time such as 2006-01-02T15:04:05.999Z, or a duration such as 10s for the last 10 seconds`, moment)
	set(&f.since, since)
	return err
}

// parameter reads a query parameter; nil without an error means that it is absent.
func parameter[T any](q map[string][]string, name, allowed string, parse func(string) (T, error)) (*T, error) {
	given, ok := q[name]
	if !ok {
		return nil, nil
	}
	value, err := parse(given[0])
	if err != nil {
		return nil, &fieldError{name, "is " + quoted(given[0]), allowed}
	}
	return &value, nil
}

// positive reads a number from 1 on.
func positive(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = strconv.ErrRange
	}
	return n, err
}

// moment reads a time, or how long ago it was.
func moment(text string) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	return time.Parse(time.RFC3339Nano, text)
}
