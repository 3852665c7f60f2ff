package simulation

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"
)

var regionNames = [regions]string{"East US", "West US", "North Europe"}

func host(r int) string {
	return "acct-" + strings.ToLower(strings.ReplaceAll(regionNames[r], " ", "")) + ".documents.azure.com:443"
}

// hosts and ids are made once: they are needed for every request.
var (
	hosts = [regions]string{host(0), host(1), host(2)}
	ids   = func() (list [partitions][]string) {
		for p := range list {
			list[p] = []string{fmt.Sprint(p)}
		}
		return list
	}()
)

// accountDocument is the answer to GET /.
func accountDocument(multiWrite, ppaf bool) []byte {
	var all []string
	for r := range regions {
		all = append(all, fmt.Sprintf(`{"name": %q, "databaseAccountEndpoint": "https://%s/"}`, regionNames[r], hosts[r]))
	}
	writable := all[:1]
	if multiWrite {
		writable = all
	}
	return fmt.Appendf(nil, `{"readableLocations": [%s], "writableLocations": [%s],
		"enableMultipleWriteLocations": %t, "enablePerPartitionFailoverBehavior": %t}`,
		strings.Join(all, ","), strings.Join(writable, ","), multiWrite, ppaf)
}

// operation is one operation of the client, as the service sees it.
type operation struct {
	partition int
	write     bool
	began     time.Duration
	visited   []int // region of each request
	noise     fault // one request of it ends so, in whatever region
	noisy     bool
	role      role // of the latest request
	strayed   bool // one of its requests went astray
}

// Faults that say nothing of a partition's health.
const (
	throttled fault = 100 + iota // 429
	behind                       // 404/1002
)

type operationKey struct{}

// service is the account. It implements policy.Transporter.
type service struct {
	*truth
	start time.Time
	watch *watch
}

func (s *service) now() time.Duration { return time.Since(s.start) }

// Do serves a request to the partition that its operation works on.
func (s *service) Do(req *http.Request) (*http.Response, error) {
	op := req.Context().Value(operationKey{}).(*operation)
	r := slices.Index(hosts[:], req.URL.Host)
	f := s.answers(op.partition, r, op.write, s.now())
	if f == none && op.noise != none {
		f, op.noise = op.noise, none
	}
	s.watch.request(op, r, f, s.now())
	if f == silent {
		<-req.Context().Done()
	}
	s.watch.ended(op, r, f, s.now())
	return answer(req, op.partition, f)
}

// statuses are the faults that answer.
var statuses = map[fault]struct {
	status    int
	subStatus string
}{
	none: {200, ""}, failed: {503, ""}, broken: {500, ""}, slow: {408, ""}, gone: {410, "1007"},
	choked: {429, "3092"}, readOnly: {403, "3"}, throttled: {429, "3200"}, behind: {404, "1002"},
}

// answer makes what the client gets of a fault.
func answer(req *http.Request, partition int, f fault) (*http.Response, error) {
	switch f {
	case silent:
		return nil, context.Cause(req.Context())
	case refused:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case reset:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	a := statuses[f]
	h := http.Header{"X-Ms-Documentdb-Partitionkeyrangeid": ids[partition]}
	if a.subStatus != "" {
		h["X-Ms-Substatus"] = []string{a.subStatus}
	}
	if f == throttled {
		h["X-Ms-Retry-After-Ms"] = []string{"5"}
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: http.NoBody, Request: req}, nil
}
