package cosmostest

import (
	"net/http"
	"strconv"
)

// pkranges answers the list of physical partitions. It is a change feed, too: a client that has seen the current
// version (If-None-Match) is told that nothing is new. Partitions that only Place made have no share of the hash space
// and are not in it.
func (w *work) pkranges() (*answer, error) {
	c, f := w.store.container(w.to.db, w.to.coll)
	if f != nil {
		return nil, f
	}
	if !w.to.feed || w.op != opReadFeed {
		return nil, w.notServed()
	}
	version := `"` + strconv.FormatUint(c.seq, 10) + `"`
	ans := newAnswer(http.StatusOK)
	ans.header["Etag"] = []string{version}
	ans.header[headerContentPath] = []string{c.rid}
	ans.header[headerAltPath] = []string{"dbs/" + c.db + "/colls/" + c.id}
	if w.rec.Header.Get("If-None-Match") == version {
		ans.status = http.StatusNotModified
		return ans, nil
	}
	docs := make([][]byte, 0, len(c.ranges))
	for i, r := range c.ranges {
		rid := childRID(c.rid, uint64(i)|1<<56, 8)
		docs = append(docs, encode(map[string]any{
			"id": r.id, "_rid": rid, "_self": c.self + "pkranges/" + rid + "/", "_etag": c.etag, "_ts": c.doc["_ts"],
			"minInclusive": r.min, "maxExclusive": r.max, "ridPrefix": i, "throughputFraction": 1 / float64(len(c.ranges)),
			"status": "online", "parents": []string{}, "lsn": c.lsn[r.id], "ownedArchivalPKRangeIds": []string{},
		}))
	}
	ans.header[headerItemCount] = []string{strconv.Itoa(len(docs))}
	ans.body = feed(c.rid, "PartitionKeyRanges", docs)
	return ans, nil
}
