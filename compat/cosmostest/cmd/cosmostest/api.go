package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// maxRequest is the size of the largest request that the management API takes.
const maxRequest = 64 << 20

// api is the management API.
type api struct {
	account *cosmostest.Account
	mux     *http.ServeMux

	mu      sync.Mutex // guards stopped, and has regions stop and start one at a time
	stopped map[string]bool
}

// action answers a request with a value to send as JSON. Its error is a 400, unless it is a *statusError.
type action func(*http.Request) (any, error)

// statusError is an error with a status of its own.
type statusError struct {
	status int
	err    error
}

// Error is that of err.
func (e *statusError) Error() string { return e.err.Error() }

// Unwrap returns err.
func (e *statusError) Unwrap() error { return e.err }

func notFound(format string, args ...any) error {
	return &statusError{http.StatusNotFound, fmt.Errorf(format, args...)}
}

// newAPI makes the management API of an account. Web pages that are open in a browser on this machine cannot use it.
func newAPI(account *cosmostest.Account) http.Handler {
	a := &api{account: account, mux: http.NewServeMux(), stopped: map[string]bool{}}
	a.handle("GET /healthz", func(*http.Request) (any, error) { return map[string]string{"status": "ok"}, nil })
	a.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, apiHelp) })
	a.mux.HandleFunc("GET /ca.pem", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(account.CACertPEM()) })
	a.handle("/", func(r *http.Request) (any, error) {
		return nil, notFound("there is no %s %s; GET / lists what there is", r.Method, r.URL.Path)
	})
	a.topologyActions()
	a.faultActions()
	a.dataActions()
	a.replicationActions()
	a.logActions()
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(a.serve))
}

// serve lets only requests in that were meant for this address: a page that has its own name resolve to 127.0.0.1 is not.
func (a *api) serve(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		respond(w, http.StatusForbidden, errorBody(fmt.Errorf("the host is %q; allowed: 127.0.0.1, localhost", host)))
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	a.mux.ServeHTTP(w, r)
}

// handle serves an action.
func (a *api) handle(pattern string, do action) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		value, err := do(r)
		if err == nil {
			respond(w, http.StatusOK, value)
			return
		}
		status := http.StatusBadRequest
		if own, ok := errors.AsType[*statusError](err); ok {
			status = own.status
		}
		respond(w, status, errorBody(err))
	})
}

func respond(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // a client that is gone will not miss it
}

// failure is the body of an answer that is an error.
type failure struct {
	Error   string `json:"error"`
	Field   string `json:"field,omitempty"`
	Allowed string `json:"allowed,omitempty"`
}

func errorBody(err error) failure {
	body := failure{Error: strings.TrimPrefix(err.Error(), "cosmostest: ")}
	if f, ok := errors.AsType[*fieldError](err); ok {
		body.Field, body.Allowed = f.field, f.allowed
	}
	return body
}

// read decodes the body of a request.
func read(r *http.Request, target any) error {
	body, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &statusError{http.StatusRequestEntityTooLarge, fmt.Errorf("the document is larger than %d bytes", tooLarge.Limit)}
	} else if err != nil {
		return err
	}
	return decodeStrict(body, target)
}

// nobody refuses a body where none has a meaning.
func nobody(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err == nil && len(body) > 0 {
		return &fieldError{problem: fmt.Sprintf("has %d bytes", len(body)), allowed: "no body here"}
	}
	return err
}

// parameters returns the query parameters of a request if they are among those allowed, each once.
func parameters(r *http.Request, allowed ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("the query of the URL: %w", err)
	}
	for name, given := range values {
		if !slices.Contains(allowed, name) {
			return nil, &fieldError{name, "is unknown", strings.Join(allowed, ", ")}
		}
		if len(given) > 1 {
			return nil, &fieldError{name, "occurs twice", "every parameter once"}
		}
	}
	return values, nil
}
