package failover

import (
	"net/http"
	"slices"
	"time"

	"github.com/cosmosretry/cosmosretry/internal/attempt"
	"github.com/cosmosretry/cosmosretry/internal/wire"
)

// learn tells the cache how the attempts since first ended, before anybody
// looks at the caller's context: a caller whose deadline passes still teaches
// the next one. Only the last attempt can have effects, those before it were
// answers that an inner policy retried.
func (o *operation) learn(first int, resp *http.Response, e effect) {
	s := o.state
	attempts := s.Attempts()
	for i := first; i < len(attempts); i++ {
		a := &attempts[i]
		last := i == len(attempts)-1
		failure := last && e&partitionFailure != 0
		o.settleProbe(a, failure)
		if a.Outcome().Class != attempt.Answered {
			continue
		}
		marks := last && o.marks(e)
		if failure {
			if !marks {
				o.cache.Reached(&s.Op, a.Host)
			}
			continue
		}
		var h http.Header
		if last && resp != nil {
			h = resp.Header
		}
		if marks {
			o.cache.AnsweredMarked(&s.Op, a.Host, h)
		} else {
			o.cache.Answered(&s.Op, a.Host, h)
		}
		o.confirm(a)
	}
	if e != 0 {
		o.apply(attempts[len(attempts)-1].Host, e)
	}
}

// marks reports whether the effects of an answer mark its endpoint.
func (o *operation) marks(e effect) bool {
	return e&(markLost|markWrites) != 0 || e&markIfNoBreaker != 0 && !o.cache.BreakerEnabled()
}

// confirm remembers the region that took a write. Where a write goes whose caller
// excludes the write region says nothing about anybody else's.
func (o *operation) confirm(a *attempt.Attempt) {
	op := &o.state.Op
	if !op.Writes() || o.cache.Hub(o.state.Context()) == nil {
		return
	}
	switch {
	case a.Status < http.StatusMultipleChoices, a.Status == http.StatusConflict, a.Status == http.StatusPreconditionFailed:
		o.cache.WriteConfirmed(op, a.Host)
	}
}

// apply carries the effects of a failure into the cache.
func (o *operation) apply(host string, e effect) {
	s := o.state
	spent := &s.Spent().Failover
	if e&partitionFailure != 0 && !(e&countOnce != 0 && slices.Contains(spent.Forbidden, host)) {
		o.cache.PartitionFailed(&s.Op, host)
	}
	if e&countOnce != 0 {
		spent.Forbidden = append(spent.Forbidden, host)
	}
	if s.Last().Is(http.StatusGone, wire.SubStatusPartitionKeyRangeGone) {
		o.cache.PartitionGone(&s.Op)
	}
	switch {
	case e&markEndpoint != 0, e&markIfNoBreaker != 0 && !o.cache.BreakerEnabled():
		o.cache.MarkUnavailable(host)
	case e&markLost != 0:
		o.cache.MarkAccountLost(host)
	case e&markWrites != 0:
		o.cache.MarkWriteForbidden(host)
	}
}

// settleProbe reports a probe's result. An attempt that is about to be repeated
// on a new connection is not the result yet.
func (o *operation) settleProbe(a *attempt.Attempt, failure bool) {
	if o.probe == nil || a.Host != o.probed {
		return
	}
	switch {
	case failure:
		o.probe.Failed(time.Now())
	case a.Outcome().Class == attempt.Answered:
		o.probe.Succeeded()
	default:
		return
	}
	o.probe = nil
}

// releaseProbe frees the place of a probe that ended without a result, on
// cancellation and panic too.
func (o *operation) releaseProbe() {
	if o.probe != nil {
		o.probe.Released()
		o.probe = nil
	}
}
