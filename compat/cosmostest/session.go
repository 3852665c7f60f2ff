package cosmostest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// sessionPart is what a session token says of one partition: how far the session has seen it.
type sessionPart struct {
	rangeID string
	lsn     int64
	regions vector // writes by site, of accounts with several write regions; nil for those with one
}

// parseSession reads a session token: "range:version#lsn" or "range:version#lsn#region=n…", several of them separated by
// commas. Regions are numbered from 1.
func parseSession(token string) (parts []sessionPart, ok bool) {
	for text := range strings.SplitSeq(token, ",") {
		id, state, found := strings.Cut(strings.TrimSpace(text), ":")
		if !found || id == "" {
			return nil, false
		}
		part := sessionPart{rangeID: id}
		fields := strings.Split(state, "#")
		for i, field := range fields {
			region, number, isRegion := strings.Cut(field, "=")
			if !isRegion {
				number = field
			}
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || isRegion != (i > 1) {
				return nil, false
			}
			if !isRegion {
				part.lsn = n // the last of version and lsn, or the lsn alone
				continue
			}
			site, err := strconv.Atoi(region)
			if err != nil || site < 1 || site > maxRegions {
				return nil, false
			}
			part.regions = part.regions.with(site-1, n)
		}
		parts = append(parts, part)
	}
	return parts, true
}

// maxRegions bounds the region numbers in a session token.
const maxRegions = 256

// checkSession refuses a read whose session has seen more than this region. What it has seen of a partition before a
// split or merge counts for the partitions that came of it.
func (w *work) checkSession(c *container, parts ...*partition) *failure {
	token := w.rec.Header.Get(headerSession)
	if token == "" || w.op.write() || w.level != levelSession {
		return nil
	}
	session, ok := parseSession(token)
	if !ok {
		return fail(http.StatusBadRequest, 0, "The session token provided '%s' is invalid.", token)
	}
	for _, p := range parts {
		for _, part := range session {
			if part.rangeID != p.id && !slices.Contains(p.parents, part.rangeID) {
				continue
			}
			seen := c.seen(p, w.site)
			if !w.store.reached(seen, part) {
				return fail(http.StatusNotFound, 1002, "The read session is not available for the input session token: "+
					"partition %s is at %s in this region, the token asks for %s.", p.id, w.sessionToken(p, seen), token)
			}
		}
	}
	return nil
}

// reached reports whether a region has seen what a session has. The writes of the single write region are in one order;
// those of several are compared region by region.
func (s *store) reached(seen vector, part sessionPart) bool {
	if s.multi && part.regions != nil {
		return seen.covers(part.regions)
	}
	return part.lsn <= firstLSN+seen.total()
}

// sessionToken is the state of a partition as a session token. Clients merge tokens of one version region by region and
// refuse those that do not have the same regions, so all regions are in it.
func (w *work) sessionToken(p *partition, seen vector) string {
	lsn := strconv.FormatInt(firstLSN+seen.total(), 10)
	if !w.store.multi {
		return p.id + ":-1#" + lsn
	}
	var token strings.Builder
	token.WriteString(p.id + ":" + strconv.Itoa(w.store.version) + "#" + lsn)
	for site, present := range w.store.present {
		if present {
			token.WriteString("#" + strconv.Itoa(site+1) + "=" + strconv.FormatInt(seen.at(site), 10))
		}
	}
	return token.String()
}
