package page

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// mostMissing is how many facts of a layer that do not hold are shown.
const mostMissing = 40

// Layers are the lines of a report's layers: the state, and what does not hold.
func Layers(layers []order.LayerReport) (lines [][]Cell) {
	for _, l := range layers {
		var missing []string
		for _, f := range l.Facts {
			if f.Got == "" {
				missing = append(missing, f.Name+": "+f.Reason)
			}
		}
		style, what := Green, strconv.Itoa(len(l.Facts)-len(missing))+" facts"
		if l.State != order.Proved {
			style, what = Yellow, l.Reason
		}
		lines = append(lines, []Cell{{Text: string(l.Layer)}, {string(l.State), style}, {Text: what}})
		for i, m := range missing {
			if i == mostMissing {
				m = strconv.Itoa(len(missing)-i) + " more, which --json has"
			}
			if lines = append(lines, []Cell{{}, {}, {"without " + m, Yellow}}); i == mostMissing {
				break
			}
		}
		if l.Effect != "" {
			lines = append(lines, []Cell{{}, {}, {Text: l.Effect}})
		}
	}
	return lines
}
