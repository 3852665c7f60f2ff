// Command deadletter kills a program in the middle of an outage, starts it again,
// and looks whether anything that it had acknowledged is lost. It exits with 0
// only if nothing is.
//
// This process plays the account and the world; the program, a shop, is this
// binary once more (shop.go).
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// The environment of the shop's process.
const (
	envRole     = "DEADLETTER_EXAMPLE_ROLE" // "sell" or "catch up"; empty: the world
	envEndpoint = "DEADLETTER_EXAMPLE_ENDPOINT"
	envFile     = "DEADLETTER_EXAMPLE_FILE"
)

// How long things last, in acknowledgements.
const (
	beforeTheOutage = 20
	beforeTheKill   = 40
)

func main() {
	var err error
	if role := os.Getenv(envRole); role != "" {
		err = runShop(role)
	} else {
		err = run(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is the whole story.
func run(out io.Writer) error {
	account, err := cosmostest.NewAccount(&cosmostest.Config{Containers: []cosmostest.Container{{Database: "shop", ID: "orders"}}})
	if err != nil {
		return err
	}
	defer account.Close()
	if err := account.Listen(&cosmostest.ListenOptions{PlainHTTP: true}); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "deadletter")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &world{out: out, account: account, file: filepath.Join(dir, "letters.db"), book: newBook()}
	if err := w.firstLife(); err != nil {
		return err
	}
	if err := w.book.look(account); err != nil {
		return err
	}
	if err := w.secondLife(); err != nil {
		return err
	}
	return w.book.settle(out, account)
}

// world is what is outside of the shop.
type world struct {
	out     io.Writer
	account *cosmostest.Account
	file    string
	book    *book
}

func (w *world) say(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }

// start runs the shop, and returns the lines that it prints.
func (w *world) start(role string) (*exec.Cmd, *bufio.Scanner, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), envRole+"="+role, envEndpoint+"="+w.account.Endpoint(), envFile+"="+w.file)
	cmd.Stderr = os.Stderr
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return cmd, bufio.NewScanner(lines), cmd.Start()
}

// firstLife lets the shop sell until the account is away for a while, and then
// kills it as nothing can be killed more.
func (w *world) firstLife() error {
	cmd, lines, err := w.start("sell")
	if err != nil {
		return err
	}
	n := 0
	for lines.Scan() {
		if n++; !w.book.acknowledge(lines.Text()) {
			return errors.Join(fmt.Errorf("the shop says %q", lines.Text()), cmd.Process.Kill())
		}
		switch n {
		case beforeTheOutage:
			w.say("%d orders and payments are stored; now every region fails", n)
			w.account.SetFaults(outage()...)
		case beforeTheKill:
			w.say("%d more have met the outage; the shop is killed", n-beforeTheOutage)
			if err := cmd.Process.Kill(); err != nil {
				return err
			}
		}
	}
	if err := cmd.Wait(); n < beforeTheKill {
		return fmt.Errorf("the shop died by itself after %d acknowledgements: %w", n, err)
	}
	return nil
}

// outage fails everything. Some of the writes in East US are executed all the
// same, and only their answers are lost: nobody can tell them from the others.
func outage() []cosmostest.Fault {
	var n atomic.Int64
	some := func(r *cosmostest.Request) bool { return r.Method != "GET" && n.Add(1)%5 == 0 }
	return []cosmostest.Fault{{Region: "East US", Status: 503, Applied: true, Match: some}, {Status: 503}}
}

// secondLife starts the shop again while the outage lasts, and then ends it.
func (w *world) secondLife() error {
	cmd, lines, err := w.start("catch up")
	if err != nil {
		return err
	}
	first, away := true, true
	for lines.Scan() {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch {
		case kind == "letters" && first:
			w.say("the shop is started again and finds %s letters", rest)
			first = false
		case kind == "outage" && away:
			w.say("its replay stops, for the outage goes on; now it ends")
			w.account.SetFaults()
			away = false
		case kind == "done":
			w.book.done(rest)
		}
	}
	return cmd.Wait()
}
