package cosmostest

import (
	"net/http"
	"net/url"
	"strings"
)

// target is what a path addresses.
type target struct {
	kind     string // of resource, as signed: "", dbs, colls, docs, pkranges, sprocs, offers …
	link     string // as signed: of the resource, or of its parent for a feed
	db, coll string
	id       string // of the resource; empty for a feed
	feed     bool
}

// parseTarget reads an escaped path.
func parseTarget(path string) (target, error) {
	path = strings.Trim(path, "/")
	if path == "" {
		return target{}, nil
	}
	segs := strings.Split(path, "/")
	for i, s := range segs {
		s, err := url.PathUnescape(s)
		if err != nil || s == "" {
			return target{}, fail(http.StatusBadRequest, 0, "The path %q cannot be read.", path)
		}
		segs[i] = s
	}
	n := len(segs)
	to := target{feed: n%2 == 1, kind: strings.ToLower(segs[n-1]), link: strings.Join(segs[:n-n%2], "/")}
	if !to.feed {
		to.kind, to.id = strings.ToLower(segs[n-2]), segs[n-1]
	}
	if segs[0] == "dbs" && n > 1 {
		to.db = segs[1]
	}
	if n > 3 && segs[2] == "colls" {
		to.coll = segs[3]
	}
	depth := (n + 1) / 2
	wanted, ok := map[string]int{"dbs": 1, "offers": 1, "colls": 2, "docs": 3, "pkranges": 3, "sprocs": 3, "conflicts": 3}[to.kind]
	if !ok || depth != wanted || depth > 1 && to.db == "" || depth > 2 && to.coll == "" {
		return to, fail(http.StatusBadRequest, 0, "The path %q is not served here.", path)
	}
	if to.kind == "offers" && !to.feed {
		to.link = strings.ToLower(to.id) // offers are addressed by resource id, which is signed in lower case
	}
	return to, nil
}

// op is what a request wants done with its target.
type op int

const (
	opNone op = iota
	opRead
	opReadFeed
	opQuery
	opQueryPlan
	opCreate
	opUpsert
	opReplace
	opPatch
	opDelete
	opBatch
	opExecute
)

// operation tells what a request does.
func operation(rec *Request, to target) op {
	switch rec.Method {
	case http.MethodGet, http.MethodHead:
		if to.feed {
			return opReadFeed
		}
		return opRead
	case http.MethodPut:
		return opReplace
	case http.MethodPatch:
		return opPatch
	case http.MethodDelete:
		return opDelete
	case http.MethodPost:
		switch {
		case to.kind == "sprocs" && !to.feed:
			return opExecute
		case !to.feed:
			return opNone
		case rec.is("X-Ms-Cosmos-Is-Query-Plan-Request"):
			return opQueryPlan
		case rec.is("X-Ms-Documentdb-Query"), rec.is("X-Ms-Documentdb-Isquery"),
			strings.HasPrefix(rec.Header.Get("Content-Type"), "application/query+json"):
			return opQuery
		case rec.is("X-Ms-Cosmos-Is-Batch-Request"):
			return opBatch
		case rec.is("X-Ms-Documentdb-Is-Upsert"):
			return opUpsert
		}
		return opCreate
	}
	return opNone
}

// write reports whether the operation changes something.
func (o op) write() bool {
	return o >= opCreate
}
