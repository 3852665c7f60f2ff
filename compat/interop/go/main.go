// Command go checks that clients which know nothing of cosmostest work with it as they do with the service.
//
//	make interop
//
// It starts the program compat/cosmostest/cmd/cosmostest once for each client and lets the client do what programs do:
// items, queries, batches and feeds, and then the same through throttling, lags and lost regions. The clients are
// azcosmos, in this program, and the JavaScript one, in ../node, where Node.js is installed. They use TLS and trust
// nothing but the certificate that the program tells.
//
// Each check prints a line, all of them together a table. The exit status is 0 when no check has failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// checkTime is how long one check may take. Some clients keep trying for minutes.
const checkTime = 30 * time.Second

func main() {
	node := flag.String("node", "../node", "`folder` with the checks of the JavaScript client")
	root := flag.String("root", "../../..", "`folder` of the module with the program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *root, *node); err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
}

// run runs the checks of all clients that there are.
func run(ctx context.Context, root, node string) error {
	scratch, err := os.MkdirTemp("", "interop")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	path := filepath.Join(scratch, "cosmostest")
	if err := build(ctx, root, path); err != nil {
		return err
	}
	t := &table{out: os.Stdout}
	for _, m := range makers {
		if err := with(ctx, path, func(p *program) error { return runChecks(ctx, p, m, checks, t) }); err != nil {
			return err
		}
	}
	if missing := nodeMissing(); missing != "" {
		fmt.Printf("@azure/cosmos is left out: %s\n", missing)
	} else if err := with(ctx, path, func(p *program) error { return runNode(ctx, p, node, t) }); err != nil {
		return err
	}
	t.print()
	return t.err()
}
