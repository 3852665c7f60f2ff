package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// shutdownTime is how long requests to the management API may take to finish at the end.
const shutdownTime = 5 * time.Second

// service is the running program: the account, its listeners and the management API.
type service struct {
	opts    *options
	account *cosmostest.Account
	api     http.Handler
	ca      string // path of the CA certificate; empty without TLS
}

// newService makes the account. Nothing is opened yet.
func newService(opts *options, file *accountFile) (*service, error) {
	account, err := file.make()
	if err != nil {
		return nil, err
	}
	if last := opts.port + len(account.Config().Regions); opts.port != 0 && last > 65535 {
		return nil, fmt.Errorf("-port %d leaves no room for the regions: the last one would be %d", opts.port, last)
	}
	return &service{opts: opts, account: account, api: newAPI(account)}, nil
}

// serve opens everything, says so, and runs until the context ends.
func (s *service) serve(ctx context.Context, stdout, stderr io.Writer) error {
	defer s.account.Close()
	if err := s.listen(); err != nil {
		return err
	}
	if s.ca != "" && s.opts.ca == "" {
		defer os.Remove(s.ca)
	}
	if !s.opts.loopback() {
		fmt.Fprintf(stderr, "cosmostest: other machines may reach the account on %s; its key protects nothing\n", s.opts.host)
	}
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.opts.management)))
	if err != nil {
		return fmt.Errorf("management API: %w", err)
	}
	return s.manage(ctx, ln, stdout)
}

// listen opens the account's listeners and writes the CA certificate.
func (s *service) listen() error {
	err := s.account.Listen(&cosmostest.ListenOptions{
		HTTP1Only: s.opts.http1, PlainHTTP: s.opts.plain, Host: s.opts.host, Port: s.opts.port,
	})
	if err != nil || s.opts.plain {
		return err
	}
	if s.opts.ca != "" {
		if s.ca, err = filepath.Abs(s.opts.ca); err != nil {
			return err
		}
		return os.WriteFile(s.ca, s.account.CACertPEM(), 0o644)
	}
	return s.temporaryCA()
}

func (s *service) temporaryCA() error {
	f, err := os.CreateTemp("", "cosmostest-*.pem")
	if err != nil {
		return err
	}
	s.ca = f.Name()
	_, err = f.Write(s.account.CACertPEM())
	return errors.Join(err, f.Close())
}

// manage serves the management API until the context ends.
func (s *service) manage(ctx context.Context, ln net.Listener, stdout io.Writer) error {
	server := &http.Server{Handler: s.api, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	defer server.Close()

	if err := json.NewEncoder(stdout).Encode(s.readiness(ln.Addr())); err != nil {
		return fmt.Errorf("say where everything is: %w", err)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("management API: %w", err)
	case <-ctx.Done():
	}
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	_ = server.Shutdown(rest) // what has not finished by then is closed
	return nil
}

// readiness is the line that says where everything is.
type readiness struct {
	Endpoint   string        `json:"endpoint"`
	Regions    []regionState `json:"regions"`
	Key        string        `json:"key"`
	CA         string        `json:"ca,omitempty"`
	Management string        `json:"management"`
	PID        int           `json:"pid"`
}

// regionState is a region of the account.
type regionState struct {
	Name     string `json:"name"`
	Endpoint string `json:"endpoint"`
	Write    bool   `json:"write"`
	Stopped  bool   `json:"stopped,omitempty"`
}

func (s *service) readiness(management net.Addr) readiness {
	return readiness{
		Endpoint: s.account.Endpoint(), Regions: regionStates(s.account), Key: s.account.Config().Key, CA: s.ca,
		Management: "http://" + management.String(), PID: os.Getpid(),
	}
}

func regionStates(account *cosmostest.Account) []regionState {
	cfg := account.Config()
	var states []regionState
	for _, name := range cfg.Regions {
		endpoint := account.RegionEndpoint(name)
		write := slices.ContainsFunc(cfg.WriteRegions, func(w string) bool { return account.RegionEndpoint(w) == endpoint })
		states = append(states, regionState{Name: name, Endpoint: endpoint, Write: write})
	}
	return states
}
