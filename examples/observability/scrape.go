package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// server serves the metrics on the loopback interface.
type server struct {
	*http.Server
	url string
}

func serve(address string, metrics http.Handler) (*server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	s := &server{&http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}, "http://" + listener.Addr().String() + "/metrics"}
	go s.Serve(listener) //nolint:errcheck // ends with Close
	return s, nil
}

// scrape does what Prometheus does.
func (s *server) scrape(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", errors.New(resp.Status)
	}
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// ofOperation are the labels of an operation.
var ofOperation = regexp.MustCompile(`(db|azure)_[a-z_]+="[^"]*",?`)

// printScrape prints the series, added up over the operations, those of a metric
// side by side.
func printScrape(w io.Writer, text string) {
	sums := map[string]float64{}
	for line := range strings.Lines(text) {
		space := strings.LastIndex(line, " ")
		if space < 0 || strings.HasPrefix(line, "#") || strings.Contains(line, "_bucket{") {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[space:]), 64)
		if err != nil {
			continue
		}
		name := ofOperation.ReplaceAllString(line[:space], "")
		sums[strings.NewReplacer(",}", "}", "{}", "").Replace(name)] += value
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(w, "%s %.6g\n", name, sums[name])
	}
}
