package cosmostest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// work is one request being carried out by the account.
type work struct {
	top   *topology
	store *store
	rec   *Request
	to    target
	op    op
	site  int   // of the replica that serves it
	level level // of its consistency
	now   int64 // in seconds
}

// answer carries out a request that no fault has answered.
func (x *exchange) answer() *answer {
	ans, err := x.dispatch()
	if err != nil {
		var f *failure
		if !errors.As(err, &f) {
			f = fail(http.StatusInternalServerError, 0, "%v", err)
		}
		own := f.answer()
		if ans != nil { // what is known of the partition goes with an error, too
			maps.Copy(own.header, ans.header)
			own.rangeID = ans.rangeID
		}
		ans = own
	}
	x.account.finish(x.rec, ans)
	return ans
}

// dispatch checks who asks and whether this region may answer, and then lets the kind of resource answer.
func (x *exchange) dispatch() (*answer, error) {
	top, rec, to := x.top, x.rec, x.to
	if x.badPath != nil {
		return nil, x.badPath
	}
	if f := authorize(top, rec, to); f != nil {
		return nil, f
	}
	w := &work{
		top: top, store: x.account.store, rec: rec, to: to, op: x.op, site: top.site(rec.Region), now: rec.Time.Unix(),
	}
	if !top.readable[top.replica(rec.Region)] {
		return nil, w.absent()
	}
	metadata := to.kind != "docs" && to.kind != "sprocs" && to.kind != "conflicts"
	if w.op.write() {
		if f := x.account.mayWrite(w, metadata); f != nil {
			return nil, f
		}
	}
	switch to.kind {
	case "":
		if w.op != opReadFeed && w.op != opRead {
			return nil, w.notServed()
		}
		ans := newAnswer(http.StatusOK)
		ans.body = top.told(rec.Time)
		return ans, nil
	case "docs":
		return w.documents()
	case "sprocs":
		return w.procedures()
	case "conflicts":
		return w.conflictFeed()
	}
	return w.metadata()
}

// container finds the container of the request and the region's copy of it. The caller holds the store's lock.
func (w *work) container() (*container, *failure) {
	c, f := w.store.container(w.to.db, w.to.coll)
	if f == nil && !w.store.present[w.site] {
		f = w.absent() // the account has just left the region
	}
	return c, f
}

func (w *work) absent() *failure {
	return fail(http.StatusForbidden, 1008, "Database Account %s does not exist in %s.", w.top.cfg.Name, w.rec.Region)
}

func (w *work) notServed() *failure {
	return fail(http.StatusMethodNotAllowed, 0, "%s %s is not served here.", w.rec.Method, w.rec.Path)
}

// is reports whether a header says true.
func (r *Request) is(header string) bool {
	v := r.Header[header]
	return len(v) > 0 && strings.EqualFold(v[0], "true")
}

// finish sets the headers that every answer of the account carries.
func (a *Account) finish(rec *Request, ans *answer) {
	h := ans.header
	id := rec.Header.Get(headerActivity)
	if id == "" {
		id = fmt.Sprintf("00000000-0000-4000-8000-%012x", a.activities.Add(1))
	}
	h[headerActivity] = []string{id}
	if _, ok := h[headerCharge]; !ok {
		h[headerCharge] = []string{"1"}
	}
	h["X-Ms-Gatewayversion"] = []string{"version=2.14.0"}
	h["X-Ms-Serviceversion"] = []string{"version=2.14.0.0"}
	h["X-Ms-Schemaversion"] = []string{"1.19"}
	h["Strict-Transport-Security"] = []string{"max-age=31536000"}
	h["Date"] = []string{rec.Time.UTC().Format(http.TimeFormat)}
	if ans.rangeID != "" {
		h[headerRangeID] = []string{ans.rangeID}
		h["X-Ms-Cosmos-Physical-Partition-Id"] = []string{ans.rangeID}
		h["X-Ms-Number-Of-Read-Regions"] = []string{strconv.Itoa(max(0, len(a.top.Load().cfg.Regions)-1))}
	}
}
