package launch

// This file: the evidence of an attempt. What init's rows left is compared while the server's process makes the calls
// of its own, and the rest when that is ready.

import (
	"bytes"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// early is the evidence as it was when init was ready, and what the comparison of init's rows came to.
type early struct {
	table    []byte // init's mountinfo
	evidence *layers.Evidence
	found    []order.LayerReport // nil: to be compared, or compared anew
}

// compareInit compares what init's rows left. A difference is left to prove, which then compares all. Covers are
// watched before the table is read, and when the server's process is ready.
func compareInit(a *Attempt) {
	if a.watchesCovers() || openMounts(&a.Sandbox) != nil {
		return
	}
	table, err := readMounts(&a.Sandbox)
	if err != nil {
		return
	}
	mounts, err := parseMounts(&a.Sandbox, table)
	if err != nil {
		return
	}
	a.early.table, a.early.evidence = table, &layers.Evidence{Results: a.Program.Copy(), Mounts: mounts}
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
	if l.Hooks.Evidence == nil { // or a test may have kept some
		e.Done()
	}
	a.Layers, a.early = found, early{}
	return nil
}

// readTable reads init's table of mounts. If that is another than when init's rows were compared, they are compared
// anew. Poll(2) would not tell: no event comes where a folder above a mount is renamed, or its propagation changes.
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
	if err != nil {
		return err
	}
	table, err := readMounts(&a.Sandbox)
	if err != nil || a.early.found != nil && bytes.Equal(table, a.early.table) {
		return err
	}
	mounts, err := parseMounts(&a.Sandbox, table)
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

// readMounts reads init's table of mounts, if init has its own.
func readMounts(s *Sandbox) (table []byte, err error) {
	if s.kept.mounts < 0 {
		return nil, nil
	}
	if _, err = unix.Seek(s.kept.mounts, 0, unix.SEEK_SET); err == nil {
		table, err = platform.ReadFD(s.kept.mounts, 8<<20)
	}
	return table, refusedMounts(s, err)
}

func parseMounts(s *Sandbox, table []byte) (mounts []platform.Mount, err error) {
	if s.Shared() {
		return nil, nil
	}
	mounts, err = platform.ParseMountinfo(table)
	return mounts, refusedMounts(s, err)
}

func refusedMounts(s *Sandbox, err error) error {
	if err == nil {
		return nil
	}
	return &order.Refusal{Layer: order.Root, Op: "mountinfo", Path: mountsPath(s), Err: err}
}
