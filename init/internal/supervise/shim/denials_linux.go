package shim

import (
	"cmp"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

const (
	mostRefused = 5 // refusals that have a line on standard error
	mostLast    = 3 // refusals that the last line of an early end has
)

// denials are the acts that the server was refused.
type denials struct {
	tally.Tally
	order  *order.Order
	policy *policy.Policy
	said   []order.Act // with a line on standard error
	last   []order.Act // newest last
	keep   func()      // makes the report that is kept; nil before the server runs
	again  *loop.Timer // writes the lines of the report for which there was no room
}

// note completes a record, and remembers its act as the last one. The record is to have a report.
func (n *denials) note(d *order.Denied) {
	if n.keep != nil {
		n.keep()
	}
	d.Flag = cmp.Or(d.Flag, n.flag(&d.Act))
	n.last = slices.DeleteFunc(n.last, func(a order.Act) bool { return a == d.Act })
	n.last = append(n.last[max(0, len(n.last)+1-mostLast):], d.Act)
}

// isNew reports whether a refusal has a line on standard error: one of the first acts, at its first time. Of processes
// that are too many the group says a line of its own.
func (n *denials) isNew(d *order.Denied) bool {
	if d.Layer == order.Cgroup || len(n.said) == mostRefused || slices.Contains(n.said, d.Act) {
		return false
	}
	n.said = append(n.said, d.Act)
	return true
}

// flag is the flag that lets a system call; "" for none, and for other acts.
func (n *denials) flag(a *order.Act) string {
	if a.Kind == order.DeniedSyscall && n.policy.Subprocess.Allow == policy.No {
		return a.Suggest()
	}
	return ""
}

// fill puts all that the server was refused into the last record.
func (n *denials) fill(x *order.Exited) {
	if x.ForksRefused > 0 {
		n.Add(refusedFork(), x.ForksRefused)
	}
	x.Denied = n.List()
	x.Dropped += n.Dropped
	for i := range x.Denied {
		d := &x.Denied[i]
		d.Flag = cmp.Or(d.Flag, n.flag(&d.Act))
	}
}

// whyLine names the command that explains the refusals; "" where there were none, or where no file has the report. No
// process of ours sees the answers of a server. So an early end stands for one before the first answer, and its line
// has the last refusals.
func (n *denials) whyLine(x *order.Exited, kept bool, after time.Duration) string {
	if !n.order.Guided || len(x.Denied) == 0 || n.order.ReportFile == "" && !kept {
		return ""
	}
	var last []order.Act
	if after < notice.Early && x.ExitCode != 0 {
		last = n.last
	}
	return notice.Why(len(x.Denied), n.order.ReportFile, last)
}

// retry writes lines of the report that have waited for room.
func (n *denials) retry(sink *report.Sink) { n.again.Set(sink.Retry()) }
