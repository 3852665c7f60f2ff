package telemetry

import (
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/cosmosretry/cosmosretry/policies"
)

// The attributes that no semantic convention has.
const (
	keyRegion  = attribute.Key("cosmosretry.region")
	keyTarget  = attribute.Key("cosmosretry.target_region")
	keyCause   = attribute.Key("cosmosretry.cause")
	keyKind    = attribute.Key("cosmosretry.kind")
	keyState   = attribute.Key("cosmosretry.breaker.state")
	keyAttempt = attribute.Key("cosmosretry.attempt")
	keyWait    = attribute.Key("cosmosretry.wait")
	keyElapsed = attribute.Key("cosmosretry.elapsed")
	keyReason  = attribute.Key("cosmosretry.reason")
	keyPart    = attribute.Key("cosmosretry.partition")
)

const (
	other   = "other"   // one too many
	unknown = "unknown" // no region, but a host
	none    = "none"    // no cause

	mostRegions     = 96   // Azure has fewer
	mostSubStatuses = 64   // the service has some 40
	mostLabels      = 1024 // that are kept ready; the others are made anew
)

// operations maps what events call an operation to db.operation.name: the
// well-known values of the semantic conventions where one applies.
var operations = map[string]string{
	"read": "read_item", "query": "query_items", "create": "create_item", "upsert": "upsert_item",
	"replace": "replace_item", "patch": "patch_item", "delete": "delete_item",
	"batch": "execute_batch", "execute": "execute_stored_procedure",

	"metadata read": "read_metadata", "metadata query": "query_metadata", "metadata create": "create_metadata",
	"metadata upsert": "upsert_metadata", "metadata replace": "replace_metadata", "metadata patch": "patch_metadata",
	"metadata delete": "delete_metadata", "metadata batch": "batch_metadata", "metadata execute": "execute_metadata",
	"account read": readAccount, "account query": readAccount,

	"reads": "reads", "writes": "writes", // of a circuit breaker
}

// readAccount is the client's own read of the account, which is no operation of
// the program's.
const readAccount = "read_account"

// container is a container as the labels name it.
type container struct{ database, name string }

// parseContainer takes a path apart: "dbs/d/colls/c", escaped.
func parseContainer(path string) *container {
	parts := strings.Split(path, "/")
	if len(parts) != 4 {
		return &container{name: other}
	}
	return &container{unescape(parts[1]), unescape(parts[3])}
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	return strings.Clone(s) // not the whole path of a request
}

// regionLabel names a region. Before the account's regions are known events
// have a host in its place.
func regionLabel(name string) string {
	if strings.ContainsAny(name, ".:") {
		return unknown
	}
	return strings.Clone(name)
}

// labels is a combination of label values; those that an instrument does not
// have are left at zero. It is comparable.
type labels struct {
	operation      string
	container      *container
	region, target string
	kind, cause    string
	status, sub    int
	failure        string // error.type
}

// attributes makes the attributes of a combination.
func (l *labels) attributes(base []attribute.KeyValue) attribute.Set {
	kv := make([]attribute.KeyValue, 0, len(base)+10)
	kv = append(kv, base...)
	text := func(key attribute.Key, value string) {
		if value != "" {
			kv = append(kv, key.String(value))
		}
	}
	text(semconv.DBOperationNameKey, l.operation)
	if l.container != nil {
		text(semconv.DBNamespaceKey, l.container.database)
		text(semconv.DBCollectionNameKey, l.container.name)
	}
	text(keyRegion, l.region)
	text(keyTarget, l.target)
	text(keyKind, l.kind)
	text(keyCause, l.cause)
	if l.status != 0 {
		text(semconv.DBResponseStatusCodeKey, statusLabel(l.status))
	}
	if l.sub != 0 {
		kv = append(kv, semconv.AzureCosmosDBResponseSubStatusCode(l.sub))
	}
	text(semconv.ErrorTypeKey, l.failure)
	return attribute.NewSet(kv...)
}

// statusLabel is a status in three digits: a server can answer with any number.
func statusLabel(status int) string {
	if status < 100 || status > 599 {
		return other
	}
	return strconv.Itoa(status)
}

// ready is a combination in the form that instruments take, so that a
// measurement does not allocate.
type ready struct {
	record []metric.RecordOption
	add    []metric.AddOption
}

func newReady(set attribute.Set) *ready {
	option := metric.WithAttributeSet(set)
	return &ready{[]metric.RecordOption{option}, []metric.AddOption{option}}
}

// labeller turns events into labels of which there are only so many.
type labeller struct {
	base        []attribute.KeyValue
	containers  *bounded[string, *container]
	regions     *bounded[string, string]
	subStatuses *bounded[int, int]
	ready       *bounded[labels, *ready]
	endings     *bounded[ending, *endLabels]
	recent      [8]atomic.Pointer[endLabels] // of these, found by comparing and not by hashing
}

func newLabeller(o *Options) *labeller {
	l := &labeller{base: append(o.Attributes, semconv.DBSystemNameAzureCosmosDB)}
	l.containers = newBounded(o.MaxCollections, parseContainer, &container{other, other})
	l.regions = newBounded(mostRegions, regionLabel, other)
	l.subStatuses = newBounded(mostSubStatuses, func(n int) int { return n }, -1)
	l.ready = newBounded(mostLabels, func(key labels) *ready { return newReady(key.attributes(l.base)) }, nil)
	l.endings = newBounded(mostLabels, l.endLabels, beyond)
	return l
}

// options returns a combination as instruments take it.
func (l *labeller) options(key labels) *ready {
	if r := l.ready.of(key); r != nil {
		return r
	}
	return newReady(key.attributes(l.base))
}

// operation starts the labels of an event with what it was that happened.
func (l *labeller) operation(operation, collection string) labels {
	var key labels
	if operation != "" {
		var ok bool
		if key.operation, ok = operations[operation]; !ok {
			key.operation = other
		}
	}
	if collection != "" {
		key.container = l.containers.of(collection)
	}
	return key
}

func (l *labeller) region(name string) string {
	if name == "" {
		return ""
	}
	return l.regions.of(name)
}

func (l *labeller) cause(c policies.EventCause) string {
	switch c {
	case policies.CauseThrottling, policies.CauseConnection, policies.CauseServer,
		policies.CauseTopology, policies.CauseSession, policies.CauseTimeout:
		return string(c)
	case "":
		return none
	}
	return other
}

func (l *labeller) subStatus(n int) int {
	if n == 0 {
		return 0
	}
	return l.subStatuses.of(n)
}
