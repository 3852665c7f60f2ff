package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// The test binary plays the shop, too.
func TestMain(m *testing.M) {
	if os.Getenv(envRole) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestKilledShopLosesNothing(t *testing.T) {
	var out bytes.Buffer
	err := run(&out)
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`the shop is killed`, `finds \d+ letters`, `the outage goes on`, `lost +0 +0`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("it does not say %q", want)
		}
	}
}

func TestBookNoticesLosses(t *testing.T) {
	b := newBook()
	for _, line := range []string{"stored new order-1", "kept paid order-1", "kept new order-2"} {
		if !b.acknowledge(line) {
			t.Errorf("%q was not understood", line)
		}
	}
	for _, line := range []string{"", "panic: something", "stored"} {
		if b.acknowledge(line) {
			t.Errorf("%q was understood", line)
		}
	}
	account := emptyAccount(t)
	var out bytes.Buffer
	if err := b.settle(&out, account); err == nil || !regexp.MustCompile(`lost +2 +1`).MatchString(out.String()) {
		t.Errorf("got %v:\n%s", err, out.String())
	}
}

func emptyAccount(t *testing.T) *cosmostest.Account {
	return cosmostest.New(t, &cosmostest.Config{Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}}})
}
