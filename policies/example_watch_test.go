package policies_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/policies"
)

// A program whose limits an operator can change while it runs.
func ExampleNewWatcher() {
	dir, err := os.MkdirTemp("", "settings")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "settings.json")
	write := func(document string) {
		if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
			panic(err)
		}
	}
	write(`{"failover": {"maxRetries": 2}}`)

	options := new(azcosmos.ClientOptions)
	set, err := policies.Install(options, "https://acct.documents.azure.com:443/", nil)
	if err != nil {
		panic(err)
	}
	changes := make(chan string)
	watcher, err := policies.NewWatcher(path, &policies.WatchOptions{
		Logger: slog.New(slog.DiscardHandler),
		OnChange: func(s *policies.Settings, err error) {
			if err != nil {
				changes <- "the old settings stay: " + filepath.Base(err.Error())
				return
			}
			changes <- fmt.Sprint("failovers: ", s.Failover.MaxRetries)
		},
	}, set) // or policies.WatchSettings(path, set)
	if err != nil {
		panic(err)
	}
	defer watcher.Close()

	fmt.Println("failovers:", watcher.Settings().Failover.MaxRetries)
	write(`{"failover": {"maxRetries": 5}}`)
	fmt.Println(<-changes)
	write(`{"failover": {"maxRetries": 5000}}`)
	fmt.Println(<-changes)
	write(`{"failover": {"maxRetries": 1}}`)
	fmt.Println(<-changes)
	// Output:
	// failovers: 2
	// failovers: 5
	// the old settings stay: settings.json: settings: failover.maxRetries is 5000: want 1 to 1000 (0 for the default, negative for off)
	// failovers: 1
}
