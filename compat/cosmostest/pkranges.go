package cosmostest

import (
	"net/http"
	"strconv"
)

// pkranges answers the list of physical partitions. It is a change feed, too: a client that has seen the current
// version (If-None-Match) is told that nothing is new. Partitions that only Place made have no share of the hash space
// and are not in it.
func (w *work) pkranges() (*answer, error) {
	c, f := w.container()
	if f != nil {
		return nil, f
	}
	if !w.to.feed || w.op != opReadFeed {
		return nil, w.notServed()
	}
	version := `"` + strconv.FormatUint(c.seq+c.version, 10) + `"`
	ans := newAnswer(http.StatusOK)
	ans.header["Etag"] = []string{version}
	ans.header[headerContentPath] = []string{c.rid}
	ans.header[headerAltPath] = []string{c.path}
	if w.rec.Header.Get("If-None-Match") == version {
		ans.status = http.StatusNotModified
		return ans, nil
	}
	docs := make([][]byte, 0, c.shares)
	for i, p := range c.parts[:c.shares] {
		number, _ := strconv.Atoi(p.id)
		rid := childRID(c.rid, uint64(number)|1<<56, 8)
		docs = append(docs, encode(map[string]any{
			"id": p.id, "_rid": rid, "_self": c.self + "pkranges/" + rid + "/", "_etag": c.etag, "_ts": c.doc["_ts"],
			"minInclusive": p.min, "maxExclusive": p.max, "ridPrefix": i, "throughputFraction": 1 / float64(c.shares),
			"status": "online", "parents": append([]string{}, p.parents...), "lsn": c.lsn(p, w.site),
			"ownedArchivalPKRangeIds": []string{},
		}))
	}
	ans.header[headerItemCount] = []string{strconv.Itoa(len(docs))}
	ans.body = feed(c.rid, "PartitionKeyRanges", docs)
	return ans, nil
}
