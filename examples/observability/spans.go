package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
)

// spanKeeper is a span exporter that keeps the span with the most events, in
// place of a tracing backend. It is safe for concurrent use.
type spanKeeper struct {
	mu   sync.Mutex
	most trace.ReadOnlySpan
}

// ExportSpans implements [trace.SpanExporter].
func (k *spanKeeper) ExportSpans(_ context.Context, spans []trace.ReadOnlySpan) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range spans {
		if k.most == nil || len(s.Events()) > len(k.most.Events()) {
			k.most = s
		}
	}
	return nil
}

// Shutdown implements [trace.SpanExporter].
func (k *spanKeeper) Shutdown(context.Context) error { return nil }

// telling are the attributes of an event that are printed.
var telling = []attribute.Key{
	"cosmosretry.region", "cosmosretry.target_region", "db.response.status_code", "cosmosretry.wait", "cosmosretry.reason",
}

func (k *spanKeeper) print(w io.Writer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.most == nil {
		return
	}
	fmt.Fprintf(w, "%s, %v\n", k.most.Name(), k.most.EndTime().Sub(k.most.StartTime()))
	for _, e := range k.most.Events() {
		fmt.Fprintf(w, "  +%-12v %s", e.Time.Sub(k.most.StartTime()), e.Name)
		for _, a := range e.Attributes {
			if slices.Contains(telling, a.Key) {
				fmt.Fprintf(w, " %s=%s", a.Key, a.Value.String())
			}
		}
		fmt.Fprintln(w)
	}
}
