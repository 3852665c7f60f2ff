package deadletter

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// outage answers everything with an error that leaves open what was executed.
var outage = cosmostest.Fault{Region: "*", Status: 503}

// away lets no request reach the account, so that surely nothing was executed.
var away = cosmostest.Fault{Region: "*", Transport: cosmostest.Refused}

// world is an account, a store, and a client whose writes end up in the store.
type world struct {
	t         *testing.T
	account   *cosmostest.Account
	store     *Store
	client    *azcosmos.Client
	container *azcosmos.ContainerClient
	key       azcosmos.PartitionKey
}

func newWorld(t *testing.T, o *Options) *world {
	t.Helper()
	w := &world{t: t, store: newStore(t, o), key: azcosmos.NewPartitionKeyString("a")}
	w.account = cosmostest.New(t, &cosmostest.Config{Containers: []cosmostest.Container{
		{Database: "db", ID: "c"}, {Database: "db", ID: "deep", PartitionKey: []string{"/a", "/b", "/c"}},
	}})
	w.client = w.newClient(w.store)
	var err error
	if w.container, err = w.client.NewContainer("db", "c"); err != nil {
		t.Fatal(err)
	}
	w.must(w.container.Read(t.Context(), nil)) // so that the account has been read
	return w
}

// newClient makes a client with the policies, or without them.
func (w *world) newClient(letters policies.DeadLetters) *azcosmos.Client {
	w.t.Helper()
	options := &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: w.account.Transport()}}
	if letters != nil {
		if _, err := policies.Install(options, w.account.Endpoint(), &policies.Options{DeadLetters: letters}); err != nil {
			w.t.Fatal(err)
		}
	}
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		w.t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(w.account.Endpoint(), cred, options)
	if err != nil {
		w.t.Fatal(err)
	}
	return client
}

func (w *world) must(_ any, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// lost makes a write while there is a fault, and sees that it was kept.
func (w *world) lost(fault cosmostest.Fault, write func() error) {
	w.t.Helper()
	before := length(w.t, w.store)
	w.account.SetFaults(fault)
	defer w.account.SetFaults()
	if err := write(); err == nil {
		w.t.Fatal("the write succeeded")
	}
	if after := length(w.t, w.store); after != before+1 {
		w.t.Fatalf("%d letters were kept, want 1", after-before)
	}
}

// item makes an item in the partition "a", with a value.
func item(id string, value any) []byte {
	text, err := json.Marshal(map[string]any{"id": id, "pk": "a", "v": value})
	if err != nil {
		panic(err)
	}
	return text
}

func (w *world) create(id string, value any) func() error {
	return func() error {
		_, err := w.container.CreateItem(w.t.Context(), w.key, item(id, value), nil)
		return err
	}
}

func (w *world) upsert(id string, value any) func() error {
	return func() error {
		_, err := w.container.UpsertItem(w.t.Context(), w.key, item(id, value), nil)
		return err
	}
}

// replace replaces an item on the condition that it has not changed, if etag is not empty.
func (w *world) replace(id string, value any, etag azcore.ETag) func() error {
	return func() error {
		_, err := w.container.ReplaceItem(w.t.Context(), w.key, id, item(id, value), &azcosmos.ItemOptions{IfMatchEtag: optional[azcore.ETag](string(etag))})
		return err
	}
}

func (w *world) increment(id string, by int64) func() error {
	return func() error {
		var p azcosmos.PatchOperations
		p.AppendIncrement("/v", by)
		_, err := w.container.PatchItem(w.t.Context(), w.key, id, p, nil)
		return err
	}
}

// value reads the value of an item, empty when there is none.
func (w *world) value(id string) string {
	w.t.Helper()
	items, err := w.account.Items("db", "c", "East US")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, i := range items {
		if i["id"] == id {
			return fmt.Sprint(i["v"])
		}
	}
	return ""
}

func (w *world) etag(id string) azcore.ETag {
	w.t.Helper()
	resp, err := w.container.ReadItem(w.t.Context(), w.key, id, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.ETag
}

// replay replays, and sees what became of each letter.
func (w *world) replay(o *ReplayOptions, want ...Outcome) Report {
	w.t.Helper()
	report, err := w.store.Replay(w.t.Context(), w.client, o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.outcomes(report, want...)
	return report
}

func (w *world) outcomes(report Report, want ...Outcome) {
	w.t.Helper()
	var got []Outcome
	kept := report.Left
	for _, i := range report.Items {
		got = append(got, i.Outcome)
		if i.Outcome != Done {
			kept++
		}
		if (i.Err == nil) != (i.Outcome == Done) {
			w.t.Errorf("%v", i)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("got %v, want %v: %v", got, want, report.Items)
	}
	if n := length(w.t, w.store); n > kept {
		w.t.Errorf("%d letters in the store, want %d at most: %v", n, kept, report)
	}
}

// errorsAre compares the errors of the letters; nil is any or none.
func (r Report) errorsAre(t *testing.T, want ...error) {
	t.Helper()
	for i, err := range want {
		if err != nil && !errors.Is(r.Items[i].Err, err) {
			t.Errorf("letter %v: got %v, want %v", r.Items[i].ID, r.Items[i].Err, err)
		}
	}
}
