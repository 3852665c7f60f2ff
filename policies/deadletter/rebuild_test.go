package deadletter

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// writes are the writes of azcosmos with everything that they can carry.
var writes = map[string]func(ctx context.Context, c *azcosmos.ContainerClient) error{
	"create": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.CreateItem(ctx, azcosmos.NewPartitionKeyString("a"), []byte(`{ "id": "1", "pk": "a", "text": "<&>" }`), everyOption(""))
		return err
	},
	"upsert": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.UpsertItem(ctx, azcosmos.NewPartitionKeyString("a"), item("1", 1.5), everyOption(`"e"`))
		return err
	},
	"upsert if there is none": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		ctx = policy.WithHTTPHeader(ctx, http.Header{"If-None-Match": {"*"}})
		_, err := c.UpsertItem(ctx, azcosmos.NewPartitionKeyString("a"), item("1", 1), nil)
		return err
	},
	"replace": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.ReplaceItem(ctx, azcosmos.NewPartitionKeyString("a"), "1", item("1", 1), everyOption(`"e"`))
		return err
	},
	"delete": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.DeleteItem(ctx, azcosmos.NewPartitionKeyString("a"), "1", everyOption(`"e"`))
		return err
	},
	"odd names": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		key := azcosmos.NewPartitionKeyString("quote \" backslash \\ é \u0001 \U0001f980 [x], </>")
		_, err := c.DeleteItem(ctx, key, "a b/c%2F?#é\U0001f980", nil)
		return err
	},
	"several keys": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		key := azcosmos.NewPartitionKey().AppendNumber(1e21).AppendBool(true).AppendNull()
		_, err := c.DeleteItem(ctx, key, "1", nil)
		return err
	},
	"no key": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.DeleteItem(ctx, azcosmos.NewPartitionKey(), "1", nil)
		return err
	},
	"patch": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.PatchItem(ctx, azcosmos.NewPartitionKeyString("a"), "1", everyPatch(`from c where c.v = \"x\"`), everyOption(`"e"`))
		return err
	},
	"patch without a condition": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		_, err := c.PatchItem(ctx, azcosmos.NewPartitionKeyString("a"), "1", everyPatch(""), nil)
		return err
	},
	"batch": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		b := c.NewTransactionalBatch(azcosmos.NewPartitionKeyString("a"))
		etag := &azcosmos.TransactionalBatchItemOptions{IfMatchETag: new(azcore.ETag(`"e"`))}
		b.CreateItem(item("1", "<&>"), nil)
		b.UpsertItem(item("2", 1), etag)
		b.ReplaceItem("3", item("3", 1), etag)
		b.DeleteItem("4", etag)
		b.PatchItem("5", everyPatch("from c"), etag)
		b.ReadItem("6", nil)
		b.DeleteItem("7", nil)
		_, err := c.ExecuteTransactionalBatch(ctx, b, &azcosmos.TransactionalBatchOptions{SessionToken: "0:-1#7", ConsistencyLevel: new(azcosmos.ConsistencyLevelEventual)})
		return err
	},
	"batch without reads": func(ctx context.Context, c *azcosmos.ContainerClient) error {
		b := c.NewTransactionalBatch(azcosmos.NewPartitionKeyString("a"))
		b.CreateItem(item("1", 1), nil)
		_, err := c.ExecuteTransactionalBatch(ctx, b, nil)
		return err
	},
}

func everyOption(etag azcore.ETag) *azcosmos.ItemOptions {
	return &azcosmos.ItemOptions{
		PreTriggers: []string{"before", "early"}, PostTriggers: []string{"after"}, SessionToken: new("0:-1#7"),
		ConsistencyLevel: new(azcosmos.ConsistencyLevelEventual), IndexingDirective: new(azcosmos.IndexingDirectiveExclude),
		IfMatchEtag: optional[azcore.ETag](string(etag)),
	}
}

func everyPatch(condition string) azcosmos.PatchOperations {
	var p azcosmos.PatchOperations
	if condition != "" {
		p.SetCondition(condition)
	}
	p.AppendAdd("/list/-", map[string]any{"n": 1.5, "t": "<é>", "z": nil})
	p.AppendReplace("/a", []int{1, 2})
	p.AppendSet("/b", "text")
	p.AppendRemove("/c")
	p.AppendIncrement("/d", -3)
	return p
}

// What is sent again is, byte for byte, what was sent.
func TestReplayedRequestsAreTheSame(t *testing.T) {
	for name, write := range writes {
		inBubble(t, name, func(t *testing.T, w *world) {
			w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 503})
			w.account.ResetLog()
			if err := write(t.Context(), w.container); err == nil || length(t, w.store) != 1 {
				t.Fatalf("got %v, and %d letters", err, length(t, w.store))
			}
			original := w.account.Requests()[0]
			w.account.ResetLog()
			w.account.SetFaults(cosmostest.Fault{Region: "*", Status: 400, Match: func(r *cosmostest.Request) bool { return r.Method != http.MethodGet }})
			_, _ = w.store.Replay(t.Context(), w.client, &ReplayOptions{Unguarded: true})
			for _, again := range w.account.Requests() {
				if again.Method == http.MethodGet {
					continue
				}
				compareRequests(t, &original, &again)
				return
			}
			t.Error("nothing was sent")
		})
	}
}

func compareRequests(t *testing.T, a, b *cosmostest.Request) {
	t.Helper()
	if a.Method != b.Method || a.Path != b.Path || !bytes.Equal(a.Body, b.Body) {
		t.Errorf("sent %s %s\n%s\nand then %s %s\n%s", a.Method, a.Path, a.Body, b.Method, b.Path, b.Body)
	}
	for _, h := range []http.Header{a.Header, b.Header} {
		for _, name := range []string{"Authorization", "X-Ms-Date", "User-Agent", "X-Ms-Client-Request-Id", "X-Ms-Activity-Id"} {
			h.Del(name)
		}
	}
	for name := range a.Header {
		if strings.Join(a.Header[name], "|") != strings.Join(b.Header[name], "|") {
			t.Errorf("%s was %q, and then %q", name, a.Header[name], b.Header[name])
		}
	}
	for name := range b.Header {
		if a.Header[name] == nil {
			t.Errorf("%s was not there, and then %q", name, b.Header[name])
		}
	}
}

func TestLettersThatNobodyCanSend(t *testing.T) {
	pk := http.Header{"X-Ms-Documentdb-Partitionkey": {`["a"]`}}
	for name, l := range map[string]policies.Letter{
		"no path":               {Operation: "create"},
		"a path of nothing":     {Operation: "create", Path: "/dbs/db/users/u/docs"},
		"a path that is broken": {Operation: "create", Path: "/dbs/db/colls/%zz/docs"},
		"an attachment":         {Operation: "create", Path: "/dbs/db/colls/c/docs/1/attachments"},
		"no operation":          {Operation: "", Path: "/dbs/db/colls/c/docs/1", Header: pk},
		"an undefined key":      {Operation: "delete", Path: "/dbs/db/colls/c/docs/1", Header: http.Header{"X-Ms-Documentdb-Partitionkey": {`[{}]`}}},
		"a broken key":          {Operation: "delete", Path: "/dbs/db/colls/c/docs/1", Header: http.Header{"X-Ms-Documentdb-Partitionkey": {`["a`}}},
		"an item without an id": {Operation: "create", Path: "/dbs/db/colls/c/docs", Header: pk, Body: []byte(`{}`)},
		"no item":               {Operation: "upsert", Path: "/dbs/db/colls/c/docs", Header: pk, Body: []byte(`[]`)},
		"an unknown patch":      {Operation: "patch", Path: "/dbs/db/colls/c/docs/1", Header: pk, Body: []byte(`{"operations":[{"op":"move","path":"/a","from":"/b"}]}`)},
		"half an increment":     {Operation: "patch", Path: "/dbs/db/colls/c/docs/1", Header: pk, Body: []byte(`{"operations":[{"op":"incr","path":"/a","value":0.5}]}`)},
		"no patch":              {Operation: "patch", Path: "/dbs/db/colls/c/docs/1", Header: pk, Body: []byte(`{"operations":[{"op":"turn"}]}`)},
		"a bulk request":        {Operation: "batch", Path: "/dbs/db/colls/c/docs", Header: http.Header{"X-Ms-Cosmos-Batch-Atomic": {"false"}}, Body: []byte(`[]`)},
		"an unknown batch":      {Operation: "batch", Path: "/dbs/db/colls/c/docs", Header: pk, Body: []byte(`[{"operationType":"Merge","id":"1"}]`)},
		"a batch with more":     {Operation: "batch", Path: "/dbs/db/colls/c/docs", Header: pk, Body: []byte(`[{"operationType":"Delete","id":"1","ifNoneMatch":"*"}]`)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, nil)
				keep(t, w.store, l)
				w.account.ResetLog()
				report := w.replay(&ReplayOptions{Unguarded: true}, Failed)
				if n := len(w.account.Requests()); n != 0 || report.Items[0].Err.Error() == "" {
					t.Errorf("%d requests, %v", n, report.Items[0].Err)
				}
				t.Log(report.Items[0])
			})
		})
	}
}

func TestBareListOfPatchOperations(t *testing.T) {
	if _, err := parsePatch([]byte(` [{"op":"set","path":"/a","value":1}]`)); err != nil {
		t.Error(err)
	}
}

func FuzzRebuild(f *testing.F) {
	f.Add("batch", "/dbs/db/colls/c/docs", `["a"]`, `[{"operationType":"Create","resourceBody":{"id":"1"}}]`)
	f.Add("patch", "/dbs/db/colls/c/docs/1", `[1]`, `{"condition":"from c","operations":[{"op":"set","path":"/a","value":null}]}`)
	f.Add("create", "/dbs/%20/colls/c/docs", `["\U0001f980"]`, `{"id":"1"}`)
	f.Fuzz(func(t *testing.T, operation, path, key, body string) {
		l := policies.Letter{Operation: operation, Path: path, Header: http.Header{headerPartitionKey: {key}}, Body: []byte(body)}
		q, err := rebuild(&l, new(ReplayOptions).withDefaults())
		if (err == nil) != (q.send != nil) {
			t.Errorf("%v, and it can be sent: %v", err, q.send != nil)
		}
		if err == nil && operation != "execute" && len(q.items) == 0 && body != "[]" {
			t.Errorf("nobody knows what it writes: %+v", q)
		}
	})
}
