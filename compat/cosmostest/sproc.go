package cosmostest

import (
	"encoding/json"
	"net/http"
)

// procedures answers the execution of a stored procedure. Every id exists, and every procedure returns its parameters.
func (w *work) procedures() (*answer, error) {
	if w.op != opExecute {
		return nil, w.notServed()
	}
	params := []any{}
	if len(w.rec.Body) > 0 {
		if f := decode(w.rec.Body, &params); f != nil {
			return nil, f
		}
	}
	w.store.mu.RLock()
	defer w.store.mu.RUnlock()
	c, f := w.container()
	if f != nil {
		return nil, f
	}
	t, f := w.begin(c)
	if f != nil {
		return nil, f
	}
	if f := w.admit(c, t.part); f != nil {
		return w.refusal(c, t.part, f)
	}
	w.spend(c, t.part, failureCharge)
	ans := w.partitionAnswer(http.StatusOK, c, t.part)
	ans.body, _ = json.Marshal(params) // decoded JSON: encodes
	return ans, nil
}
