package telemetry

import (
	"context"

	"github.com/cosmosretry/cosmosretry/policies"
)

// ending is what the labels of an operation's end come from. Programs do the
// same few things all the time, so one look-up finds all the labels of most
// ends: every operation that succeeds pays for it.
type ending struct {
	operation, collection, region string
	status, sub                   int
	failure                       string
}

// endLabels are the labels of an ending, each with more in it than the one
// before: the operation; how it ended; and where, with which answer.
type endLabels struct{ operation, result, answer *ready }

// ending returns the labels of an operation's end, nil for the client's own
// reads of the account.
func (l *labeller) ending(ctx context.Context, e *policies.Event) *endLabels {
	key := ending{e.Operation, e.Collection, e.Region, e.Status, e.SubStatus, failureOf(ctx, e)}
	if known := l.endings.of(key); known != beyond {
		return known
	}
	return l.endLabels(key)
}

// beyond stands for endings that are too many to be kept ready.
var beyond = new(endLabels)

func (l *labeller) endLabels(end ending) *endLabels {
	key := l.operation(end.operation, end.collection)
	if key.operation == readAccount {
		return nil
	}
	var e endLabels
	e.operation = l.options(key)
	key.failure = end.failure
	e.result = l.options(key)
	key.region, key.status, key.sub = l.region(end.region), end.status, l.subStatus(end.sub)
	e.answer = l.options(key)
	return &e
}
