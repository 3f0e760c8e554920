package shim

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/coverwatch"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/signals"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// coverWatch has the covers of a launch watched; [launch.Covers].
type coverWatch struct {
	*monitor
	in *hosted // nil: this process is a shim
}

// Open opens init's mount namespace. In a host the runner that lays a cover again is the parent's child.
func (w coverWatch) Open(s *launch.Sandbox) (err error) {
	c := coverwatch.Config{Covers: s.View.Covers, Machine: s.Machine, Init: s.Init.PID,
		Ended: func() bool { return s.Ended(0) }, Lost: w.policyLost, Alter: w.alterRepair}
	if w.in != nil {
		c.Rouse, c.Lay = w.in.waiter.Rouse, w.in.of.parent.Lay
	}
	w.covers, err = coverwatch.New(c)
	return err
}

// Watch begins to watch, before the table of mounts is compared.
func (w coverWatch) Watch(s *launch.Sandbox, table int) (warnings []string, err error) {
	requestShortSlice(s.Init.PID)
	if w.in == nil {
		requestShortSlice(0)
		if err := signals.Catch(unix.SIGIO); err != nil { // whatever the host was doing with it
			return nil, &order.Refusal{Layer: order.Root, Op: "rt_sigaction", Path: "SIGIO", Err: err}
		}
	}
	return w.covers.Watch(table)
}

// Close ends the watch of a sandbox that is given up.
func (w coverWatch) Close() {
	w.covers.Close()
	w.covers = nil
}

// requestShortSlice asks the scheduler to wake the shim and init without delay even where the server uses every
// processor: a short slice comes first, since Linux 6.12 (85e511df3cec). Before that kernel, or without the
// right, nothing changes. The server's process exists already and does not inherit the slice.
func requestShortSlice(pid int) {
	const slice = 100 * 1000 // ns, the shortest there is
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Runtime: slice}
	unix.SchedSetAttr(pid, &attr, 0)
}

// policyLost ends a server that the policy no longer holds.
func (m *monitor) policyLost(err error) {
	m.end.Because(order.CausePolicyLost)
	m.end.Kill()
	// Init waits for the server's end before it kills the others.
	for _, p := range proctree.Descendants(m.sandbox.Init.PID) {
		p.Signal(unix.SIGKILL)
	}
	m.say(notice.PolicyLost(err))
}
