package simulation

import (
	"fmt"
	"strings"
	"time"
)

// table writes the runs side by side, in Markdown.
func table(list []*variant) string {
	rows := [][]string{{""}, {"---"}}
	for _, v := range list {
		rows[0] = append(rows[0], fmt.Sprintf("%s, %s", v.name, map[bool]string{true: "breaker on", false: "off"}[v.breaker]))
		rows[1] = append(rows[1], "---:")
	}
	for _, m := range measures {
		row := []string{m.name}
		for _, v := range list {
			row = append(row, m.of(&v.stats))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n¹ median / 99 % / longest\n")
	return b.String()
}

// measures are the rows of the table.
var measures = []struct {
	name string
	of   func(s *stats) string
}{
	{"operations stood for", func(s *stats) string { return fmt.Sprintf("%.1f M", s.operations/1e6) }},
	{"operations run", func(s *stats) string { return fmt.Sprint(s.run) }},
	{"requests per operation run", func(s *stats) string { return fmt.Sprintf("%.3f", float64(s.requests)/float64(s.run)) }},
	{"failed", func(s *stats) string { return percent(s.failed, s.operations) }},
	{"failed although a region could serve", func(s *stats) string { return fmt.Sprint(s.avoidable) }},
	{"went astray to a region known to be sick", func(s *stats) string { return percent(s.astray, s.onSick) }},
	{"probes of such regions", func(s *stats) string { return fmt.Sprint(s.roles[probe]) }},
	{"last resorts in such regions", func(s *stats) string { return fmt.Sprint(s.roles[lastResort]) }},
	{"healthy operations disturbed", func(s *stats) string { return fmt.Sprintf("%d of %d", s.disturbed, s.calm) }},
	{"time to leave a sick region¹", func(s *stats) string { return spread(s.follow.out[0]) }},
	{"and to come back¹", func(s *stats) string { return spread(s.follow.back[0]) }},
	{"time to leave an endpoint that refuses connections¹", func(s *stats) string { return spread(s.follow.out[1]) }},
	{"and to come back¹", func(s *stats) string { return spread(s.follow.back[1]) }},
	{"time to follow a move of the writes¹", func(s *stats) string { return spread(s.follow.moved) }},
	{"longest operation", func(s *stats) string { return seconds(s.longest) }},
}

func percent(part, whole float64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f %%", 100*part/whole)
}

func spread(values []time.Duration) string {
	if len(values) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s / %s / %s", seconds(quantile(values, 0.5)), seconds(quantile(values, 0.99)), seconds(quantile(values, 1)))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
