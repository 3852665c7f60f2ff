package main

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRunPrintsWhatAScrapeShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, logs bytes.Buffer
		o, err := parse([]string{"-once"}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), o, &out, &logs); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"\nEast US answers 503 ", " operations, 0 failed\n", "\ncosmosretry_budget_left ", "\ncosmosretry_dead_letters_lost_total ",
			`cosmosretry_retries_total{cosmosretry_cause="throttling",cosmosretry_kind="retry",cosmosretry_region="East US"} `,
			`cosmosretry_breaker_trips_total{cosmosretry_region="East US"} `, "\n  +0s ", "cosmosretry.completed",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, &out)
			}
		}
		for _, want := range []string{"level=WARN", "level=ERROR", "level=INFO", "and more of it", "cause=throttling", "cause=connection", "kind=dead_letter_lost"} {
			if !strings.Contains(logs.String(), want) {
				t.Errorf("no %q in the log:\n%s", want, &logs)
			}
		}
	})
}

func TestMetricsAreServed(t *testing.T) {
	s, err := newSignals(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newShop(s, time.Minute); err != nil {
		t.Fatal(err)
	}
	server, err := serve("127.0.0.1:0", s.handler())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	served, err := server.scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	direct, err := s.scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if served != direct || !strings.Contains(served, "azure_cosmosdb_client_active_instance_count") {
		t.Errorf("served\n%s\nand directly\n%s", served, direct)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-for", "1ms"}, {"-for", "25h"}, {"more"}, {"-no"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
	total := 0
	for _, p := range script(time.Millisecond) {
		total += p.share
	}
	if total != 100 {
		t.Errorf("the phases are %d %% of the run", total)
	}
}
