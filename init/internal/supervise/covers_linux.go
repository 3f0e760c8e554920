package supervise

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/covers"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

func (s *shim) coversConfig() covers.Config {
	return covers.Config{Covers: s.view.Covers, Machine: s.machine, Init: s.init, InitFD: s.initFD, Release: s.release,
		Lost: s.policyLost, Alter: s.AlterRepair}
}

// watchCovers begins to watch, before the table of mounts is compared.
func (s *shim) watchCovers() error {
	s.requestShortSlice()
	if err := signals.Catch(unix.SIGIO); err != nil { // whatever the host was doing with it
		return &order.Refusal{Layer: order.Root, Op: "rt_sigaction", Path: "SIGIO", Err: err}
	}
	warnings, err := s.covers.Watch(s.server)
	s.view.Warnings = append(s.view.Warnings, warnings...)
	return err
}

// requestShortSlice asks the scheduler to wake the shim and init without delay even where the server uses every
// processor: a short slice comes first, since Linux 6.12 (85e511df3cec). Before that kernel, or without the
// right, nothing changes. The server's process exists already and does not inherit the slice.
func (s *shim) requestShortSlice() {
	const slice = 100 * 1000 // ns, the shortest there is
	for _, pid := range []int{0, s.init} {
		unix.SchedSetAttr(pid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Runtime: slice}, 0)
	}
}

// policyLost ends a server that the policy no longer holds.
func (s *shim) policyLost(err error) {
	s.end.Because(order.CausePolicyLost)
	s.end.Kill()
	for _, p := range proctree.Descendants(s.init) { // init waits for the server's end before it kills the others
		p.Signal(unix.SIGKILL)
	}
	s.Say("the server is ended, because the host replaced something that the policy denies or protects: " + err.Error() +
		" (deny, or grant, whole folders rather than single files)")
}
