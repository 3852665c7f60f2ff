// Command outage takes a region away from two programs that are otherwise the
// same: one uses azcosmos alone, the other azcosmos with the policies of
// cosmosretry. Both do the same operations, at the same time, each against an
// account of its own in three regions, on real loopback sockets (HTTP/2 over
// TLS). At the end it says what each of them lost, and draws it.
//
//	go run ./outage -html outage.html
//
// The exit status is 0 when the policies lost nothing. The account has three
// write regions and only one of them is ever lost, so there is always a region
// that can serve, and by the retry specification they must not lose anything.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := run(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "outage:", err)
	}
	os.Exit(code)
}

// options are the command line.
type options struct {
	html  string
	scale float64
	seed  uint64
}

func parse(args []string) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("outage", flag.ContinueOnError)
	flags.StringVar(&o.html, "html", "outage.html", "write the picture to this `file`")
	flags.Float64Var(&o.scale, "scale", 1, "multiply the length of every phase by this `factor`")
	flags.Uint64Var(&o.seed, "seed", 1, "draw the operations from this `seed`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.scale < 0.01 || o.scale > 100 {
		return nil, fmt.Errorf("-scale is %v: want 0.01 to 100", o.scale)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, nil
}

// run is the program; code is its exit status.
func run(ctx context.Context, args []string, out io.Writer) (code int, err error) {
	o, err := parse(args)
	if err != nil {
		return 2, err
	}
	if err := writable(o.html); err != nil {
		return 1, err // now, and not after 40 s
	}
	sides, err := open(ctx)
	defer func() {
		for _, s := range sides {
			s.close()
		}
	}()
	if err != nil {
		return 1, err
	}
	result, err := play(ctx, sides, script(o.scale), o.seed, out)
	if err != nil {
		return 1, err
	}
	result.print(out)
	if err := result.writeHTML(o.html); err != nil {
		return 1, err
	}
	fmt.Fprintf(out, "\nPicture: %s\n", o.html)
	return result.verdict(out), nil
}

// writable reports an error when no file can be made where path is.
func writable(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".outage-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// open makes the two programs. This is all that is different between them.
func open(ctx context.Context) ([]*side, error) {
	withPolicies := func(endpoint string, cred azcosmos.KeyCredential, o *azcosmos.ClientOptions) (*azcosmos.Client, error) {
		return compat.NewClientWithKey(endpoint, cred, o, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	alone, err := newSide(ctx, "azcosmos alone", azcosmos.NewClientWithKey)
	if err != nil {
		return nil, err
	}
	policies, err := newSide(ctx, "with policies", withPolicies)
	if err != nil {
		return []*side{alone}, err
	}
	return []*side{alone, policies}, nil
}
