package regioncache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// AccountReader reads the account document (the answer to GET /) as endpoint
// tells it, and returns its JSON. It must honour ctx. The cache calls it from
// one goroutine at a time.
//
// Reading the account needs a signature, which only the client's credential
// can make; compat.KeyAccountReader and compat.TokenAccountReader build readers.
type AccountReader func(ctx context.Context, endpoint string) ([]byte, error)

// Options configures a [Cache]. Nil and the zero value mean the defaults, and
// negative durations and counts switch a thing off.
type Options struct {
	// PreferredRegions come first, in this order, in the choice of an endpoint.
	// Names match without regard to case, spaces, hyphens and underscores; an
	// unknown name is skipped and reported once to Logger. Default: the
	// account's own order.
	PreferredRegions []string
	// ExcludedRegions serve no data-plane or metadata request, unless all are
	// excluded: then the write region serves. Default: none.
	ExcludedRegions []string
	// Account reads the account on demand, after 403/3 and 403/1008. Nil: the
	// cache learns only from the account reads that pass the policies.
	Account AccountReader
	// PinEndpoint sends every request to the endpoint given to [New], whatever
	// regions the account document lists. For emulators and proxies. Default: false.
	PinEndpoint bool
	// UnavailableFor is how long an endpoint that could not be reached is tried
	// last. Default: 60 s. Negative: endpoints are never marked.
	UnavailableFor time.Duration
	// RefreshInterval is the least time between two on-demand account reads that
	// succeed. Default: 5 s. Negative: no on-demand account reads.
	RefreshInterval time.Duration
	// AccountTimeout bounds one on-demand account read. Default: 5 s; negative
	// means the default too, since a read without a bound could hang for ever.
	AccountTimeout time.Duration
	// Breaker configures the partition circuit breaker.
	Breaker BreakerOptions
	// Logger gets a warning for what deserves an operator's attention, such as
	// an unknown preferred region. Nil: [slog.Default].
	Logger *slog.Logger
}

// BreakerOptions configures the partition circuit breaker (PPCB). Nil and the
// zero value mean the defaults.
type BreakerOptions struct {
	// Disabled switches the breaker off. Then 5xx, 408 and 410 mark the whole
	// endpoint. Default: false, the breaker is on.
	Disabled bool
	// ReadFailures is how many reads of a partition must fail in a region, one
	// after the other, before its reads go elsewhere. Default: 10. Negative:
	// reads never open a breaker.
	ReadFailures int
	// WriteFailures is the same for writes. Default: 5. Negative: writes never
	// open a breaker.
	WriteFailures int
	// CounterReset is how long a partition must be free of failures in a region
	// for its count to start again. Default: 5 min. Negative: never.
	CounterReset time.Duration
	// UnavailableFor is how long an open breaker keeps requests away before one
	// request probes the region; up to half of it is added by chance, so that
	// many breakers do not probe together. Default: 5 s; negative means the default.
	UnavailableFor time.Duration
	// Capacity is how many partitions' failures are remembered, and how many
	// PPAF overrides. Beyond it the least recently used one is forgotten, which
	// closes it. Default: 8192; negative means the default.
	Capacity int
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.PreferredRegions = slices.Clone(c.PreferredRegions)
	c.ExcludedRegions = slices.Clone(c.ExcludedRegions)
	setDefault(&c.UnavailableFor, 60*time.Second)
	setDefault(&c.RefreshInterval, 5*time.Second)
	setDefault(&c.Breaker.ReadFailures, 10)
	setDefault(&c.Breaker.WriteFailures, 5)
	setDefault(&c.Breaker.CounterReset, 5*time.Minute)
	if c.AccountTimeout <= 0 {
		c.AccountTimeout = 5 * time.Second
	}
	if c.Breaker.UnavailableFor <= 0 {
		c.Breaker.UnavailableFor = 5 * time.Second
	}
	if c.Breaker.Capacity <= 0 {
		c.Breaker.Capacity = 8192
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (o *Options) validate() error {
	for field, names := range map[string][]string{
		"PreferredRegions": o.PreferredRegions, "ExcludedRegions": o.ExcludedRegions,
	} {
		for i, name := range names {
			if regionKey(name) == "" {
				return fmt.Errorf("regioncache: Options.%s[%d] is %q: want the name of a region, such as \"East US\"", field, i, name)
			}
		}
	}
	return nil
}

// parseEndpoint accepts what azcosmos accepts as an account endpoint. Its errors
// do not repeat the endpoint: who mistakes a connection string for one would
// find the account key in the log.
func parseEndpoint(field, endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is no URL: %w: want https://<account>.documents.azure.com:443/", field, err)
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%s has the scheme %q: want https (or http for an emulator)", field, u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%s has no host: want https://<account>.documents.azure.com:443/", field)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s has user information, a query or a fragment: want only scheme, host and port", field)
	}
	return u, nil
}

// hostPort is a host with the port that its scheme implies made explicit, in
// lower case: two URLs with the same hostPort name the same server.
func hostPort(scheme, host string) string {
	host = strings.ToLower(host)
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	if scheme == "http" {
		return host + ":80"
	}
	return host + ":443"
}
