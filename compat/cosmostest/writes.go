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

// headerHubOnly asks for an answer of the write region or none. Other SDKs send it after a 404/1002, to find the region
// that surely has what the session saw.
const headerHubOnly = "X-Ms-Cosmos-Hub-Region-Processing-Only"

// hubOnly refuses a read that only the write region of the partition is to answer, when this is another one.
func (w *work) hubOnly(p *partition) *failure {
	if w.op.write() || w.store.multi || w.store.writerOf(p) == w.site || !w.rec.is(headerHubOnly) {
		return nil
	}
	return fail(http.StatusForbidden, 3, "The requested operation cannot be performed at this region: %s is not the write "+
		"region of partition %s.", w.rec.Region, p.id)
}
