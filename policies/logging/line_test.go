package logging

import (
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/log"
)

func TestOneLine(t *testing.T) {
	const rule = "\n   ----------\n"
	for name, test := range map[string]struct {
		event      log.Event
		text, want string
	}{
		"empty":       {log.EventResponse, "", ""},
		"one line":    {log.EventRetryPolicy, "response 503", "response 503"},
		"request":     {log.EventRequest, "==> OUT\n   GET u\n   Authorization: REDACTED" + rule + `{"pk":"x"}` + rule, "==> OUT; GET u; Authorization: REDACTED"},
		"response":    {log.EventResponse, "==> R\n   GET u" + rule + "   RESPONSE Status: 200\n   Etag: 1" + rule + `{"pk":"x"}` + rule, "==> R; GET u; RESPONSE Status: 200; Etag: 1"},
		"header":      {log.EventRequest, "Authorization: type%3Dmaster\nAccept: a", "REDACTED; Accept: a"},
		"signature":   {log.EventResponse, "===== HTTP Forbidden status, Authorization:\nabc\n=====\nmore\n", "===== HTTP Forbidden status, Authorization:; REDACTED; more"},
		"token":       {log.EventResponse, "error: Bearer abc", "REDACTED"},
		"key":         {log.EventResponse, "AccountEndpoint=e;AccountKey=k;", "REDACTED"},
		"very long":   {log.EventResponse, strings.Repeat("ä", 1500), strings.Repeat("ä", 1000) + "…"},
		"broken text": {log.EventResponse, "x" + strings.Repeat("ä", 1500), "x" + strings.Repeat("ä", 999) + "…"},
	} {
		if got := oneLine(test.event, test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
