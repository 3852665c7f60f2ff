package cosmostest

import "net/http"

// mayWrite refuses a write that its region does not take. Metadata lives at the hub alone.
func (a *Account) mayWrite(w *work, metadata bool) *failure {
	top := w.top
	key := top.replica(w.rec.Region)
	hub := key == regionKey(top.hub)
	switch {
	case metadata && !hub, !metadata && top.multi() && !top.writable[key]:
		return w.forbidden()
	case !metadata && !top.multi() && !top.cfg.PPAF && !hub:
		return w.forbidden()
	case !metadata && !hub && top.cfg.MultiWrite && !w.rec.is(headerTentative):
		return fail(http.StatusForbidden, 3, "The requested operation cannot be performed at this region: %s takes writes "+
			"only with the header %s.", w.rec.Region, headerTentative)
	case !metadata && !top.multi() && top.cfg.PPAF:
		return a.claim(w)
	}
	return nil
}

// headerTentative says that the client knows of write regions beside the hub. The service answers 403/3 to a write that
// comes to one of them without it.
const headerTentative = "X-Ms-Cosmos-Allow-Tentative-Writes"

func (w *work) forbidden() *failure {
	return fail(http.StatusForbidden, 3, "The requested operation cannot be performed at this region: %s takes no writes.", w.rec.Region)
}

// route sends a write that was accepted before the write region moved to the one that takes the writes of its partition
// now. The caller holds the store's lock.
func (w *work) route(p *partition) {
	if w.op.write() && !w.store.multi {
		w.site = w.store.writerOf(p)
	}
}
