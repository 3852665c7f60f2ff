// Command observability is a program in trouble that can be watched: it works on
// a simulated account whose regions fail in every way there is, tells
// OpenTelemetry and its log what the policies make of it, and serves the metrics
// to Prometheus. At the end it prints what a scrape shows, and the trace of an
// operation that had to be retried.
//
//	go run . [-for 20s] [-listen 127.0.0.1:9464] [-once]
//
// While it runs, Prometheus can scrape it; prometheus/alerts.yml are rules for
// it, and grafana/dashboard.json shows all of its metrics.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = run(ctx, o, os.Stdout, os.Stderr)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "observability:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	length time.Duration
	listen string
	once   bool
}

// parse reads the command line; mistakes in it, and -help, print the usage.
func parse(args []string, usage io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("observability", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.DurationVar(&o.length, "for", 20*time.Second, "run for this `time`, of which every phase takes its share")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "serve the metrics at this `address`")
	flags.BoolVar(&o.once, "once", false, "run for 2s and serve nothing: read the metrics directly")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.once {
		o.length = 2 * time.Second
	}
	if o.length < time.Second || o.length > 24*time.Hour {
		return nil, fmt.Errorf("-for is %v: want 1s to 24h", o.length)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, nil
}

// run is the program: the report goes to out, the log to logs.
func run(ctx context.Context, o *options, out, logs io.Writer) error {
	signals, err := newSignals(slog.New(slog.NewTextHandler(logs, nil)))
	if err != nil {
		return err
	}
	shop, err := newShop(signals, o.length)
	if err != nil {
		return err
	}
	scrape := signals.scrape
	if !o.once {
		server, err := serve(o.listen, signals.handler())
		if err != nil {
			return err
		}
		defer server.Close()
		scrape = server.scrape
		fmt.Fprintf(out, "Metrics: %s\n\n", server.url)
	}
	if err := play(ctx, shop, o.length, out); err != nil {
		return err
	}
	text, err := scrape(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\nWhat a scrape shows, without buckets; series that differ only in the operation are added up:\n\n")
	printScrape(out, text)
	fmt.Fprint(out, "\nThe trace of an operation that had to be retried most:\n\n")
	signals.spans.print(out)
	return signals.close(ctx)
}
