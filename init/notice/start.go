package notice

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// most is how many notices are lines on standard error. The report has all of them.
const most = 5

// AtStart are the lines of a launch before its server runs. lowered are the lines about the confinement.
func AtStart(o *order.Order, e *order.Enforced, lowered []string) (lines []string) {
	if o.Quiet {
		return nil
	}
	if o.Verbose {
		lines = Whole(e)
	} else {
		lines = append(lines, lowered...)
	}
	if text := Limits(o.Named, e); text != "" && !o.Verbose { // in Whole by layers
		lines = append(lines, text)
	}
	n := 0
	for i := range e.Notices {
		switch notice := &e.Notices[i]; {
		case notice.Line == "", o.Verbose && slices.Contains(e.Warnings, notice.Line):
		case notice.Kind == order.NoticeProtected && !o.Verbose:
		case n == most && !o.Verbose:
		default:
			lines = append(lines, notice.Line)
			n++
		}
	}
	return lines
}
