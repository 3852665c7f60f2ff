package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"strings"
	"time"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	chartWidth  = vg.Length(1000)
	chartHeight = vg.Length(600)
	buckets     = 40 // points of a line: one a second, unless the script is scaled
)

// Colours that people with any colour vision tell apart; the lines differ in
// their dashes, too.
func aloneStyle() draw.LineStyle {
	return draw.LineStyle{Color: color.RGBA{R: 0xc4, G: 0x4a, B: 0x00, A: 0xff}, Width: 2, Dashes: []vg.Length{7, 3}}
}

func policiesStyle() draw.LineStyle {
	return draw.LineStyle{Color: color.RGBA{R: 0x00, G: 0x5a, B: 0x9c, A: 0xff}, Width: 2.5}
}

func ink() color.Color   { return color.RGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff} }
func faint() color.Color { return color.RGBA{R: 0xd8, G: 0xd8, B: 0xd8, A: 0xff} }

// chart draws both sides over time, success above latency, as an SVG element.
func (o *outcome) chart(title, description string) (template.HTML, error) {
	success, err := o.successPanel()
	if err != nil {
		return "", err
	}
	latency, err := o.latencyPanel()
	if err != nil {
		return "", err
	}
	canvas := vgsvg.New(chartWidth, chartHeight)
	o.place(success, latency, draw.New(canvas))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return "", err
	}
	return template.HTML(element(svg.String(), title, description)), nil
}

// element makes the SVG document an element of a page: it scales with the page,
// names fonts that are everywhere, and has a title and a description.
func element(document, title, description string) string {
	_, body, _ := strings.Cut(document, "<svg ")
	_, body, _ = strings.Cut(body, ">")
	body = strings.ReplaceAll(body, "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif")
	return fmt.Sprintf(`<svg role="img" aria-labelledby="chart-title chart-desc" viewBox="0 0 %v %v">`+
		`<title id="chart-title">%s</title><desc id="chart-desc">%s</desc>%s`,
		chartWidth, chartHeight, html.EscapeString(title), html.EscapeString(description), body)
}

func (o *outcome) successPanel() (*plot.Plot, error) {
	p := o.panel()
	p.Y.Min, p.Y.Max = 0, 122 // room for the names of the phases
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0%"}, {Value: 25, Label: "25%"},
		{Value: 50, Label: "50%"}, {Value: 75, Label: "75%"}, {Value: 100, Label: "100%"}}
	p.X.Tick.Marker = plot.ConstantTicks{} // the lower panel has them
	p.Add(&bands{phases: o.phases, names: true}, grid())
	alone, policies, err := o.lines(p, summary.Success)
	if err != nil {
		return nil, err
	}
	p.Legend.Add(policies.name, policies)
	p.Legend.Add(alone.name, alone)
	p.Legend.Left = true
	p.Legend.YOffs = 12
	p.Legend.ThumbnailWidth, p.Legend.Padding = 40, 5
	return p, nil
}

func (o *outcome) latencyPanel() (*plot.Plot, error) {
	p := o.panel()
	p.X.Label.Text = "seconds since the start"
	p.X.Tick.Marker = seconds{}
	p.Y.Scale = plot.LogScale{}
	p.Y.Min, p.Y.Max = 0.001, 10
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0.001, Label: "1 ms"}, {Value: 0.01, Label: "10 ms"},
		{Value: 0.1, Label: "100 ms"}, {Value: 1, Label: "1 s"}, {Value: 10, Label: "10 s"}}
	p.Add(&bands{phases: o.phases}, grid(), &limit{at: deadline.Seconds(), label: "deadline of an operation", x: o.quiet()})
	_, _, err := o.lines(p, func(s summary) float64 { return min(max(s.P99.Seconds(), p.Y.Min), p.Y.Max) })
	return p, err
}

// panel is an empty plot over the time of the script.
func (o *outcome) panel() *plot.Plot {
	p := plot.New()
	p.X.Min, p.X.Max = 0, o.length().Seconds()
	p.X.Padding, p.Y.Padding = 0, 0
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = sans(14), ink()
		a.Tick.Label.Font, a.Tick.Label.Color = sans(13), ink()
		a.LineStyle.Color, a.Tick.LineStyle.Color = ink(), ink()
		a.Tick.Length = 5
	}
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = sans(14), ink()
	return p
}

// line is a line in a plot that has a name.
type line struct {
	*plotter.Line
	name string
}

// lines adds both sides to a plot: azcosmos alone on top, so that its dashes
// show where the lines are one.
func (o *outcome) lines(p *plot.Plot, value func(summary) float64) (alone, policies line, err error) {
	if policies, err = o.line(o.policies, policiesStyle(), value); err != nil {
		return alone, policies, err
	}
	if alone, err = o.line(o.alone, aloneStyle(), value); err != nil {
		return alone, policies, err
	}
	p.Add(policies, alone)
	return alone, policies, nil
}

func (o *outcome) line(r *record, style draw.LineStyle, value func(summary) float64) (line, error) {
	var xys plotter.XYs
	for _, pt := range series(r.samples, o.length(), o.length()/buckets) {
		xys = append(xys, plotter.XY{X: pt.middle.Seconds(), Y: value(pt.summary)})
	}
	l, err := plotter.NewLine(xys)
	if err != nil {
		return line{}, err
	}
	l.LineStyle = style
	return line{l, r.Name}, nil
}

// place draws the plots one above the other, with the same left and right
// edges of their data. (plot.Align would give the upper one room for an axis of
// x, and an axis label is padded wrongly on a logarithmic scale.)
func (o *outcome) place(success, latency *plot.Plot, all draw.Canvas) {
	const caption, middle = 26, 0.52
	above := draw.Crop(all, 4, -14, all.Max.Y*middle+8, -caption)
	below := draw.Crop(all, 4, -14, 4, all.Max.Y*(middle-1)-caption-8)
	a, b := success.DataCanvas(above), latency.DataCanvas(below)
	left, right := max(a.Min.X, b.Min.X), min(a.Max.X, b.Max.X)
	above = draw.Crop(above, left-a.Min.X, right-a.Max.X, 0, 0)
	below = draw.Crop(below, left-b.Min.X, right-b.Max.X, 0, 0)

	success.Legend.XOffs = (right-left)*vg.Length(success.X.Norm(o.quiet())) + 12
	success.Draw(above)
	latency.Draw(below)
	style := text.Style{Color: ink(), Font: sans(15), Handler: success.TextHandler}
	style.Font.Weight = stdfont.WeightBold
	all.FillText(style, vg.Point{X: left, Y: above.Max.Y + 9}, "Operations that succeeded")
	all.FillText(style, vg.Point{X: left, Y: below.Max.Y + 9}, "Latency, 99th percentile (logarithmic)")
}

// quiet is the time at which the longest phase that is no outage begins.
func (o *outcome) quiet() float64 {
	var longest phase
	for _, p := range o.phases {
		if !p.outage() && p.length > longest.length {
			longest = p
		}
	}
	return longest.from.Seconds()
}

func (o *outcome) length() time.Duration { return o.phases[len(o.phases)-1].to() }

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Width = 0
	g.Horizontal = draw.LineStyle{Color: faint(), Width: 1}
	return g
}
