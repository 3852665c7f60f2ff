package wire_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// segments cuts a path into what stands between its slashes.
func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

func FuzzClassify(f *testing.F) {
	for _, shapes := range [][]shape{itemShapes, otherShapes} {
		for _, s := range shapes {
			f.Add(s.method, s.path, s.header.Get("Content-Type"), s.header.Get("x-ms-documentdb-is-upsert"))
		}
	}
	f.Add("POST", "/dbs/sprocs/colls/sprocs/sprocs/sprocs", "", "")
	f.Add("POST", "//dbs//d/colls/%2F/docs///", "application/query+json", "TRUE")
	f.Fuzz(func(t *testing.T, method, path, contentType, upsert string) {
		h := http.Header{"Content-Type": {contentType}, "X-Ms-Documentdb-Is-Upsert": {upsert}, "X-Ms-Documentdb-Partitionkey": {key}}
		op := wire.Classify(method, path, h)
		parts := segments(path)
		inContainer := len(parts) >= 4 && parts[0] == "dbs" && parts[2] == "colls"
		if want := strings.Join(parts[:min(4, len(parts))], "/"); inContainer != (op.Collection != "") || inContainer && op.Collection != want {
			t.Errorf("%q is in the collection %q, want %q", path, op.Collection, want)
		}
		if executes := method == http.MethodPost && inContainer && len(parts) == 6 && parts[4] == "sprocs"; executes != (op.Kind == wire.KindExecute) {
			t.Errorf("%s %q is %v", method, path, op.Kind)
		}
		dataPlane := inContainer && len(parts) > 4 && (parts[4] == "docs" || op.Kind == wire.KindExecute)
		if dataPlane != (op.Scope == wire.ScopeItem) || dataPlane != (op.PartitionKey != "") {
			t.Errorf("%s %q is %+v", method, path, op)
		}
		if (op.Scope == wire.ScopeAccount) != (len(parts) == 0 && op.Reads()) {
			t.Errorf("%s %q is %+v", method, path, op)
		}
		if (method == "PUT" || method == "PATCH" || method == "DELETE") && op.Reads() {
			t.Errorf("%s %q reads", method, path)
		}
		_, _ = op.Kind.String(), op.Scope.String()
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, c := range retryAfterCases {
		f.Add(c.header.Get("x-ms-retry-after-ms"), c.header.Get("retry-after-ms"), c.header.Get("Retry-After"))
	}
	f.Fuzz(func(t *testing.T, ms, plainMS, after string) {
		h := http.Header{wire.HeaderRetryAfterMS: {ms}, wire.HeaderRetryAfterMSPlain: {plainMS}, wire.HeaderRetryAfter: {after}}
		d, ok := wire.RetryAfter(h, now)
		if d < 0 || !ok && d != 0 {
			t.Errorf("%q %q %q: %v, %v", ms, plainMS, after, d, ok)
		}
		if numeric(ms) || numeric(plainMS) || numeric(after) {
			return
		}
		if _, err := http.ParseTime(strings.TrimSpace(after)); ok && (err != nil || d == 0) {
			t.Errorf("%q %q %q say nothing, and count as %v", ms, plainMS, after, d)
		}
	})
}

// numeric reports whether a value may be a number of units.
func numeric(value string) bool {
	value = strings.TrimSpace(value)
	return value != "" && strings.Trim(value, "0123456789.") == ""
}

func FuzzSubStatusAndRange(f *testing.F) {
	f.Add("1002", "0:-1#42", "")
	f.Add("-3", "0:1#2#3=4,1:1#5", "7")
	f.Fuzz(func(t *testing.T, subStatus, token, rangeID string) {
		h := http.Header{wire.HeaderSubStatus: {subStatus}, wire.HeaderSessionToken: {token}, wire.HeaderPartitionKeyRangeID: {rangeID}}
		_ = wire.SubStatus(h)
		id := wire.PartitionKeyRangeID(h)
		if rangeID != "" && id != rangeID || rangeID == "" && !strings.HasPrefix(token, id) {
			t.Errorf("range %q, token %q: %q", rangeID, token, id)
		}
	})
}
