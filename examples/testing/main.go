// Command testing is a small service that keeps orders in Cosmos DB, and a test
// of it. The service is an ordinary one; service_test.go is what this example is
// about: it takes regions away from the service, lets them lag and throttles
// them, in virtual time.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
)

func main() {
	orders, err := connect(os.Getenv("COSMOS_ENDPOINT"), os.Getenv("COSMOS_KEY"), nil)
	if err != nil {
		log.Fatal(err)
	}
	err = http.ListenAndServe("127.0.0.1:8080", newHandler(orders))
	if !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

// connect returns the container with the orders. The service and its test differ in the options alone.
func connect(endpoint, key string, options *azcosmos.ClientOptions) (*azcosmos.ContainerClient, error) {
	cred, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		return nil, err
	}
	client, err := compat.NewClientWithKey(endpoint, cred, options, nil)
	if err != nil {
		return nil, err
	}
	return client.NewContainer("shop", "orders")
}
