package policies_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// Two clients share a budget of two retries. In an outage the first operation
// spends them; what comes later fails at once, with the answer of the service.
func ExampleBudget() {
	budget, err := policies.NewBudget(&policies.BudgetOptions{
		Ratio:        -1, // no share of the requests, so that the example is short
		MinPerSecond: 10,
		MaxPerMinute: 2,
	})
	if err != nil {
		log.Fatal(err)
	}
	account := openShop("budget")
	one, _ := openOrders(account, &policies.Options{Budget: budget})
	other, _ := openOrders(account, &policies.Options{Budget: budget})
	account.SetFaults(cosmostest.Fault{Status: 503})

	fmt.Println(steady(fmt.Sprint(readOrder(context.Background(), one))))
	fmt.Println(steady(fmt.Sprint(readOrder(context.Background(), other))))
	left, refused := budget.Left()
	fmt.Printf("%.0f left, %d refused\n", left, refused)
	// Output:
	// cosmos read in dbs/shop/colls/orders: 503 after 3 attempts over … (East US, West US, North Europe): the service failed, and the retry budget of the process is spent; retry later
	// cosmos read in dbs/shop/colls/orders: 503 after 1 attempt over … (East US): the service failed, and the retry budget of the process is spent; retry later
	// 0 left, 2 refused
}

// A budget by settings is the client's own.
func ExampleBudgetOptions() {
	_, set := openOrders(openShop("budgetsettings"), &policies.Options{Settings: &policies.Settings{
		Budget: policies.BudgetSettings{Ratio: 0.1}, // the rest of it is as by default
	}})
	left, refused := set.Budget().Left()
	fmt.Printf("%.0f left, %d refused\n", left, refused) // 10 per second in the window of 10 s
	// Output:
	// 100 left, 0 refused
}
