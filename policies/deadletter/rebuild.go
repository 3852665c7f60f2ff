package deadletter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/policies"
)

// request is a letter that can be sent again.
type request struct {
	database, container string
	key                 azcosmos.PartitionKey
	// partition names the logical partition, and items what the request writes
	// there; nil means anything in it.
	partition string
	items     []string
	// parts are the writes of which the request consists.
	parts []part
	// guarded: executed twice, the second time is refused.
	guarded bool
	send    func(context.Context, *azcosmos.ContainerClient) answer
}

// part is the write of one item.
type part struct {
	operation, id string
	body          []byte
}

// Header names that a letter has.
const (
	headerPartitionKey = "X-Ms-Documentdb-Partitionkey"
	headerSession      = "X-Ms-Session-Token"
	headerSubStatus    = "X-Ms-Substatus"
)

// rebuild makes a request of a letter. When the letter cannot be sent again the
// request still tells as much as possible of where it would write.
func rebuild(l *policies.Letter, o *ReplayOptions) (*request, error) {
	segments, err := cutPath(l.Path)
	if err != nil {
		return new(request), err
	}
	q := &request{database: segments[1], container: segments[3]}
	q.partition = strings.Join(segments[1:4], "/") + l.Header.Get(headerPartitionKey)
	if q.key, err = parsePartitionKey(l.Header.Get(headerPartitionKey)); err != nil {
		return q, err
	}
	if l.Operation == "execute" {
		q.send = func(ctx context.Context, _ *azcosmos.ContainerClient) answer { return answerOf(o.Execute(ctx, *l)) }
		return q, nil
	}
	feed := l.Operation == "create" || l.Operation == "upsert" || l.Operation == "batch"
	switch {
	case segments[4] != "docs", feed && len(segments) != 5, !feed && len(segments) != 6:
		return q, fmt.Errorf("azcosmos has no call for %s %s", l.Method, l.Path)
	case l.Operation == "batch":
		return q, q.batch(l, o)
	case feed:
		id, err := itemID(l.Body)
		if err != nil {
			return q, err
		}
		return q, q.point(l, id, o)
	}
	return q, q.point(l, segments[5], o)
}

// cutPath splits "/dbs/d/colls/c/docs/i" at its slashes.
func cutPath(path string) ([]string, error) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		name, err := url.PathUnescape(s)
		if err != nil {
			return nil, fmt.Errorf("the path %q: %w", path, err)
		}
		segments[i] = name
	}
	if len(segments) < 5 || segments[0] != "dbs" || segments[2] != "colls" {
		return nil, fmt.Errorf("the path %q is not that of an item", path)
	}
	return segments, nil
}

// point rebuilds the write of one item.
func (q *request) point(l *policies.Letter, id string, o *ReplayOptions) error {
	options := itemOptions(l.Header, o)
	condition := l.Header.Get("If-None-Match")
	q.items = []string{id}
	q.parts = []part{{l.Operation, id, l.Body}}
	q.guarded = l.Operation == "create" || options.IfMatchEtag != nil || condition != ""
	var call func(context.Context, *azcosmos.ContainerClient) (azcosmos.ItemResponse, error)
	switch l.Operation {
	case "create":
		call = func(ctx context.Context, c *azcosmos.ContainerClient) (azcosmos.ItemResponse, error) {
			return c.CreateItem(ctx, q.key, l.Body, options)
		}
	case "upsert":
		call = func(ctx context.Context, c *azcosmos.ContainerClient) (azcosmos.ItemResponse, error) {
			return c.UpsertItem(ctx, q.key, l.Body, options)
		}
	case "replace":
		call = func(ctx context.Context, c *azcosmos.ContainerClient) (azcosmos.ItemResponse, error) {
			return c.ReplaceItem(ctx, q.key, id, l.Body, options)
		}
	case "delete":
		call = func(ctx context.Context, c *azcosmos.ContainerClient) (azcosmos.ItemResponse, error) {
			return c.DeleteItem(ctx, q.key, id, options)
		}
	case "patch":
		operations, err := parsePatch(l.Body)
		if err != nil {
			return err
		}
		call = func(ctx context.Context, c *azcosmos.ContainerClient) (azcosmos.ItemResponse, error) {
			return c.PatchItem(ctx, q.key, id, operations, options)
		}
	default:
		return fmt.Errorf("the operation %q is unknown", l.Operation)
	}
	q.send = func(ctx context.Context, c *azcosmos.ContainerClient) answer {
		if condition != "" { // azcosmos has no option for it
			ctx = policy.WithHTTPHeader(ctx, http.Header{"If-None-Match": {condition}})
		}
		_, err := call(ctx, c)
		return answerOf(err)
	}
	return nil
}

func itemOptions(h http.Header, o *ReplayOptions) *azcosmos.ItemOptions {
	return &azcosmos.ItemOptions{
		PreTriggers:       list(h.Get("X-Ms-Documentdb-Pre-Trigger-Include")),
		PostTriggers:      list(h.Get("X-Ms-Documentdb-Post-Trigger-Include")),
		SessionToken:      optional[string](o.session(h)),
		ConsistencyLevel:  optional[azcosmos.ConsistencyLevel](h.Get("X-Ms-Consistency-Level")),
		IndexingDirective: optional[azcosmos.IndexingDirective](h.Get("X-Ms-Indexing-Directive")),
		IfMatchEtag:       optional[azcore.ETag](h.Get("If-Match")),
	}
}

func (o *ReplayOptions) session(h http.Header) string {
	if o.WithoutSession {
		return ""
	}
	return h.Get(headerSession)
}

func list(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}

func optional[T ~string](value string) *T {
	if value == "" {
		return nil
	}
	return new(T(value))
}

// answerOf reads what a call returned.
func answerOf(err error) answer {
	a := answer{err: err}
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		a.status = e.StatusCode
		if e.RawResponse != nil {
			h := e.RawResponse.Header
			a.subStatus, a.session = subStatus(h.Get(headerSubStatus)), h.Get(headerSession)
		}
	}
	return a
}
