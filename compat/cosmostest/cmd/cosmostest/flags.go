package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
)

// apiHelp describes the management API, for -help and for GET /.
//
//go:embed api.txt
var apiHelp string

// options are the flags.
type options struct {
	config       string
	host         string
	expose       bool
	port         int
	management   int
	ca           string
	plain, http1 bool
	stdin        bool

	flags *flag.FlagSet // tells which of those for the account were given
	acct  accountFile   // what they say
}

// parseFlags reads the command line. For -help it prints the help and returns [flag.ErrHelp].
func parseFlags(args []string, help io.Writer) (*options, error) {
	o := &options{flags: flag.NewFlagSet("cosmostest", flag.ContinueOnError)}
	o.define()
	o.flags.SetOutput(io.Discard)
	o.flags.Usage = func() {}
	err := o.flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		o.printHelp(help)
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w (-help lists the flags)", err)
	case o.flags.NArg() > 0:
		return nil, fmt.Errorf("argument %q is surplus: everything is a flag (-help lists them)", o.flags.Arg(0))
	}
	return o, o.check()
}

func (o *options) define() {
	fs := o.flags
	fs.StringVar(&o.config, "config", "", "`file` with the account as JSON; flags for the account win over it")
	fs.StringVar(&o.host, "host", "127.0.0.1", "`address` to serve the account on and to advertise")
	fs.BoolVar(&o.expose, "expose", false, "let -host be an address that stands for all networks, such as 0.0.0.0")
	fs.IntVar(&o.port, "port", 0, "`port` of the global endpoint; those of the regions follow; 0 takes free ones")
	fs.IntVar(&o.management, "management-port", 0, "`port` of the management API on 127.0.0.1; 0 takes a free one")
	fs.StringVar(&o.ca, "ca", "", "`file` to write the CA certificate to that clients must trust (default a temporary one)")
	fs.BoolVar(&o.plain, "plain", false, "serve HTTP without TLS")
	fs.BoolVar(&o.http1, "http1", false, "serve HTTP/1.1 only")
	fs.BoolVar(&o.stdin, "stdin", false, "exit when standard input ends, as it does when the parent process exits")

	fs.StringVar(&o.acct.Name, "name", "", "`name` of the account")
	fs.Func("regions", "comma-separated `regions` in account order", listValue(&o.acct.Regions))
	fs.Func("write-regions", "comma-separated write `regions`; the first one is the hub", listValue(&o.acct.WriteRegions))
	fs.BoolVar(&o.acct.MultiWrite, "multi-write", false, "let every write region take writes")
	fs.BoolVar(&o.acct.PPAF, "ppaf", false, "set enablePerPartitionFailoverBehavior")
	fs.StringVar(&o.acct.Key, "key", "", "base64 `key` of the account (default the emulator's well-known one)")
	fs.StringVar(&o.acct.Consistency, "consistency", "", "default consistency `level` of the account")
	fs.Func("container", "`database/id[:/partition/key,…[:partitions]]`, repeatable", o.addContainer)
}

func (o *options) printHelp(w io.Writer) {
	fmt.Fprint(w, "Serves a Cosmos DB account that can be broken on purpose.\n\n"+
		"  cosmostest [-config account.json] [flags]\n\n"+
		"Once it takes connections it prints one line of JSON that says where. Flags:\n\n")
	o.flags.SetOutput(w)
	o.flags.PrintDefaults()
	fmt.Fprint(w, "\n", apiHelp)
}

// check finds values that make no sense, before anything is opened.
func (o *options) check() error {
	for name, port := range map[string]int{"port": o.port, "management-port": o.management} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("-%s is %d; allowed: 0 to 65535", name, port)
		}
	}
	if o.plain && o.ca != "" {
		return errors.New("-ca has no meaning with -plain: there is no certificate")
	}
	return checkHost(o.host, o.expose)
}

// checkHost refuses addresses that reach further than somebody may have thought.
func checkHost(host string, expose bool) error {
	if host == "" || strings.ContainsAny(host, "/[]") {
		return fmt.Errorf("-host is %q; allowed: an IP address or a host name", host)
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() && !expose {
		return fmt.Errorf("-host %s needs -expose as well: it listens on every network of this machine, the account's key is "+
			"public, and clients are told to connect to %[1]s, which works on this machine alone; "+
			"better name the one address that clients use", host)
	}
	return nil
}

// loopback reports whether only this machine can reach the account.
func (o *options) loopback() bool {
	ip := net.ParseIP(o.host)
	return o.host == "localhost" || ip != nil && ip.IsLoopback()
}

// account is the file that -config names, or the default account, with what the flags say.
func (o *options) account() (*accountFile, error) {
	file := &accountFile{}
	if o.config == "" {
		file.Containers = []containerFile{{Database: "db", ID: "items", Partitions: 2}}
	} else {
		data, err := os.ReadFile(o.config)
		if err != nil {
			return nil, err
		}
		if err := decodeStrict(data, file); err != nil {
			return nil, fmt.Errorf("%s: %w", o.config, err)
		}
	}
	o.flags.Visit(func(f *flag.Flag) { o.override(file, f.Name) })
	return file, nil
}

// override puts what one flag says into the file.
func (o *options) override(file *accountFile, name string) {
	switch name {
	case "name":
		file.Name = o.acct.Name
	case "regions":
		file.Regions = o.acct.Regions
	case "write-regions":
		file.WriteRegions = o.acct.WriteRegions
	case "multi-write":
		file.MultiWrite = o.acct.MultiWrite
	case "ppaf":
		file.PPAF = o.acct.PPAF
	case "key":
		file.Key = o.acct.Key
	case "consistency":
		file.Consistency = o.acct.Consistency
	case "container":
		file.Containers = o.acct.Containers
	}
}

// listValue is a flag with a comma-separated list.
func listValue(to *[]string) func(string) error {
	return func(text string) error {
		*to = nil
		for item := range strings.SplitSeq(text, ",") {
			*to = append(*to, strings.TrimSpace(item))
		}
		return nil
	}
}

// addContainer reads one -container flag.
func (o *options) addContainer(text string) error {
	name, rest, _ := strings.Cut(text, ":")
	paths, count, counted := strings.Cut(rest, ":")
	c := containerFile{}
	var ok bool
	if c.Database, c.ID, ok = strings.Cut(name, "/"); !ok {
		return errors.New(`allowed: database/id, such as "shop/orders", "shop/orders:/customer" or "shop/orders:/customer:4"`)
	}
	if paths != "" {
		c.PartitionKey = strings.Split(paths, ",")
	}
	if counted {
		n, err := strconv.Atoi(count)
		if err != nil {
			return fmt.Errorf("%q is no number of partitions", count)
		}
		c.Partitions = n
	}
	o.acct.Containers = append(o.acct.Containers, c)
	return nil
}
