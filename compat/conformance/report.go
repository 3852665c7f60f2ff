package conformance

import (
	"fmt"
	"strings"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// Of a long request log the report shows the beginning and the end.
const (
	shownFirst = 20
	shownLast  = 10
)

// title names the case and says why it is one.
func (c *caseSpec) title() string {
	return fmt.Sprintf("case: %s\nwhy:  %s", c.Name, c.Why)
}

// report tells everything about a step that went wrong: where, what was wanted, what came, and what the account saw.
func report(spec *caseSpec, place string, problems []string, result *outcome) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s\n", spec.title(), place)
	for _, problem := range problems {
		fmt.Fprintf(&text, "  %s\n", problem)
	}
	fmt.Fprintf(&text, "it took %s and answered %d/%d", result.elapsed, result.status(), result.subStatus())
	if result.err != nil {
		fmt.Fprintf(&text, ", error: %s", strings.ReplaceAll(result.err.Error(), "\n", "\n    "))
	}
	fmt.Fprintf(&text, "\nrequests of this run: %d\n", len(result.requests))
	for i, request := range result.requests {
		switch {
		case i < shownFirst || i >= len(result.requests)-shownLast:
			fmt.Fprintf(&text, "  +%-12s %s\n", request.Time.Sub(result.start), requestLine(&request))
		case i == shownFirst:
			fmt.Fprintf(&text, "  … %d more …\n", len(result.requests)-shownFirst-shownLast)
		}
	}
	return text.String()
}

// requestLine is what the log says about one request, without its time.
func requestLine(request *cosmostest.Request) string {
	answer := fmt.Sprintf("%d/%d", request.Status, request.SubStatus)
	if request.Transport != cosmostest.NoTransportFault {
		answer = request.Transport.String()
	}
	line := fmt.Sprintf("%-14s %-6s %s", request.Region, request.Method, request.Path)
	if request.Range != "" {
		line += " range " + request.Range
	}
	return line + " → " + answer
}

// brief lists regions, of many the first ones.
func brief(regions []string) string {
	if len(regions) <= shownFirst {
		return fmt.Sprintf("%q", regions)
	}
	return fmt.Sprintf("%q and %d more", regions[:shownFirst], len(regions)-shownFirst)
}
