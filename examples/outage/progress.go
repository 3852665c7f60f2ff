package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// progress shows how the sides are doing: in one line that overwrites itself
// on a terminal, in one line a second elsewhere.
type progress struct {
	out      io.Writer
	terminal *os.File // nil when out is none
	sides    []*side
	step     time.Duration
	ended    []int // operations of each side, when the last line was written
	at       time.Time
}

func newProgress(out io.Writer, sides []*side) *progress {
	p := &progress{out: out, sides: sides, step: time.Second, ended: make([]int, len(sides)), at: time.Now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal, p.step = f, 250*time.Millisecond
	}
	fmt.Fprintf(out, "%-36s", "")
	for _, s := range sides {
		fmt.Fprintf(out, "  %16s", s.name)
	}
	fmt.Fprintf(out, "\n  time  %-28s%s\n", "phase", strings.Repeat("      op/s  failed", len(sides)))
	return p
}

// until writes lines until the script has run for the given time.
func (p *progress) until(ctx context.Context, start time.Time, to time.Duration, phase string) error {
	end := time.NewTimer(time.Until(start.Add(to)))
	defer end.Stop()
	tick := time.NewTicker(p.step)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end.C:
			p.line(start, phase)
			return nil
		case <-tick.C:
			if time.Until(start.Add(to)) > p.step/2 { // else the phase's last line is about to come
				p.line(start, phase)
			}
		}
	}
}

func (p *progress) line(start time.Time, phase string) {
	now := time.Now()
	var b strings.Builder
	fmt.Fprintf(&b, "%5.1fs  %-28s", now.Sub(start).Seconds(), phase)
	for i, s := range p.sides {
		ended, failed := s.results.counts()
		rate := float64(ended-p.ended[i]) / now.Sub(p.at).Seconds()
		p.ended[i] = ended
		fmt.Fprintf(&b, "  %8.0f  %6d", rate, failed)
	}
	p.at = now
	if p.terminal != nil {
		fmt.Fprintf(p.out, "\r\x1b[K%s", p.cut(b.String()))
		return
	}
	fmt.Fprintln(p.out, b.String())
}

// end writes the last line, when every operation has ended.
func (p *progress) end(start time.Time) {
	p.line(start, "done")
	if p.terminal != nil {
		fmt.Fprintln(p.out)
	}
}

// cut shortens a line to the width of the terminal: one that wraps cannot be
// overwritten.
func (p *progress) cut(line string) string {
	width, _, err := term.GetSize(int(p.terminal.Fd()))
	if err != nil || len(line) < width {
		return line
	}
	return line[:max(0, width-1)]
}
