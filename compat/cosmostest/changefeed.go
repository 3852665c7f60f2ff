package cosmostest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// changeFeed answers the incremental feed of one physical partition: the latest version of every item that changed
// after the position in If-None-Match, in the order of the changes.
func (w *work) changeFeed() (*answer, error) {
	w.store.mu.RLock()
	defer w.store.mu.RUnlock()
	c, f := w.container()
	if f != nil {
		return nil, f
	}
	sc, f := c.scopeOf(w.rec)
	if f != nil {
		return nil, f
	}
	if id := w.rec.Header.Get(headerRangeID); id != "" && sc.full {
		p, f := c.rangeByID(id)
		if f != nil {
			return nil, f
		}
		sc.parts = []*partition{p}
	}
	at := sc.first()
	if f := w.admit(c, at); f != nil {
		return w.refusal(c, at, f)
	}
	now := c.lsn(at, w.site)
	position, since, f := w.feedPosition(now)
	if f != nil {
		return nil, f
	}
	docs, last := w.changes(c.scan(w.site, sc, at, w.now), now, position, since)
	charge := w.pageChargeFor(docs)
	w.spend(c, at, charge)
	ans := w.partitionAnswer(http.StatusOK, c, at)
	ans.header[headerCharge] = []string{formatCharge(charge)}
	ans.header["Etag"] = []string{`"` + strconv.FormatInt(last, 10) + `"`}
	ans.header[headerItemCount] = []string{strconv.Itoa(len(docs))}
	if len(docs) == 0 {
		ans.status = http.StatusNotModified
		return ans, nil
	}
	ans.body = feed(c.rid, "Documents", docs)
	return ans, nil
}

// changes returns a page of the items that changed after position and since (_ts), and the position after it; now is
// that of the partition's last write.
func (w *work) changes(rows []row, now, position, since int64) (docs [][]byte, last int64) {
	rows = slices.DeleteFunc(rows, func(r row) bool { return r.lsn <= position || r.item.ts < since })
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.lsn, b.lsn) })
	for _, r := range rows {
		if len(docs) >= w.pageSize() && r.lsn > last { // never between two changes of one transaction
			return docs, last
		}
		docs = append(docs, r.item.raw)
		last = r.lsn
	}
	return docs, now
}

// feedPosition reads where the feed is to go on.
func (w *work) feedPosition(now int64) (position, since int64, f *failure) {
	switch mark := w.rec.Header.Get("If-None-Match"); mark {
	case "*":
		return now, 0, nil
	case "":
	default:
		n, err := strconv.ParseInt(strings.Trim(mark, `"`), 10, 64)
		if err != nil {
			return 0, 0, fail(http.StatusBadRequest, 0, "The change feed position %s is invalid.", mark)
		}
		return n, 0, nil
	}
	if text := w.rec.Header.Get("If-Modified-Since"); text != "" {
		t, err := time.Parse(time.RFC1123, text)
		if err != nil {
			return 0, 0, fail(http.StatusBadRequest, 0, "If-Modified-Since %q is no RFC 1123 date.", text)
		}
		since = t.Unix()
	}
	return 0, since, nil
}
