package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/cosmosretry/cosmosretry/policies"
)

// addSpanEvent adds a decision to the span in the request's context. The end of
// an operation is worth an event only when it was not plain.
func addSpanEvent(ctx context.Context, e *policies.Event) {
	if e.Kind == policies.EventCompleted && e.Attempt <= 1 {
		return
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.AddEvent("cosmosretry."+string(e.Kind), trace.WithTimestamp(e.Time), trace.WithAttributes(spanAttributes(e)...))
}

// spanAttributes tells all that an event knows. Unlike labels, the attributes
// of a span may have any number of values.
func spanAttributes(e *policies.Event) []attribute.KeyValue {
	kv := make([]attribute.KeyValue, 0, 10)
	for _, text := range [...]struct {
		key   attribute.Key
		value string
	}{
		{keyReason, e.Reason}, {keyCause, string(e.Cause)}, {keyRegion, e.Region}, {keyTarget, e.Target}, {keyPart, e.Partition},
	} {
		if text.value != "" {
			kv = append(kv, text.key.String(text.value))
		}
	}
	if e.Status != 0 {
		kv = append(kv, semconv.DBResponseStatusCode(statusLabel(e.Status)))
	}
	if e.SubStatus != 0 {
		kv = append(kv, semconv.AzureCosmosDBResponseSubStatusCode(e.SubStatus))
	}
	if e.Attempt != 0 {
		kv = append(kv, keyAttempt.Int(e.Attempt), keyElapsed.Float64(e.Elapsed.Seconds()), keyWait.Float64(e.Wait.Seconds()))
	}
	if e.Charge != 0 {
		kv = append(kv, semconv.AzureCosmosDBOperationRequestCharge(e.Charge))
	}
	return kv
}
