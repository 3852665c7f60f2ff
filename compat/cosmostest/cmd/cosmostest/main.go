// Command cosmostest serves a Cosmos DB account that can be broken on purpose, for programs in any language.
//
//	go run ./compat/cosmostest/cmd/cosmostest -config account.json
//
// The global endpoint and each region have a loopback port of their own. As soon as they take connections the program
// prints one line of JSON that says where everything is; nothing else ever comes on standard output. A management API on
// one more loopback port breaks the account, repairs it and tells what has arrived. The program runs until it is
// interrupted, or with -stdin until its standard input ends.
//
// -help lists the flags, and the management API with a curl line for each of its requests; README.md beside this file
// has the formats. The exit status is 0 after an orderly end, 2 when flags or config make no sense, else 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program, and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parseFlags(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var file *accountFile
	if err == nil {
		file, err = opts.account()
	}
	var s *service
	if err == nil {
		s, err = newService(opts, file)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cosmostest: %v\n", err)
		return 2
	}
	if opts.stdin {
		ctx = untilEOF(ctx, stdin)
	}
	if err := s.serve(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "cosmostest: %v\n", err)
		return 1
	}
	return 0
}

// untilEOF returns a context that ends when r does, too.
func untilEOF(ctx context.Context, r io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, r) // an error is an end, too
		cancel()
	}()
	return ctx
}
