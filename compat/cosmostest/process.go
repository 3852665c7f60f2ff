package cosmostest

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// work is one request being carried out by the account.
type work struct {
	top    *topology
	store  *store
	rec    *Request
	to     target
	op     op
	region string // key of the region whose replica serves it
}

// process answers a request that no fault has answered.
func (a *Account) process(top *topology, rec *Request) *answer {
	ans, err := a.dispatch(top, rec)
	if err != nil {
		var f *failure
		if !errors.As(err, &f) {
			f = fail(http.StatusInternalServerError, 0, "%v", err)
		}
		own := f.answer()
		if ans != nil { // what is known of the partition goes with an error, too
			for k, v := range ans.header {
				own.header[k] = v
			}
			own.rangeID = ans.rangeID
		}
		ans = own
	}
	a.finish(rec, ans)
	return ans
}

// dispatch checks who asks and whether this region may answer, and then lets the kind of resource answer.
func (a *Account) dispatch(top *topology, rec *Request) (*answer, error) {
	to, err := parseTarget(rec.Path)
	if err != nil {
		return nil, err
	}
	if f := authorize(top, rec, to); f != nil {
		return nil, f
	}
	w := &work{top: top, store: a.store, rec: rec, to: to, op: operation(rec, to), region: top.replica(rec.Region)}
	if !top.readable[w.region] {
		return nil, fail(http.StatusForbidden, 1008, "Database Account %s does not exist in %s.", top.cfg.Name, rec.Region)
	}
	metadata := to.kind != "docs" && to.kind != "sprocs"
	if w.op.write() && !top.takesWrites(rec.Region, metadata) {
		return nil, fail(http.StatusForbidden, 3, "The requested operation cannot be performed at this region: %s takes no writes.", rec.Region)
	}
	switch to.kind {
	case "":
		if w.op != opReadFeed && w.op != opRead {
			return nil, w.notServed()
		}
		ans := newAnswer(http.StatusOK)
		ans.body = top.account
		return ans, nil
	case "docs":
		return w.documents()
	case "sprocs":
		return w.procedures()
	}
	return w.metadata()
}

func (w *work) notServed() *failure {
	return fail(http.StatusMethodNotAllowed, 0, "%s %s is not served here.", w.rec.Method, w.rec.Path)
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
