package deadletter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/policies"
)

// parsePartitionKey reads the header of that name: ["a",1,true,null].
func parsePartitionKey(header string) (azcosmos.PartitionKey, error) {
	key := azcosmos.NewPartitionKey()
	if header == "" {
		return key, nil
	}
	var values []any
	if err := json.Unmarshal([]byte(goToJSON(header)), &values); err != nil {
		return key, fmt.Errorf("the partition key %s: %w", header, err)
	}
	for _, value := range values {
		switch v := value.(type) {
		case string:
			key = key.AppendString(v)
		case float64:
			key = key.AppendNumber(v)
		case bool:
			key = key.AppendBool(v)
		case nil:
			key = key.AppendNull()
		default:
			return key, fmt.Errorf("azcosmos has no call for the partition key %s", header)
		}
	}
	return key, nil
}

// goToJSON replaces strings as Go quotes them by strings as JSON does. azcosmos
// writes the former, and they differ for control characters and emoji.
func goToJSON(header string) string {
	var b strings.Builder
	for header != "" {
		start := strings.IndexByte(header, '"')
		if start < 0 {
			start = len(header)
		}
		b.WriteString(header[:start])
		header = header[start:]
		quoted, err := strconv.QuotedPrefix(header)
		if err != nil {
			b.WriteString(header) // nothing, or what is no JSON either
			break
		}
		header = header[len(quoted):]
		text, _ := strconv.Unquote(quoted)
		again, _ := json.Marshal(text)
		b.Write(again)
	}
	return b.String()
}

// itemID reads the id of an item.
func itemID(item []byte) (string, error) {
	var v struct{ ID *string }
	if err := json.Unmarshal(item, &v); err != nil {
		return "", fmt.Errorf("the item: %w", err)
	}
	if v.ID == nil {
		return "", errors.New("the item has no id")
	}
	return *v.ID, nil
}

// strict decodes JSON that must not hold more than is known.
func strict(document []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	return decoder.Decode(v)
}

// parsePatch rebuilds the operations of a patch from its body, and sees that
// they make the same body again.
func parsePatch(body []byte) (azcosmos.PatchOperations, error) {
	var p azcosmos.PatchOperations
	var document struct {
		Condition  json.RawMessage `json:"condition"`
		Operations []struct {
			Op    string          `json:"op"`
			Path  string          `json:"path"`
			Value json.RawMessage `json:"value"`
		} `json:"operations"`
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' { // the service takes a bare list, too
		body = slices.Concat([]byte(`{"operations":`), trimmed, []byte(`}`))
	}
	if err := strict(body, &document); err != nil {
		return p, fmt.Errorf("the patch: %w", err)
	}
	if c := document.Condition; len(c) > 1 && c[0] == '"' {
		p.SetCondition(string(c[1 : len(c)-1])) // azcosmos puts the quotes around it, and escapes nothing
	}
	for _, o := range document.Operations {
		value := any(o.Value)
		if o.Value == nil {
			value = nil
		}
		switch o.Op {
		case "add":
			p.AppendAdd(o.Path, value)
		case "replace":
			p.AppendReplace(o.Path, value)
		case "set":
			p.AppendSet(o.Path, value)
		case "remove":
			p.AppendRemove(o.Path)
		case "incr":
			n, err := strconv.ParseInt(string(o.Value), 10, 64)
			if err != nil {
				return p, fmt.Errorf("azcosmos has no call for the patch %s", body)
			}
			p.AppendIncrement(o.Path, n)
		}
	}
	if again, err := json.Marshal(p); err != nil || !equalJSON(again, body) {
		return p, fmt.Errorf("azcosmos has no call for the patch %s", body)
	}
	return p, nil
}

// batchPart is one operation of a transactional batch as it is sent.
type batchPart struct {
	OperationType string          `json:"operationType"`
	ID            string          `json:"id"`
	IfMatch       *azcore.ETag    `json:"ifMatch"`
	ResourceBody  json.RawMessage `json:"resourceBody"`
}

// batch rebuilds a transactional batch.
func (q *request) batch(l *policies.Letter, o *ReplayOptions) error {
	if strings.EqualFold(l.Header.Get("X-Ms-Cosmos-Batch-Atomic"), "false") {
		return errors.New("azcosmos has no call for a batch that is not atomic")
	}
	var list []batchPart
	if err := strict(l.Body, &list); err != nil {
		return fmt.Errorf("the batch: %w", err)
	}
	var b azcosmos.TransactionalBatch
	adders := make([]func(), len(list))
	for i := range list {
		add, err := list[i].adder(&b, q)
		if err != nil {
			return fmt.Errorf("operation %d of the batch: %w", i, err)
		}
		adders[i] = add
	}
	for _, p := range q.parts {
		q.items = append(q.items, p.id)
	}
	options := &azcosmos.TransactionalBatchOptions{
		SessionToken:     o.session(l.Header),
		ConsistencyLevel: optional[azcosmos.ConsistencyLevel](l.Header.Get("X-Ms-Consistency-Level")),
	}
	q.send = func(ctx context.Context, c *azcosmos.ContainerClient) answer {
		b = c.NewTransactionalBatch(q.key)
		for _, add := range adders {
			add()
		}
		return batchAnswer(c.ExecuteTransactionalBatch(ctx, b, options))
	}
	return nil
}

// adder returns what adds the operation to a batch.
func (p *batchPart) adder(b *azcosmos.TransactionalBatch, q *request) (func(), error) {
	operation, id := strings.ToLower(p.OperationType), p.ID
	options := &azcosmos.TransactionalBatchItemOptions{IfMatchETag: p.IfMatch}
	var err error
	var add func()
	switch operation {
	case "create":
		add = func() { b.CreateItem(p.ResourceBody, options) }
	case "upsert":
		add = func() { b.UpsertItem(p.ResourceBody, options) }
	case "replace":
		add = func() { b.ReplaceItem(id, p.ResourceBody, options) }
	case "delete":
		add = func() { b.DeleteItem(id, options) }
	case "read":
		add = func() { b.ReadItem(id, options) }
	case "patch":
		var operations azcosmos.PatchOperations
		operations, err = parsePatch(p.ResourceBody)
		add = func() { b.PatchItem(id, operations, options) }
	default:
		err = fmt.Errorf("azcosmos has no call for %q", p.OperationType)
	}
	if err == nil && id == "" {
		id, err = itemID(p.ResourceBody)
	}
	q.guarded = q.guarded || operation == "create" || p.IfMatch != nil
	q.parts = append(q.parts, part{operation, id, p.ResourceBody})
	return add, err
}

// batchAnswer takes the answer of a batch from the operation that failed: the
// others failed with it.
func batchAnswer(resp azcosmos.TransactionalBatchResponse, err error) answer {
	if err != nil {
		return answerOf(err)
	}
	if resp.Success {
		return answer{}
	}
	a := answer{session: resp.SessionToken, err: errors.New("the batch was refused")}
	for i, result := range resp.OperationResults {
		if result.StatusCode >= 400 && result.StatusCode != http.StatusFailedDependency {
			a.status = int(result.StatusCode)
			a.err = fmt.Errorf("operation %d of the batch: %d %s", i, a.status, http.StatusText(a.status))
			break
		}
	}
	return a
}

func subStatus(header string) int {
	n, _ := strconv.Atoi(header)
	return n
}
