package main

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bands marks the phases of the script: outages are shaded, and a line begins
// each phase. It implements plot.Plotter.
type bands struct {
	phases []phase
	names  bool // write them along the upper edge
}

// Plot implements plot.Plotter.
func (b *bands) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	shade := color.RGBA{R: 0xfb, G: 0xea, B: 0xdf, A: 0xff}
	edge := draw.LineStyle{Color: color.RGBA{R: 0xb0, G: 0xb0, B: 0xb0, A: 0xff}, Width: 1, Dashes: []vg.Length{2, 3}}
	for i, ph := range b.phases {
		left, right := x(ph.from.Seconds()), x(ph.to().Seconds())
		if ph.outage() {
			c.FillPolygon(shade, []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
		}
		if i > 0 {
			c.StrokeLine2(edge, left, c.Min.Y, left, c.Max.Y)
		}
		if b.names {
			b.write(c, p, ph, (left+right)/2)
		}
	}
}

func (b *bands) write(c draw.Canvas, p *plot.Plot, ph phase, middle vg.Length) {
	style := text.Style{
		Color: ink(), Font: sans(13), Handler: p.TextHandler,
		XAlign: draw.XCenter, YAlign: draw.YTop,
	}
	c.FillText(style, vg.Point{X: middle, Y: c.Max.Y - 6}, ph.name)
}

// limit is a labelled horizontal line. It implements plot.Plotter.
type limit struct {
	at    float64
	label string
	x     float64 // where the label begins
}

// Plot implements plot.Plotter.
func (l *limit) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := y(l.at)
	grey := color.RGBA{R: 0x66, G: 0x66, B: 0x66, A: 0xff}
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 1, Dashes: []vg.Length{1, 3}}, c.Min.X, at, c.Max.X, at)
	style := text.Style{Color: grey, Font: sans(12), Handler: p.TextHandler, YAlign: draw.YTop}
	c.FillText(style, vg.Point{X: x(l.x) + 12, Y: at - 3}, l.label)
}

// seconds puts about ten ticks on an axis of seconds. It implements plot.Ticker.
type seconds struct{}

// Ticks implements plot.Ticker.
func (seconds) Ticks(from, to float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((to-from)/10)))
	for _, n := range []float64{2, 2.5} { // 1, 2 and 5
		if (to-from)/step > 10 {
			step *= n
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(from / step); i*step <= to; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 4, 64)})
	}
	return ticks
}
