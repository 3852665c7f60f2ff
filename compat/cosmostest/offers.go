package cosmostest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// offer is the throughput of a database or container.
type offer struct {
	resource
	rate int64 // request units per second; the maximum when it scales by itself
}

// offerFromHeaders makes the offer that a create request asks for; 400 RU/s for a container that asks for none.
func (w *work) offerFromHeaders(owner resource) *offer {
	content := map[string]any{}
	var autoscale map[string]any
	if n, err := strconv.Atoi(w.rec.Header.Get("X-Ms-Offer-Throughput")); err == nil {
		content["offerThroughput"] = n
	} else if json.Unmarshal([]byte(w.rec.Header.Get("X-Ms-Cosmos-Offer-Autopilot-Settings")), &autoscale) == nil && autoscale != nil {
		content["offerAutopilotSettings"] = autoscale
	} else if w.to.kind == "dbs" {
		return nil
	} else {
		content["offerThroughput"] = 400
	}
	return w.store.addOffer(owner, content)
}

// addOffer makes an offer. The caller holds the lock.
func (s *store) addOffer(owner resource, content map[string]any) *offer {
	id := childRID("", s.seq+1, 4)
	doc := map[string]any{
		"offerVersion": "V2", "offerType": "Invalid", "content": content,
		"resource": owner.self, "offerResourceId": owner.rid,
	}
	o := &offer{resource: s.newResource(id, id, "offers/"+id+"/", decodedObject(doc))}
	o.readRate()
	s.offers[strings.ToLower(id)] = o
	return o
}

// readRate takes the throughput from the document.
func (o *offer) readRate() {
	content, _ := o.doc["content"].(map[string]any)
	o.rate = integer(content["offerThroughput"])
	if auto, ok := content["offerAutopilotSettings"].(map[string]any); ok {
		o.rate = integer(auto["maxThroughput"])
	}
}

// offers answers a request for offers.
func (w *work) offers() (*answer, error) {
	if w.to.feed {
		if w.op != opQuery && w.op != opReadFeed {
			return nil, w.notServed()
		}
		return w.list("", "Offers", slices.Collect(func(yield func(resource) bool) {
			for _, o := range w.store.offers {
				if !yield(o.resource) {
					return
				}
			}
		}))
	}
	o := w.store.offers[strings.ToLower(w.to.id)]
	if o == nil {
		return nil, fail(http.StatusNotFound, 0, "Resource Not Found: offer %q.", w.to.id)
	}
	switch w.op {
	case opRead:
		return w.offerAnswer(o), nil
	case opReplace:
		if f := w.etagMatches(o.resource); f != nil {
			return nil, f
		}
		doc, f := decodeObject(w.rec.Body)
		if f != nil {
			return nil, f
		}
		if _, ok := doc["content"].(map[string]any); !ok {
			return nil, fail(http.StatusBadRequest, 0, "An offer needs content.")
		}
		doc["resource"], doc["offerResourceId"] = o.doc["resource"], o.doc["offerResourceId"]
		o.doc = doc
		o.stamp(w.store.next(), w.store.now().Unix())
		o.readRate()
		return w.offerAnswer(o), nil
	}
	return nil, w.notServed()
}

func (w *work) offerAnswer(o *offer) *answer {
	ans := w.resourceAnswer(http.StatusOK, o.resource)
	ans.header["X-Ms-Offer-Replace-Pending"] = []string{"false"}
	ans.header["X-Ms-Cosmos-Min-Throughput"] = []string{"400"}
	return ans
}
