package compat_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// rawPipeline is azcore's pipeline with all policies, for what azcosmos has no
// call for. The cache knows the account.
func rawPipeline(t *testing.T, acct *cosmostest.Account, tr policy.Transporter) runtime.Pipeline {
	t.Helper()
	o := client{transport: tr}.options(acct)
	_, err := policies.Install(o, acct.Endpoint(), nil)
	noError(t, err)
	pl := runtime.NewPipeline("test", "v1", runtime.PipelineOptions{}, &o.ClientOptions)
	_, err = pl.Do(rawRequest(t, t.Context(), acct, "GET", "", ""))
	noError(t, err)
	acct.ResetLog()
	return pl
}

func rawRequest(t *testing.T, ctx context.Context, acct *cosmostest.Account, method, path, body string) *policy.Request {
	t.Helper()
	req, err := runtime.NewRequest(ctx, method, acct.Endpoint()+path)
	noError(t, err)
	req.Raw().Header.Set("x-ms-documentdb-partitionkey", `["p"]`)
	if body != "" {
		noError(t, req.SetBody(streaming.NopCloser(strings.NewReader(body)), "application/json"))
	}
	noError(t, acct.Sign(req.Raw()))
	return req
}

// drip reads a body one byte a second.
type drip struct{ io.ReadCloser }

func (d drip) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	return d.ReadCloser.Read(p[:1])
}

// TestStreamedAnswersAreNotCut: an answer that the program reads by itself may
// take longer than any attempt, in the region that answered in the end.
func TestStreamedAnswersAreNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := newAccount(t, nil)
		slow := roundTripper(func(req *http.Request) (*http.Response, error) {
			resp, err := acct.Transport().Do(req)
			if err == nil && resp.StatusCode == http.StatusOK && strings.Contains(req.URL.Path, "docs") {
				resp.Body = drip{resp.Body}
			}
			return resp, err
		})
		pl := rawPipeline(t, acct, slow)
		acct.SetFaults(cosmostest.Fault{Region: east, Status: 503})
		req := rawRequest(t, t.Context(), acct, "GET", "dbs/db/colls/c/docs/i", "")
		runtime.SkipBodyDownload(req)
		resp, err := pl.Do(req)
		noError(t, err)
		start := time.Now()
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(body), `"id":"i"`) || time.Since(start) < time.Minute {
			t.Errorf("read %q in %v: %v", body, time.Since(start), err)
		}
		noError(t, resp.Body.Close())
		wantVisits(t, acct, east, west)
	})
}

// procedureFaults are failures of a stored procedure, and how many requests
// follow from one of each.
var procedureFaults = map[string]struct {
	fault cosmostest.Fault
	want  int
}{
	"500":       {cosmostest.Fault{Status: 500}, 1},
	"503":       {cosmostest.Fault{Status: 503}, 1},
	"408":       {cosmostest.Fault{Status: 408}, 1},
	"429/3092":  {cosmostest.Fault{Status: 429, SubStatus: 3092}, 1},
	"blackhole": {cosmostest.Fault{Transport: cosmostest.Blackhole}, 1},
	"reset":     {cosmostest.Fault{Transport: cosmostest.Reset}, 1},
	"410":       {cosmostest.Fault{Status: 410}, 2},
	"403/3":     {cosmostest.Fault{Status: 403, SubStatus: 3}, 2},
	"403/1008":  {cosmostest.Fault{Status: 403, SubStatus: 1008}, 2},
	"404/1002":  {cosmostest.Fault{Status: 404, SubStatus: 1002}, 2},
	"429":       {cosmostest.Fault{Status: 429}, 2},
	"449":       {cosmostest.Fault{Status: 449}, 2},
	"DNS":       {cosmostest.Fault{Transport: cosmostest.DNS}, 2},
	"refused":   {cosmostest.Fault{Transport: cosmostest.Refused}, 2},
}

// TestStoredProceduresRunOnce: what may have been executed is not sent again,
// and the error says so; what surely was not is.
func TestStoredProceduresRunOnce(t *testing.T) {
	for name, c := range procedureFaults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				acct := newAccount(t, multiWrite)
				pl := rawPipeline(t, acct, acct.Transport())
				c.fault.Region, c.fault.Times = "*", 1
				acct.SetFaults(c.fault)
				resp, err := pl.Do(rawRequest(t, t.Context(), acct, "POST", "dbs/db/colls/c/sprocs/s", `["p"]`))
				if got := len(visits(acct)); got != c.want {
					t.Errorf("%d requests, want %d: %v", got, c.want, err)
				}
				if c.want == 2 && (err != nil || resp.StatusCode != http.StatusOK) {
					t.Errorf("got %v, %v", resp, err)
				}
				if c.want == 2 {
					return
				}
				_, ours := errors.AsType[*policies.Error](err)
				_, response := errors.AsType[*azcore.ResponseError](err)
				if !ours || response != (c.fault.Status != 0) {
					t.Errorf("got %v", err)
				}
				if maybe := strings.Contains(err.Error(), "may have been executed"); maybe != (c.fault.Status != 429) {
					t.Errorf("the error says %v", err)
				}
			})
		})
	}
}
