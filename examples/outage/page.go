package main

import (
	"fmt"
	"html/template"
	"os"
	"strings"
)

// page is what the template of the picture shows.
type page struct {
	Title, Story string
	Chart        template.HTML
	Regions      []string
	Kinds        []string
	Records      []*record
	Phases       []pagePhase
}

// pagePhase is one row of the table of phases.
type pagePhase struct {
	Name            string
	Length          string
	Alone, Policies summary
	AloneLost, Lost int // requests that reached the lost region
}

// writeHTML writes the picture, with its numbers, into one file that needs nothing else.
func (o *outcome) writeHTML(path string) error {
	p, err := o.page()
	if err != nil {
		return err
	}
	t, err := template.New("page").Funcs(template.FuncMap{"span": span, "count": count}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, p); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func (o *outcome) page() (*page, error) {
	p := &page{
		Title:   fmt.Sprintf("Losing %s, with and without the policies", lost),
		Story:   o.story(),
		Regions: regions(),
		Records: []*record{o.alone, o.policies},
	}
	var err error
	if p.Chart, err = o.chart(p.Title, p.Story); err != nil {
		return nil, err
	}
	for k := range kinds {
		p.Kinds = append(p.Kinds, k.String())
	}
	for i, ph := range o.phases {
		p.Phases = append(p.Phases, pagePhase{
			Name: ph.name, Length: span(ph.length),
			Alone: o.alone.Phases[i], Policies: o.policies.Phases[i],
			AloneLost: o.alone.Lost[i], Lost: o.policies.Lost[i],
		})
	}
	return p, nil
}

const pageTemplate = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Liberation Sans", Arial, sans-serif; color: #222; background: #fff; max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
figure { margin: 0; }
svg { width: 100%; height: auto; }
figcaption, .note { color: #555; font-size: .9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .75rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child { text-align: left; }
thead tr:last-child th, thead th[rowspan] { border-bottom: 2px solid #888; }
th[colspan] { text-align: center; }
tbody th { font-weight: 600; }
.bad { color: #b03a00; font-weight: 600; }
</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<figure>
{{.Chart}}
<figcaption>Above: the share of operations that succeeded. Below: the 99th percentile of their latency, failed operations included, on a logarithmic scale. Both by the time at which an operation began.</figcaption>
</figure>
<p>{{.Story}}</p>
<h2>In numbers</h2>
<div class="scroll"><table>
<thead><tr><th scope="col" rowspan="2">Client</th><th scope="col" rowspan="2">Operations</th><th scope="col" rowspan="2">Failed</th><th scope="colgroup" colspan="3">Latency</th><th scope="colgroup" colspan="{{len .Regions}}">Requests that reached</th></tr>
<tr><th scope="col">p50</th><th scope="col">p99</th><th scope="col">worst</th>{{range .Regions}}<th scope="col">{{.}}</th>{{end}}</tr></thead>
<tbody>{{range .Records}}
<tr><th scope="row">{{.Name}}</th><td>{{count .Total.Operations}}</td><td{{if .Total.Failed}} class="bad"{{end}}>{{count .Total.Failed}}</td><td>{{span .Total.P50}}</td><td>{{span .Total.P99}}</td><td>{{span .Total.Worst}}</td>{{range .Requests}}<td>{{count .}}</td>{{end}}</tr>{{end}}
</tbody></table></div>
<h2>By kind of operation</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">Failed, of all</th>{{range .Kinds}}<th scope="col">{{.}}</th>{{end}}</tr></thead>
<tbody>{{range .Records}}
<tr><th scope="row">{{.Name}}</th>{{range .Kinds}}<td{{if .Failed}} class="bad"{{end}}>{{count .Failed}} of {{count .Operations}}</td>{{end}}</tr>{{end}}
</tbody></table></div>
<h2>By phase</h2>
<div class="scroll"><table>
<thead><tr><th scope="col" rowspan="2">Phase</th><th scope="col" rowspan="2">Length</th><th scope="colgroup" colspan="3">azcosmos alone</th><th scope="colgroup" colspan="3">with policies</th></tr>
<tr><th scope="col">Failed</th><th scope="col">p99</th><th scope="col">Reached {{index .Regions 0}}</th><th scope="col">Failed</th><th scope="col">p99</th><th scope="col">Reached {{index .Regions 0}}</th></tr></thead>
<tbody>{{range .Phases}}
<tr><th scope="row">{{.Name}}</th><td>{{.Length}}</td><td{{if .Alone.Failed}} class="bad"{{end}}>{{count .Alone.Failed}}</td><td>{{span .Alone.P99}}</td><td>{{count .AloneLost}}</td><td{{if .Policies.Failed}} class="bad"{{end}}>{{count .Policies.Failed}}</td><td>{{span .Policies.P99}}</td><td>{{count .Lost}}</td></tr>{{end}}
</tbody></table></div>
<p class="note">“Reached” counts requests for data that arrived in the region; a refused connection brings none. The regions are simulated on this machine, over HTTP/2 and TLS, with the distances of the real ones.</p>
</main>
</body>
</html>
`
