package cosmostest

import (
	"net/http"
	"strconv"
	"strings"
)

// checkSession refuses a read whose session token is ahead of this region's replica.
func (w *work) checkSession(r *replica, rangeID string) *failure {
	token := w.rec.Header.Get(headerSession)
	if token == "" || w.op.write() {
		return nil
	}
	if lsn, ok := sessionLSN(token, rangeID); ok && lsn > r.lsn[rangeID] {
		return fail(http.StatusNotFound, 1002, "The read session is not available for the input session token: "+
			"partition %s is at %d, the token asks for %d.", rangeID, r.lsn[rangeID], lsn)
	}
	return nil
}

// sessionLSN finds a partition in a session token: "range:-1#lsn" or "range:version#lsn#region=lsn…", several of them
// separated by commas.
func sessionLSN(token, rangeID string) (int64, bool) {
	for part := range strings.SplitSeq(token, ",") {
		id, vector, _ := strings.Cut(strings.TrimSpace(part), ":")
		if id != rangeID {
			continue
		}
		fields := strings.Split(vector, "#")
		n, err := strconv.ParseInt(fields[min(1, len(fields)-1)], 10, 64)
		return n, err == nil
	}
	return 0, false
}
