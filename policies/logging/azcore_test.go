package logging_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/log"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies/logging"
)

// talk lets a client with azcore's own logging do a read that works, one of an
// item that is not there and one that is forbidden, and returns what was logged.
func talk(t *testing.T, o *logging.AzcoreOptions) []string {
	t.Helper()
	p := new(page)
	stop := logging.ListenAzcore(newLogger(p, slog.LevelDebug), o)
	defer stop()
	account := newAccount(t)
	cred, err := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(account.Endpoint(), cred, &azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{
		Transport: account.Transport(), Logging: policy.LogOptions{IncludeBody: true, AllowedHeaders: []string{"Authorization"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	container, err := client.NewContainer("db", "c")
	if err != nil {
		t.Fatal(err)
	}
	key := azcosmos.NewPartitionKeyString("secret-key")
	if _, err := container.ReadItem(t.Context(), key, "i", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := container.ReadItem(t.Context(), key, "missing", nil); err == nil {
		t.Fatal("got a success")
	}
	if _, err := container.CreateItem(t.Context(), key, []byte(`{"id":"new","pk":"secret-key"}`), nil); err != nil {
		t.Fatal(err)
	}
	account.SetFaults(cosmostest.Fault{Region: "*", Status: http.StatusForbidden})
	if _, err := container.ReadItem(t.Context(), key, "i", nil); err == nil {
		t.Fatal("got a success")
	}
	return p.lines()
}

func TestResponseErrorsOfAzcoreAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := talk(t, nil)
		if len(lines) != 2 || !strings.HasPrefix(lines[0], `level=INFO msg="azcore: ResponseError" text="GET https://acct`) ||
			!strings.Contains(lines[0], "RESPONSE 404") || !strings.Contains(lines[0], "ERROR CODE: 404 Not Found") || !strings.Contains(lines[1], "RESPONSE 403") {
			t.Errorf("got %q, want a 404 and a 403", lines)
		}
	})
}

func TestNoBodyOrCredentialIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := []log.Event{log.EventRequest, log.EventResponse, log.EventResponseError, log.EventRetryPolicy}
		lines := talk(t, &logging.AzcoreOptions{Events: events})
		text := strings.Join(lines, "\n")
		for _, want := range []string{"azcore: Request", "azcore: Response\"", "azcore: ResponseError", "azcore: Retry", "OUTGOING REQUEST", "RESPONSE Status: 200 OK"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		lower := strings.ToLower(text)
		for _, leak := range []string{"secret-key", "type=master", "type%3dmaster", "sig=", "sig%3d", "injected fault"} {
			if strings.Contains(lower, leak) {
				t.Errorf("%q in\n%s", leak, text)
			}
		}
	})
}

func TestStopEndsTheListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(page)
		logging.ListenAzcore(newLogger(p, slog.LevelDebug), nil)()
		logging.ListenAzcore(nil, &logging.AzcoreOptions{Events: []log.Event{}})()
		talk(t, &logging.AzcoreOptions{Events: []log.Event{}})
		if lines := p.lines(); lines != nil {
			t.Errorf("got %q, want nothing", lines)
		}
	})
}
