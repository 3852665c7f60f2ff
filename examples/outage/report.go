package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// print writes the table and the story.
func (o *outcome) print(out io.Writer) {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "\toperations\tfailed\tp50\tp99\tworst\t%s\t\n", strings.Join(regions(), "\t"))
	for _, r := range []*record{o.alone, o.policies} {
		t := &r.Total
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t", r.Name, count(t.Operations), count(t.Failed), span(t.P50), span(t.P99), span(t.Worst))
		for _, n := range r.Requests {
			fmt.Fprintf(table, "%s\t", count(n))
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush() // the terminal is gone when this fails
	fmt.Fprintf(out, "(under a region's name: the requests for data that reached it)\n\n%s\n", wrap(o.story(), 100))
}

// story says in plain words what happened.
func (o *outcome) story() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Both programs did the same %s operations, each with a deadline of %g s, while %s, the region that both prefer, was lost twice. ",
		count(o.alone.Total.Operations), deadline.Seconds(), lost)
	for i, p := range o.phases {
		if !p.outage() {
			continue
		}
		a, w := o.alone.Phases[i], o.policies.Phases[i]
		fmt.Fprintf(&b, "While it %s, azcosmos alone failed %s of %s operations (p99 %s), and with the policies %s (p99 %s). ",
			p.past, none(a.Failed), count(a.Operations), span(a.P99), none(w.Failed), span(w.P99))
	}
	o.explainAlone(&b)
	o.explainPolicies(&b)
	return strings.TrimSpace(b.String())
}

// explainAlone says why azcosmos alone fared as it did, as far as the numbers show it.
func (o *outcome) explainAlone(b *strings.Builder) {
	if o.alone.Total.Failed == 0 {
		return
	}
	var causes []string
	for _, name := range slices.Sorted(maps.Keys(o.alone.causes())) {
		causes = append(causes, fmt.Sprintf("%s × %s", count(o.alone.causes()[name]), name))
	}
	fmt.Fprintf(b, "azcosmos repeats a request that was refused in the region that refused it, until it is too late (%s). ", strings.Join(causes, ", "))
	if k := &o.alone.Kinds; k[read].Failed+k[query].Failed == 0 && o.alone.Reads.P50 > o.policies.Reads.P50 {
		fmt.Fprintf(b, "Only creates and replaces failed, because azcosmos sends reads and queries to the second preferred region, %s, "+
			"even when all is well; a read took %s there, and %s with the policies. ",
			second, span(o.alone.Reads.P50), span(o.policies.Reads.P50))
	}
}

// explainPolicies says what the policies did instead.
func (o *outcome) explainPolicies(b *strings.Builder) {
	alone, with := 0, 0
	for i, p := range o.phases {
		if p.outage() {
			alone, with = alone+o.alone.Lost[i], with+o.policies.Lost[i]
		}
	}
	fmt.Fprintf(b, "The policies send a request that failed to the next region at once, and soon stop asking the lost one: "+
		"during the outages %s of their requests reached it", count(with))
	if with < alone {
		fmt.Fprintf(b, ", and %s of azcosmos alone, which asks it only to write", count(alone))
	}
	b.WriteString(". ")
	if last := len(o.phases) - 1; o.policies.Lost[last] == 0 && o.policies.Phases[last].Operations > 0 {
		fmt.Fprintf(b, "They keep away for a minute from a region that could not be reached; so at the end they are still in %s. ", second)
	}
	fmt.Fprintf(b, "All in all, azcosmos alone lost %s of %s operations (%.1f%%), and with the policies %s.",
		none(o.alone.Total.Failed), count(o.alone.Total.Operations), 100-o.alone.Total.Success(), none(o.policies.Total.Failed))
}

// count writes a number as people do: 12,345.
func count(n int) string { return message.NewPrinter(language.English).Sprint(n) }

func none(n int) string {
	if n == 0 {
		return "none"
	}
	return count(n)
}

// span writes a duration with as many digits as anybody reads.
func span(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms >= 1000:
		return fmt.Sprintf("%.2f s", ms/1000)
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f ms", ms)
	}
}

// wrap breaks text into lines of at most width characters.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
