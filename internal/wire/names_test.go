package wire_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// trickyNames are ids that look like a part of a path, or need escaping.
var trickyNames = []string{
	"sprocs", "docs", "dbs", "colls", "offers", "pkranges", "attachments", "triggers",
	"a/b", "/", "//", "a/sprocs/b", "dbs/d/colls/c/sprocs/s", "%2F", "%", "..", ".", "a b", "a+b", "a?b", "a#b",
	"naïve", "日本語", "🦀", "é", "\u00a0", "x;y=z", `"quoted"`, strings.Repeat("n", 255),
}

func TestClassifyIsNotFooledByNames(t *testing.T) {
	for _, name := range trickyNames {
		escaped := url.PathEscape(name)
		t.Run("item called "+name, func(t *testing.T) {
			s := shape{method: "POST", path: "/dbs/d/colls/c/docs/" + escaped, header: keyed, want: item(wire.KindCreate, key, "")}
			s.check(t)
			s = shape{method: "PATCH", path: "/dbs/d/colls/c/docs/" + escaped, header: keyed, want: item(wire.KindPatch, key, "")}
			s.check(t)
		})
		t.Run("container called "+name, func(t *testing.T) {
			in := "dbs/d/colls/" + escaped
			want := item(wire.KindCreate, key, "")
			want.Collection = in
			s := shape{method: "POST", path: "/" + in + "/docs", header: keyed, want: want}
			s.check(t)
			want.Kind = wire.KindExecute
			s = shape{method: "POST", path: "/" + in + "/sprocs/s", header: keyed, want: want}
			s.check(t)
			s = shape{method: "PUT", path: "/" + in, header: plain, want: metadata(wire.KindReplace, in)}
			s.check(t)
		})
		t.Run("database called "+name, func(t *testing.T) {
			in := "dbs/" + escaped + "/colls/c"
			want := item(wire.KindReplace, key, "")
			want.Collection = in
			s := shape{method: "PUT", path: "/" + in + "/docs/i", header: keyed, want: want}
			s.check(t)
			s = shape{method: "GET", path: "/dbs/" + escaped, header: noHeader, want: metadata(wire.KindRead, "")}
			s.check(t)
		})
		t.Run("stored procedure called "+name, func(t *testing.T) {
			s := shape{method: "POST", path: "/dbs/d/colls/c/sprocs/" + escaped, header: keyed, want: item(wire.KindExecute, key, "")}
			s.check(t)
		})
	}
}

func TestClassifyDoesNotMindExtraSlashes(t *testing.T) {
	for _, s := range []shape{
		{"behind", "POST", "/dbs/d/colls/c/docs/", keyed, item(wire.KindCreate, key, "")},
		{"behind a stored procedure", "POST", "/dbs/d/colls/c/sprocs/s/", keyed, item(wire.KindExecute, key, "")},
		{"behind the container", "GET", "/dbs/d/colls/c/", noHeader, metadata(wire.KindRead, container)},
		{"behind the database", "GET", "/dbs/d/", noHeader, metadata(wire.KindRead, "")},
		{"none in front", "GET", "dbs/d/colls/c/docs/i", keyed, item(wire.KindRead, key, "")},
		{"two in front", "GET", "//dbs/d/colls/c/docs/i", keyed, item(wire.KindRead, key, "")},
		{"two inside", "GET", "/dbs//d/colls//c/docs/i", keyed, item(wire.KindRead, key, "")},
		{"nothing else", "GET", "///", noHeader, wire.Operation{Kind: wire.KindRead, Scope: wire.ScopeAccount}},
	} {
		t.Run(s.name, func(t *testing.T) { s.check(t) })
	}
}

func TestClassifyAllocatesNothing(t *testing.T) {
	for _, s := range itemShapes {
		if n := testing.AllocsPerRun(100, func() { wire.Classify(s.method, s.path, s.header) }); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}
