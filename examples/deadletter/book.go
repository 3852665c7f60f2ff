package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// tally counts orders and payments.
type tally struct{ orders, payments int }

func (t *tally) add(state string) {
	if state == "new" {
		t.orders++
	} else {
		t.payments++
	}
}

// book is what the shop has acknowledged, and what the account has of it.
type book struct {
	stored, kept   map[string]bool // "paid order-1-2"
	storedN, keptN tally
	there          tally // kept letters whose write the account had before the replay
	replayed       tally
}

func newBook() *book { return &book{stored: map[string]bool{}, kept: map[string]bool{}} }

// acknowledge writes a line of the shop down: "kept paid order-1-2".
func (b *book) acknowledge(line string) bool {
	kind, entry, _ := strings.Cut(line, " ")
	state, _, ok := strings.Cut(entry, " ")
	switch {
	case !ok:
		return false
	case kind == "stored":
		b.stored[entry] = true
		b.storedN.add(state)
	case kind == "kept":
		b.kept[entry] = true
		b.keptN.add(state)
	default:
		return false
	}
	return true
}

// done counts a letter that the replay was successful with.
func (b *book) done(operation string) {
	state := "paid"
	if operation == "create" {
		state = "new"
	}
	b.replayed.add(state)
}

// entries lists what the account has: each order, and each payment.
func entries(account *cosmostest.Account) (map[string]bool, error) {
	items, err := account.Items("shop", "orders", "East US")
	list := map[string]bool{}
	for _, i := range items {
		list[fmt.Sprint("new ", i["id"])] = true
		if i["state"] == "paid" {
			list[fmt.Sprint("paid ", i["id"])] = true
		}
	}
	return list, err
}

// look counts the letters whose writes have been executed unseen.
func (b *book) look(account *cosmostest.Account) error {
	list, err := entries(account)
	for entry := range b.kept {
		if list[entry] {
			b.there.add(strings.Fields(entry)[0])
		}
	}
	return err
}

// settle compares the book with the account, and prints both.
func (b *book) settle(out io.Writer, account *cosmostest.Account) error {
	list, err := entries(account)
	if err != nil {
		return err
	}
	var found, lost, more tally
	for entry := range list {
		state := strings.Fields(entry)[0]
		found.add(state)
		if !b.stored[entry] && !b.kept[entry] {
			more.add(state)
		}
	}
	for _, acknowledged := range []map[string]bool{b.stored, b.kept} {
		for entry := range acknowledged {
			if !list[entry] {
				lost.add(strings.Fields(entry)[0])
				fmt.Fprintln(out, "lost:", entry)
			}
		}
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n tally) { fmt.Fprintf(t, "%s\t%d\t%d\t\n", name, n.orders, n.payments) }
	fmt.Fprintf(t, "\n\torders\tpayments\t\n")
	row("stored while all was well", b.storedN)
	row("given up in the outage and kept", b.keptN)
	row("of these executed, but unanswered", b.there)
	row("letters done by the replay", b.replayed)
	row("in the account at the end", found)
	row("under way when the shop was killed", more)
	row("lost", lost)
	if err := t.Flush(); err != nil {
		return err
	}
	if lost != (tally{}) || b.keptN.orders == 0 || b.keptN.payments == 0 {
		return fmt.Errorf("lost %d orders and %d payments of %d kept letters", lost.orders, lost.payments, len(b.kept))
	}
	return nil
}
