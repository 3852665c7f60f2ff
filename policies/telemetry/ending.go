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
type endLabels struct {
	of                        ending
	operation, result, answer *ready
}

// ending returns the labels of an operation's end, nil for the client's own
// reads of the account.
func (l *labeller) ending(ctx context.Context, e *policies.Event) *endLabels {
	key := ending{e.Operation, e.Collection, e.Region, e.Status, e.SubStatus, failureOf(ctx, e)}
	slot := &l.recent[uint(len(key.operation)+len(key.collection)+key.status)%uint(len(l.recent))]
	if recent := slot.Load(); recent != nil && recent.of == key {
		return recent
	}
	known := l.endings.of(key)
	if known == beyond {
		return l.endLabels(key)
	}
	if known != nil {
		slot.Store(known)
	}
	return known
}

// beyond stands for endings that are too many to be kept ready.
var beyond = new(endLabels)

func (l *labeller) endLabels(end ending) *endLabels {
	key := l.operation(end.operation, end.collection)
	if key.operation == readAccount {
		return nil
	}
	e := endLabels{of: end}
	e.operation = l.options(key)
	key.failure = end.failure
	e.result = l.options(key)
	key.region, key.status, key.sub = l.region(end.region), end.status, l.subStatus(end.sub)
	e.answer = l.options(key)
	return &e
}
