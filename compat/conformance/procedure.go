package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// procedureLink names the stored procedure. azcosmos cannot execute one, so a request of our own does.
const procedureLink = "dbs/" + databaseID + "/colls/" + containerID + "/sprocs/sp"

// executeProcedure posts to the stored procedure through a pipeline that has the client's policies and transport.
func executeProcedure(ctx context.Context, r *runner, step *stepSpec) (*http.Response, error) {
	request, err := newProcedureRequest(ctx, r.account.Endpoint(), step)
	if err != nil {
		return nil, err
	}
	response, err := r.pipeline.Do(request)
	if err != nil {
		return response, err
	}
	if !runtime.HasStatusCode(response, http.StatusOK) {
		return response, runtime.NewResponseError(response)
	}
	return response, nil
}

// newPipeline builds the pipeline for stored procedures: signing outside the policies, as in azcosmos.
func newPipeline(key []byte, options *azcosmos.ClientOptions) runtime.Pipeline {
	return runtime.NewPipeline("conformance", "v1.0.0", runtime.PipelineOptions{
		PerRetry: []policy.Policy{signer{key}},
	}, &options.ClientOptions)
}

func newProcedureRequest(ctx context.Context, endpoint string, step *stepSpec) (*policy.Request, error) {
	request, err := runtime.NewRequest(ctx, http.MethodPost, runtime.JoinPaths(endpoint, procedureLink))
	if err != nil {
		return nil, err
	}
	if err := runtime.MarshalAsJSON(request, []string{}); err != nil {
		return nil, err
	}
	key, err := json.Marshal([]any{step.PK})
	if err != nil {
		return nil, err
	}
	header := request.Raw().Header
	header.Set("x-ms-documentdb-partitionkey", string(key))
	header.Set("x-ms-version", "2020-11-05")
	if step.Session != "" {
		header.Set("x-ms-session-token", step.Session)
	}
	return request, nil
}

// signer signs a request for the stored procedure with the account's key.
type signer struct{ key []byte }

// Do sets the date and the signature over it.
func (s signer) Do(request *policy.Request) (*http.Response, error) {
	date := time.Now().UTC().Format(http.TimeFormat)
	text := strings.ToLower(http.MethodPost) + "\nsprocs\n" + procedureLink + "\n" + strings.ToLower(date) + "\n\n"
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	request.Raw().Header.Set("x-ms-date", date)
	request.Raw().Header.Set("Authorization", url.QueryEscape("type=master&ver=1.0&sig="+signature))
	return request.Next()
}
