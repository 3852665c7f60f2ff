package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// deadline is how long a request may take, with all retries.
const deadline = 10 * time.Second

// order is an order of a customer.
type order struct {
	ID       string `json:"id"`
	Customer string `json:"customer"` // the partition key
	Total    int    `json:"total"`
}

// service is an HTTP API for the orders in a container.
type service struct{ orders *azcosmos.ContainerClient }

// newHandler serves the API:
//
//	POST /customers/{customer}/orders       creates an order
//	GET  /customers/{customer}/orders/{id}  returns one
//	GET  /customers/{customer}/orders       returns all of a customer
//
// A caller who sends the Session-Token of the last answer back sees what it has
// written, whatever region and whatever instance of the service it gets to.
func newHandler(orders *azcosmos.ContainerClient) http.Handler {
	s := &service{orders}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /customers/{customer}/orders", answer(http.StatusCreated, s.create))
	mux.HandleFunc("GET /customers/{customer}/orders/{id}", answer(http.StatusOK, s.get))
	mux.HandleFunc("GET /customers/{customer}/orders", answer(http.StatusOK, s.list))
	return mux
}

func (s *service) create(ctx context.Context, r *http.Request, answer http.Header) (any, error) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil || o.ID == "" {
		return nil, &azcore.ResponseError{StatusCode: http.StatusBadRequest}
	}
	o.Customer = r.PathValue("customer")
	body, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	created, err := s.orders.CreateItem(ctx, key(r), body, nil)
	tell(answer, created.SessionToken)
	return o, err
}

func (s *service) get(ctx context.Context, r *http.Request, answer http.Header) (any, error) {
	var o order
	item, err := s.orders.ReadItem(ctx, key(r), r.PathValue("id"), &azcosmos.ItemOptions{SessionToken: session(r)})
	if err != nil {
		return nil, err
	}
	tell(answer, item.SessionToken)
	err = json.Unmarshal(item.Value, &o)
	return o, err
}

func (s *service) list(ctx context.Context, r *http.Request, _ http.Header) (any, error) {
	all := []order{}
	pager := s.orders.NewQueryItemsPager("SELECT * FROM c", key(r), &azcosmos.QueryOptions{SessionToken: session(r)})
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			var o order
			if err := json.Unmarshal(item, &o); err != nil {
				return nil, err
			}
			all = append(all, o)
		}
	}
	return all, nil
}

// session is the session token that the caller has, nil for none.
func session(r *http.Request) *string {
	if token := r.Header.Get("Session-Token"); token != "" {
		return &token
	}
	return nil
}

// tell hands the caller a session token.
func tell(answer http.Header, token *string) {
	if token != nil {
		answer.Set("Session-Token", *token)
	}
}

func key(r *http.Request) azcosmos.PartitionKey {
	return azcosmos.NewPartitionKeyString(r.PathValue("customer"))
}

// answer makes a handler of a function. What is the caller's own fault, the caller is told; everything else is a 503.
func answer(status int, do func(context.Context, *http.Request, http.Header) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), deadline)
		defer cancel()
		value, err := do(ctx, r, w.Header())
		if err != nil {
			status := http.StatusServiceUnavailable
			if e, ok := errors.AsType[*azcore.ResponseError](err); ok && (e.StatusCode == 400 || e.StatusCode == 404 || e.StatusCode == 409) {
				status = e.StatusCode
			}
			log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
			http.Error(w, http.StatusText(status), status)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
}
