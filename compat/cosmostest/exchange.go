package cosmostest

import (
	"context"
	"time"
)

// exchange is one request on its way through the account, in process or on a listener.
type exchange struct {
	account *Account
	top     *topology
	rec     *Request
	to      target
	badPath error // why to is nothing
	op      op
	// body reads the request body, or its first n bytes when n is not negative.
	body func(n int64) ([]byte, error)
	// bodyFirst: read the body before anything else that a fault with Early would do.
	bodyFirst bool
}

// outcome is how an exchange ends: with an answer, with a transport fault, or with the error of a client that gave up.
type outcome struct {
	answer *answer
	fault  TransportFault
	narrow bool // the fault is for some of the requests on the connection
	err    error
}

// bodyPrefix is how much of a request body ResetMidBody reads before it resets.
const bodyPrefix = 512

// begin logs the arrival of a request.
func (a *Account) begin(rec *Request, body func(int64) ([]byte, error)) *exchange {
	x := &exchange{account: a, top: a.top.Load(), rec: rec, body: body}
	rec.Time = a.store.now()
	rec.Account = rec.Method == "GET" && (rec.Path == "/" || rec.Path == "")
	if x.to, x.badPath = parseTarget(rec.Path); x.badPath == nil {
		x.op = operation(rec, x.to)
		rec.Operation = operationName(rec, x.to, x.op)
		rec.Database, rec.Container = x.to.db, x.to.coll
		a.store.arrive()
		rec.Range = a.store.rangeOf(rec, x.to)
	}
	a.log.arrive(rec, x.top.cfg.LogLimit)
	return x
}

// rangeOf is the physical partition that a request is for, as far as its headers tell; empty for none.
func (s *store) rangeOf(rec *Request, to target) string {
	if to.kind != "docs" && to.kind != "sprocs" {
		return ""
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, f := s.container(to.db, to.coll)
	if f != nil {
		return ""
	}
	scope, f := c.scopeOf(rec)
	if f != nil || scope.first() == nil {
		return ""
	}
	return scope.first().id
}

// serve is the whole life of a request that reached the account: fault or processing, then the log.
func (x *exchange) serve(ctx context.Context) outcome {
	out := x.respond(ctx)
	x.account.log.update(func() {
		x.rec.Transport = out.fault
		x.rec.Canceled = out.err != nil
		if out.answer != nil {
			x.rec.Status, x.rec.SubStatus = out.answer.status, out.answer.subStatus
			if x.rec.Range == "" {
				x.rec.Range = out.answer.rangeID
			}
			if out.answer.cut {
				x.rec.Transport = Truncated
			}
		}
	})
	return out
}

func (x *exchange) respond(ctx context.Context) outcome {
	set := *x.account.faults.Load()
	f, next := set.pick(x.rec, 0, false)
	if next >= 0 {
		if err := x.readBody(-1); err != nil {
			return outcome{err: err}
		}
		f, _ = set.pick(x.rec, next, true)
	}
	if f == nil {
		return x.process()
	}
	x.account.log.update(func() { x.rec.Fault = f.ID })
	if !f.silent() {
		x.trouble()
	}
	out := x.misbehave(ctx, f)
	if out.answer != nil {
		out.answer.bandwidth = f.Bandwidth
	}
	return out
}

// misbehave is the request's way through fault f.
func (x *exchange) misbehave(ctx context.Context, f *armedFault) outcome {
	if f.Transport == ResetMidBody {
		_ = x.readBody(bodyPrefix) // whatever it gave, the reset comes next
	} else if !f.Transport.notSent() && (x.bodyFirst || !f.Early) {
		if err := x.readBody(-1); err != nil {
			return outcome{err: err}
		}
	}
	var applied outcome
	if f.Applied && !f.Transport.notSent() && !f.Early {
		applied = x.process()
	}
	if err := sleep(ctx, f.Delay); err != nil {
		return outcome{err: err}
	}
	switch {
	case f.silent() && f.Applied:
		return applied
	case f.silent():
		return x.process()
	case f.Transport == Blackhole:
		<-ctx.Done()
		return outcome{fault: Blackhole, err: context.Cause(ctx)}
	case f.Transport != NoTransportFault && f.Transport != Truncated:
		return outcome{fault: f.Transport, narrow: f.narrow()}
	}
	return outcome{answer: f.answer()}
}

// process lets the account answer.
func (x *exchange) process() outcome {
	if err := x.readBody(-1); err != nil {
		return outcome{err: err}
	}
	return outcome{answer: x.answer()}
}

// readBody reads the request body once, into the log.
func (x *exchange) readBody(n int64) error {
	if x.body == nil {
		return nil
	}
	body, err := x.body(n)
	x.body = nil
	x.account.log.update(func() { x.rec.Body = body })
	return err
}

// sleep waits for d or the end of ctx, whichever is first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
