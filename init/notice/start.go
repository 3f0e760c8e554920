package notice

import (
	"cmp"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// most is how many notices are lines on standard error. The report has all of them.
const most = 5

// gravity has the kinds of notices, the gravest first: of too much access, of losses of the user, of faults with which
// no server starts, with which many do not, and of errors that a server meets later. A kind that is not here is no line
// without --verbose.
func gravity() [13]order.NoticeKind {
	return [...]order.NoticeKind{
		order.NoticeProxy, order.NoticeDaemon,
		order.NoticeSingle, order.NoticeLost,
		order.NoticeNetwork,
		order.NoticeReference, order.NoticeProfile, order.NoticeEnv, order.NoticeArgument, order.NoticeCwd,
		order.NoticeLinks, order.NoticeHeld, order.NoticeApart,
	}
}

// byGravity are the notices with the gravest first, those of a kind as they were.
func byGravity(notices []order.Notice) []order.Notice {
	kinds := gravity()
	rank := func(n *order.Notice) int {
		if i := slices.Index(kinds[:], n.Kind); i >= 0 {
			return i
		}
		return len(kinds)
	}
	return slices.SortedStableFunc(slices.Values(notices), func(a, b order.Notice) int {
		return cmp.Compare(rank(&a), rank(&b))
	})
}

// AtStart are the lines of a launch before its server runs. lowered are the lines about layers that hold less.
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
	if text := TmpSize(o.Named, e); text != "" {
		lines = append(lines, text)
	}
	kinds, n := gravity(), 0
	for _, notice := range byGravity(e.Notices) {
		switch {
		case notice.Line == "", o.Verbose && slices.Contains(e.Warnings, notice.Line):
		case !slices.Contains(kinds[:], notice.Kind) && !o.Verbose:
		case n == most && !o.Verbose:
		default:
			lines = append(lines, notice.Line)
			n++
		}
	}
	return lines
}
