package main

import (
	"fmt"
	"html"
	"io"
)

// Sizes, in units of the drawing.
const (
	width    = 860
	margin   = 24
	top      = 120 // of the first group
	rowStep  = 38
	boxHigh  = 28
	titleGap = 26
	groupGap = 12
	boxWide  = 300
	serverX  = 440
	serverW  = width - margin - serverX
)

// style has the colours: those of light, and of dark where the reader prefers that.
const style = `
  .page { fill: #ffffff; stroke: #d0d7de }
  .head { fill: #1f2328; font: bold 17px sans-serif }
  .title { fill: #57606a; font: bold 13px sans-serif }
  .code { fill: #1f2328; font: 13px monospace }
  .text { fill: #1f2328; font: 13px sans-serif }
  .box { fill: #f6f8fa; stroke: #d0d7de }
  .sandbox { fill: none; stroke: #57606a; stroke-width: 2 }
  .write { fill: #dafbe1; stroke: #1a7f37 }
  .read { fill: #ddf4ff; stroke: #0969da }
  .private { fill: #fff8c5; stroke: #9a6700 }
  .gone { fill: none; stroke: #cf222e; stroke-dasharray: 4 4 }
  .line { fill: none; stroke: #57606a; stroke-width: 1.5 }
  .cut { fill: none; stroke: #cf222e; stroke-width: 2.5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #30363d }
    .head, .code, .text { fill: #e6edf3 }
    .title { fill: #9198a1 }
    .box { fill: #161b22; stroke: #30363d }
    .sandbox, .line { stroke: #9198a1 }
    .write { fill: #12261e; stroke: #3fb950 }
    .read { fill: #121d2f; stroke: #58a6ff }
    .private { fill: #272115; stroke: #d29922 }
    .gone, .cut { stroke: #f85149 }
  }
`

const description = "On the left things of your machine, on the right the same things as the server sees them: " +
	"the granted folder can be written, system files can be read, the home is empty, and keys, other variables, " +
	"the network and other processes are not there."

// draw writes the picture.
func draw(w io.Writer) {
	all := groups()
	height := top - titleGap
	for _, g := range all {
		height += titleGap + len(g.rows)*rowStep + groupGap
	}
	height += margin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`aria-labelledby="t d">`+"\n", width, height, width, height)
	fmt.Fprintf(w, "<title id=\"t\">What a server sees</title>\n<desc id=\"d\">%s</desc>\n<style>%s</style>\n",
		description, style)
	rect(w, "page", 0.5, 0.5, width-1, float64(height)-1, 8)
	text(w, "code", margin, 38, command)
	text(w, "head", margin, 78, "Your machine")
	text(w, "head", serverX, 78, "What the server sees")
	rect(w, "sandbox", serverX-16, 90, serverW+24, float64(height)-90-margin/2, 10)
	y := top - titleGap
	for _, g := range all {
		y += titleGap
		text(w, "title", margin, y-6, g.title)
		for _, r := range g.rows {
			r.draw(w, y)
			y += rowStep
		}
		y += groupGap
	}
	fmt.Fprintln(w, "</svg>")
}

// draw draws one row, of which y is the top.
func (r row) draw(w io.Writer, y int) {
	middle := y + boxHigh/2
	rect(w, "box", margin, float64(y), boxWide, boxHigh, 5)
	text(w, "code", margin+12, middle+5, r.machine)
	rect(w, string(r.kind), serverX, float64(y), serverW, boxHigh, 5)
	text(w, "text", serverX+12, middle+5, r.server)
	from, to := margin+boxWide+8, serverX-24
	if r.kind == gone || r.kind == private {
		fmt.Fprintf(w, `<path class="line" d="M%d %dH%d"/><path class="cut" d="M%d %dv14"/>`+"\n",
			from, middle, to-12, to-8, middle-7)
		return
	}
	end := serverX - 6
	fmt.Fprintf(w, `<path class="line" d="M%d %dH%dm-6 -4l6 4l-6 4"/>`+"\n", from, middle, end)
}

func rect(w io.Writer, class string, x, y, wide, high, round float64) {
	fmt.Fprintf(w, `<rect class="%s" x="%g" y="%g" width="%g" height="%g" rx="%g"/>`+"\n",
		class, x, y, wide, high, round)
}

func text(w io.Writer, class string, x, y int, s string) {
	fmt.Fprintf(w, `<text class="%s" x="%d" y="%d" xml:space="preserve">%s</text>`+"\n",
		class, x, y, html.EscapeString(s))
}
