package launch

// This file: the evidence of an attempt. What init's rows left is compared while the server's process makes the calls
// of its own, and the rest when that is ready.

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// early is the evidence as it was when init was ready, and what the comparison of init's rows came to.
type early struct {
	evidence *layers.Evidence
	found    []order.LayerReport // nil: to be compared, or compared anew
}

// compareInit compares what init's rows left. A difference is left to prove, which then compares all. Covers are
// watched before the table is read, and when the server's process is ready.
func compareInit(a *Attempt) {
	if a.watchesCovers() || openMounts(&a.Sandbox) != nil {
		return
	}
	changed(a.kept.mounts) // takes the event of an earlier change away
	mounts, err := readMounts(&a.Sandbox)
	if err != nil {
		return
	}
	a.early.evidence = &layers.Evidence{Results: a.Program.Copy(), Mounts: mounts}
	a.early.found = layers.CheckInit(a.Program, a.early.evidence)
}

// prove compares the evidence.
func (a *Attempt) prove() error {
	l := a.launch
	if err := readTable(a); err != nil {
		return err
	}
	group, err := l.Group.ReadBack()
	if err != nil {
		return &order.Refusal{Layer: order.Cgroup, Op: "read back", Err: err}
	}
	e := a.early.evidence
	e.CopyAgain(a.Program.Program)
	e.Group, e.Server, e.Served = group, a.Server, servedOf(a.Egress)
	if l.Hooks.Evidence != nil {
		l.Hooks.Evidence(a.Program, e)
	}
	found, refusal := layers.CheckRest(a.Program, e, a.early.found)
	if refusal != nil {
		return refusal
	}
	a.Layers, a.early = found, early{}
	return nil
}

// readTable reads init's table of mounts, unless it is as it was when init's rows were compared.
func readTable(a *Attempt) error {
	err := openMounts(&a.Sandbox)
	defer func() {
		closeAll([]int{a.kept.mounts})
		a.kept.mounts = -1
	}()
	if err == nil && a.watchesCovers() {
		var warnings []string
		warnings, err = a.launch.Covers.Watch(&a.Sandbox, a.kept.mounts)
		a.View.Warnings = append(a.View.Warnings, warnings...)
	}
	if err != nil || a.early.found != nil && !changed(a.kept.mounts) {
		return err
	}
	mounts, err := readMounts(&a.Sandbox)
	a.early = early{evidence: &layers.Evidence{Results: a.Program.Copy(), Mounts: mounts}}
	return err
}

// openMounts opens init's table of mounts, if init has its own and has not sent it.
func openMounts(s *Sandbox) (err error) {
	if s.kept.mounts >= 0 || s.Shared() {
		return nil
	}
	path := mountsPath(s)
	if s.kept.mounts, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return &order.Refusal{Layer: order.Root, Op: "mountinfo", Path: path, Err: err}
	}
	return nil
}

func mountsPath(s *Sandbox) string { return "/proc/" + strconv.Itoa(s.Init.PID) + "/mountinfo" }

// changed reports whether the mounts may be others than at the last call for this open table, or than at its open;
// proc_pid_mounts(5). Without a table there are none of init's own.
func changed(table int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(table), Events: unix.POLLPRI}}, 0)
	return n != 0 || err != nil
}

// readMounts reads init's table of mounts, if init has its own.
func readMounts(s *Sandbox) (mounts []platform.Mount, err error) {
	table := s.kept.mounts
	if table < 0 {
		return nil, nil
	}
	var b []byte
	if _, err = unix.Seek(table, 0, unix.SEEK_SET); err == nil {
		b, err = platform.ReadFD(table, 8<<20)
	}
	if err == nil {
		mounts, err = platform.ParseMountinfo(b)
	}
	if err != nil {
		return nil, &order.Refusal{Layer: order.Root, Op: "mountinfo", Path: mountsPath(s), Err: err}
	}
	return mounts, nil
}
