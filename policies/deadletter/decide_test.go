package deadletter

import (
	"errors"
	"fmt"
	"testing"
)

// The whole table: what an answer means, by status, sub-status and operation.
func TestDecideJudge(t *testing.T) {
	operations := []string{"create", "upsert", "replace", "patch", "delete", "batch", "execute", "read"}
	want := func(operation string, status, sub int) verdict {
		switch {
		case status == 409, status == 412:
			return check
		case status == 404 && sub == 0 && operation == "delete":
			return done
		case status == 404 && sub == 0 && operation == "batch":
			return check
		case status == 404 && sub == 0:
			return conflict
		case status == 404 && sub == 1002, status == 403 && (sub == 3 || sub == 1008):
			return later
		case status == 0, status == 408, status == 410, status == 429, status == 449, status >= 500:
			return later
		}
		return never
	}
	for _, operation := range operations {
		if got := judge(operation, answer{}); got != done {
			t.Errorf("%s that succeeded: %v", operation, got)
		}
		for _, status := range []int{0, 400, 401, 403, 404, 408, 409, 410, 412, 413, 422, 429, 449, 500, 502, 503, 504, 599} {
			for _, sub := range []int{0, 3, 1002, 1003, 1008, 3092, 20008} {
				a := answer{status: status, subStatus: sub, err: errors.New("x")}
				if got := judge(operation, a); got != want(operation, status, sub) {
					t.Errorf("%s %d/%d: got %d, want %d", operation, status, sub, got, want(operation, status, sub))
				}
			}
		}
	}
}

func TestDecideRefusedAttempt(t *testing.T) {
	for _, tt := range []struct {
		status, sub int
		want        bool
	}{
		{0, 0, false}, {200, 0, false}, {201, 0, false}, {304, 0, false}, {400, 0, true}, {403, 3, true}, {404, 1002, true}, {408, 0, false},
		{409, 0, true}, {410, 0, true}, {412, 0, true}, {429, 0, true}, {429, 3092, false}, {449, 0, true}, {500, 0, false}, {503, 0, false},
	} {
		if got := refusedAttempt(tt.status, tt.sub); got != tt.want {
			t.Errorf("%d/%d: got %v", tt.status, tt.sub, got)
		}
	}
}

func TestSameItem(t *testing.T) {
	for _, tt := range []struct {
		stored, written string
		want            bool
	}{
		{`{"id":"1","_etag":"x","_ts":1,"_rid":"r","_self":"s","_attachments":"a"}`, `{"id":"1"}`, true},
		{`{"id":"1","n":100,"m":1.5}`, `{"m":15e-1, "n":1e2, "id":"1"}`, true},
		{`{"id":"1","n":[1,{"a":1.0}]}`, `{"id":"1","n":[1.0,{"a":1}]}`, true},
		{`{"id":"1","n":[1,2]}`, `{"id":"1","n":[2,1]}`, false},
		{`{"id":"1","n":null}`, `{"id":"1"}`, false},
		{`{"id":"1","n":"1"}`, `{"id":"1","n":1}`, false},
		{`{"id":"1","in":{"_etag":"x"}}`, `{"id":"1","in":{}}`, false},
		{`{"id":"1"}`, `{"id":"1","_etag":"mine"}`, true},
		{`[]`, `[]`, false},
		{``, ``, false},
		{`{"id":"1","big":1e400}`, `{"id":"1","big":1e400}`, true},
	} {
		if got := sameItem([]byte(tt.stored), []byte(tt.written)); got != tt.want {
			t.Errorf("%s and %s: got %v", tt.stored, tt.written, got)
		}
	}
}

func TestReportSaysWhatHappened(t *testing.T) {
	r := Report{Left: 2, Items: []Item{
		{ID: 1, Operation: "create", Path: "/dbs/d/colls/c/docs"},
		{ID: 2, Operation: "patch", Path: "/dbs/d/colls/c/docs/i", Outcome: Skipped, Err: ErrUnguarded},
		{ID: 3, Outcome: Failed, Err: errors.New("one line\nand more")},
	}}
	if got, want := r.String(), "1 done, 0 conflict, 1 failed, 1 skipped, 2 left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := r.Items[0].String(), "1 create /dbs/d/colls/c/docs: done"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := r.Items[2].String(), "3  : failed: one line"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := fmt.Sprint(Outcome(9), Overflow(9), DropOldest, Refuse); got != "Outcome(9) Overflow(9) drop oldest refuse" {
		t.Errorf("got %q", got)
	}
}
