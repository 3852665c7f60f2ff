package debug_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/policies/debug"
)

const token = "0123456789abcdef"

// trouble makes a page over a client whose first two regions fail.
func trouble(t *testing.T, o *debug.Options) *debug.Page {
	t.Helper()
	page, err := debug.New(o)
	if err != nil {
		t.Fatal(err)
	}
	account := cosmostest.New(t, &cosmostest.Config{Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}}})
	if err := account.Seed("shop", "orders", map[string]any{"id": "order-1", "pk": "secret-customer"}); err != nil {
		t.Fatal(err)
	}
	container := install(t, page, account)
	account.SetFaults(cosmostest.Fault{Region: "East US", Status: 503}, cosmostest.Fault{Region: "West US", Transport: cosmostest.Refused})
	for range 3 {
		if _, err := container.ReadItem(t.Context(), azcosmos.NewPartitionKeyString("secret-customer"), "order-1", nil); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
	return page
}

// install makes a client whose policies are on the page.
func install(t *testing.T, page *debug.Page, account *cosmostest.Account) *azcosmos.ContainerClient {
	t.Helper()
	options := &azcosmos.ClientOptions{}
	options.Transport = account.Transport()
	budget, err := policies.NewBudget(nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := policies.Install(options, account.Endpoint(), &policies.Options{
		Observers: []policies.Observer{page}, Budget: budget,
		Settings: &policies.Settings{Breaker: policies.BreakerSettings{ReadFailures: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	page.Add("orders <script>", set)
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, options)
	if err != nil {
		t.Fatal(err)
	}
	container, err := client.NewContainer("shop", "orders")
	if err != nil {
		t.Fatal(err)
	}
	return container
}

// get asks the page and checks the status.
func get(t *testing.T, page http.Handler, target string, status int) string {
	t.Helper()
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	if w.Code != status {
		t.Errorf("GET %s: got %d, want %d: %s", target, w.Code, status, w.Body)
	}
	return w.Body.String()
}

func TestPageShowsTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := get(t, trouble(t, nil), "/debug/cosmos/", http.StatusOK)
		for _, want := range []string{
			"East US", "North Europe", "breaker_opened", "endpoint_marked", "unavailable", "failover", "the service failed",
			"dbs/shop/colls/orders", "failover.maxRetries", "Retry budget", "single-write",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("the page does not show %q", want)
			}
		}
		for _, secret := range []string{cosmostest.DefaultKey, "secret-customer", "<script>", "sig%3D"} {
			if strings.Contains(body, secret) {
				t.Errorf("the page shows %q", secret)
			}
		}
	})
}

func TestPageSpeaksJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := trouble(t, nil)
		var view struct {
			Clients []struct {
				Name      string
				Reads     []struct{ Name string }
				Marks     []struct{ Region, Reason string }
				Unhealthy []struct{ Partition, Region, State string }
				Settings  []policies.Setting
			}
			Decisions []policies.Event
		}
		if err := json.Unmarshal([]byte(get(t, page, "/debug/cosmos/?format=json", http.StatusOK)), &view); err != nil {
			t.Fatal(err)
		}
		c := view.Clients[0]
		if c.Reads[0].Name != "East US" || c.Marks[0].Region != "West US" || len(c.Settings) < 20 || len(view.Decisions) < 5 {
			t.Errorf("got %+v", view)
		}
	})
}

func TestExplain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := trouble(t, nil)
		const where = "/debug/cosmos/explain?client=orders+%3Cscript%3E&collection=dbs/shop/colls/orders&key=secret-customer"
		var e struct {
			Partition  string
			Candidates []struct{ Region, Marked, Breaker string }
		}
		if err := json.Unmarshal([]byte(get(t, page, where+"&format=json", http.StatusOK)), &e); err != nil {
			t.Fatal(err)
		}
		if e.Candidates[0].Region != "North Europe" || e.Candidates[1].Breaker != "open" || e.Candidates[2].Marked == "" {
			t.Errorf("got %+v", e)
		}
		if body := get(t, page, where, http.StatusOK); !strings.Contains(body, "tried last") {
			t.Errorf("the page does not say why:\n%s", body)
		}
	})
}

func TestWrongQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := trouble(t, nil)
		tests := []struct {
			target string
			status int
			want   string
		}{
			{"explain?collection=orders", http.StatusBadRequest, "dbs/&lt;database&gt;/colls/&lt;container&gt;"},
			{"explain?collection=dbs/shop/colls/orders&key=%5B1", http.StatusBadRequest, "JSON array"},
			{"explain?client=nobody&collection=dbs/shop/colls/orders", http.StatusNotFound, "no client of that name"},
			{"settings?client=nobody", http.StatusNotFound, "no client of that name"},
			{"nothing", http.StatusNotFound, "nothing here"},
		}
		for _, tt := range tests {
			if body := get(t, page, "/debug/cosmos/"+tt.target, tt.status); !strings.Contains(body, tt.want) {
				t.Errorf("%s: the page does not say %q", tt.target, tt.want)
			}
		}
	})
}

func post(page http.Handler, auth, document string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/debug/cosmos/settings", strings.NewReader(document))
	if auth != "" {
		r.Header.Set("Authorization", auth)
	}
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	return w
}

func TestSettingsNeedTheToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const change = `{"failover": {"maxRetries": 7}}`
		if w := post(trouble(t, nil), "Bearer ", change); w.Code != http.StatusForbidden {
			t.Errorf("read-only page: got %d, want 403", w.Code)
		}
		page := trouble(t, &debug.Options{Token: token})
		for _, auth := range []string{"", "Bearer wrong", token} {
			if w := post(page, auth, change); w.Code != http.StatusForbidden {
				t.Errorf("with %q: got %d, want 403", auth, w.Code)
			}
		}
		if w := post(page, "Bearer "+token, `{"failover": {"maxRetry": 7}}`); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "failover.maxRetry") {
			t.Errorf("a wrong field: got %d %s", w.Code, w.Body)
		}
		if w := post(page, "Bearer "+token, change); w.Code != http.StatusOK {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		if body := get(t, page, "/debug/cosmos/settings", http.StatusOK); !strings.Contains(body, "<strong>7</strong>") {
			t.Error("the settings in force do not show the change")
		}
	})
}

func TestOtherMethods(t *testing.T) {
	page, err := debug.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest(http.MethodDelete, "/debug/cosmos/", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("got %d, want 405 with what is allowed", w.Code)
	}
	if body := get(t, page, "/debug/cosmos/", http.StatusOK); !strings.Contains(body, "among the Observers") {
		t.Error("an empty page does not say what to do")
	}
}

func TestNewRejects(t *testing.T) {
	for _, o := range []debug.Options{{Keep: 10_001}, {Token: "short"}} {
		if _, err := debug.New(&o); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%+v: got %v", o, err)
		}
	}
}
