package policies_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// The error of an operation that was given up is one line for a log, and has all
// that a program may want to know.
func ExampleError() {
	account := openShop("error")
	orders, _ := openOrders(account, nil)
	account.SetFaults(
		cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused},
		cosmostest.Fault{Status: 503},
	)
	err := readOrder(context.Background(), orders)

	fmt.Println(steady(fmt.Sprintf("%v", err)))
	if e, ok := errors.AsType[*policies.Error](err); ok {
		fmt.Println("reason:", e.Reason())
		fmt.Println("may succeed later:", e.Transient(), "after:", e.RetryAfter())
		for _, a := range e.Attempts() {
			fmt.Println(a.Region, a.Status, "sent:", a.Sent)
		}
	}
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		fmt.Println("the last answer, as without the policies:", e.StatusCode)
	}
	// Output:
	// cosmos read in dbs/shop/colls/orders: 503 after 5 attempts over … (East US ×2, West US ×2, North Europe): the service failed, and the retries are used up; retry later
	// reason: the service failed, and the retries are used up
	// may succeed later: true after: 0s
	// East US 0 sent: false
	// East US 0 sent: false
	// West US 503 sent: true
	// North Europe 503 sent: true
	// West US 503 sent: true
	// the last answer, as without the policies: 503
}

// With %+v it has a line for each attempt.
func ExampleError_Format() {
	account := openShop("errorformat")
	orders, _ := openOrders(account, nil)
	account.SetFaults(
		cosmostest.Fault{Region: "East US", Transport: cosmostest.Refused},
		cosmostest.Fault{Status: 503},
	)
	err := readOrder(context.Background(), orders)

	fmt.Println(steady(fmt.Sprintf("%+v", err))) // how long it took is different each time
	// Output:
	// cosmos read in dbs/shop/colls/orders: 503 after 5 attempts over … (East US ×2, West US ×2, North Europe): the service failed, and the retries are used up; retry later
	//     1. +… East US: dial tcp errorformat-eastus.documents.azure.com:443: connect: connection refused in …
	//     2. +… East US: dial tcp errorformat-eastus.documents.azure.com:443: connect: connection refused in …, because the endpoint could not be reached
	//     3. +… West US: 503 in …, because the endpoint could not be reached
	//     4. +… North Europe: 503 in …, because the service failed
	//     5. +… West US: 503 in …, because the service failed
}

// A deadline ends in the service's own words, 408/20008, and matches the
// context's error too.
func ExampleError_Unwrap() {
	account := openShop("errordeadline")
	orders, _ := openOrders(account, nil)
	ctx, cancel := context.WithTimeout(context.Background(), -1)
	defer cancel()
	err := readOrder(ctx, orders)

	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		fmt.Println(e.StatusCode, e.RawResponse.Header.Get("x-ms-substatus"))
	}
	// Output:
	// true
	// 408 20008
}
