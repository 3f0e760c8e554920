package launch

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A runner is the process that clones init as a child of this process, and ends.
type runner struct {
	pid    int // 0 once the runner has been reaped
	status unix.WaitStatus
	err    error // why waiting for the runner was given up
}

func refusedStart(op string, err error) error {
	return &order.Refusal{Layer: order.Exec, Op: op, Err: err}
}

// start makes the program and the pipes, and starts the runner.
func (r *runner) start(a *Attempt, more []int) error {
	fd, mem, err := program.Open()
	if err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "program", Err: err}
	}
	defer unix.Close(fd)
	l := a.launch
	a.kept.memory = mem
	a.Program = layers.NewLayout(mem, &l.Policy, a.Confinement, l.Ladder.NoFilter)
	if l.Hooks.Program != nil {
		l.Hooks.Program(a.Program, false)
	}
	return r.startOn(a, fd, more)
}

func (r *runner) startOn(a *Attempt, prog int, more []int) error {
	theirs, err := a.Pipes.open()
	defer closeAll(theirs[:])
	if err != nil {
		return err
	}
	folder := prog
	if fd := a.kept.private.FD(); fd >= 0 {
		folder = fd
	}
	if host := a.launch.Host; host.Grace > 0 {
		more = append(slices.Clip(more), host.PIDFD)
	}
	files := layers.Files(a.launch.Stdio.FDs, prog, theirs[0], theirs[1], theirs[2], folder, more)
	if len(files) > program.MaxFiles {
		return refusedStart("start", unix.EMFILE)
	}
	if r.pid, err = program.Start(files, a.launch.Group.Init()); err != nil {
		return refusedStart("start", err)
	}
	return nil
}

// adopt waits for the runner, which has then stored init's process id.
func (r *runner) adopt(a *Attempt) error {
	st, err := a.reapRunner(r)
	if err != nil || a.Program.Init() > 0 && st.Exited() && st.ExitStatus() == 0 {
		return err
	}
	if f := a.Program.Failed(a.Program.Copy()); f != nil {
		return f
	}
	if st.Signaled() { // its one call but exit
		return &order.Refusal{Layer: order.Namespaces, Op: "clone", Err: killedBy(st.Signal())}
	}
	return refusedStart(diagnose.OpRunner, errors.New("ended with "+strconv.Itoa(st.ExitStatus())))
}

func (r *runner) reap(s *Sandbox) (unix.WaitStatus, unix.Rusage, error) { return wait(s.Init.PID) }

// adoptInit waits until init is there, and takes hold of it.
func (a *Attempt) adoptInit() (err error) {
	if err = a.kept.starter.adopt(a); err != nil {
		return err
	}
	a.Init.PID = a.Program.Init()
	if a.Init.FD, err = unix.PidfdOpen(a.Init.PID, 0); err != nil {
		return refusedStart("pidfd_open", err)
	}
	if parent := a.launch.Host.Parent; parent != nil {
		if err = parent.Check(); err != nil { // the number may be another process's by now
			unix.Close(a.Init.FD)
			a.Init.FD = -1
			return err
		}
	}
	if a.watchesCovers() {
		if err = a.launch.Covers.Open(&a.Sandbox); err != nil {
			return err
		}
	}
	if a.Machine.Root && !a.Shared() {
		return mapIDs(a.Init.PID, &a.Machine)
	}
	return nil
}

// reapRunner waits for the runner, once. The runner makes one clone, which takes as long as the kernel needs to make
// namespaces.
func (a *Attempt) reapRunner(r *runner) (unix.WaitStatus, error) {
	if r.pid <= 0 || r.err != nil {
		return r.status, r.err
	}
	fd, err := unix.PidfdOpen(r.pid, 0)
	if err != nil {
		return 0, refusedStart("pidfd_open", err)
	}
	defer unix.Close(fd)
	if r.err = a.await(fd); r.err != nil {
		return 0, r.err
	}
	if r.status, _, err = wait(r.pid); err != nil {
		return 0, refusedStart("wait4", err)
	}
	r.pid = 0
	return r.status, nil
}

// end ends a runner that still runs: first it may exit by itself, for it has init's process id.
func (r *runner) end(a *Attempt) {
	if r.pid <= 0 {
		return
	}
	a.Pipes.close()
	fd, err := unix.PidfdOpen(r.pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	for _, sig := range []unix.Signal{0, unix.SIGKILL} {
		unix.PidfdSendSignal(fd, sig, nil, 0)
		if poll(fd, ExitTimeout) {
			wait(r.pid)
			return
		}
	}
}

// mapIDs writes the maps that only a privileged process may write, so that init goes on as the mapped user.
func mapIDs(init int, m *layers.Machine) error {
	dir := "/proc/" + strconv.Itoa(init)
	for _, f := range []struct {
		name string
		id   int
	}{{"/uid_map", m.UID}, {"/gid_map", m.GID}} {
		id := strconv.Itoa(f.id)
		if err := platform.WriteFile(dir+f.name, id+" "+id+" 1"); err != nil {
			return &order.Refusal{Layer: order.Namespaces, Op: "write", Path: f.name[1:], Err: err}
		}
	}
	return nil
}

// openTrees opens as this user, for an init with other ids, every grant, and the files below covers behind closed
// folders.
func openTrees(view *fsview.View) (fds []int, err error) {
	sources := layers.Sources(view)
	for _, source := range sources {
		fd, err := platform.OpenTree(source)
		if err != nil {
			closeAll(fds)
			if all, any := platform.OpenTree("/"); any != nil { // no path can be
				err = mechanism(any)
			} else {
				unix.Close(all)
			}
			return nil, &order.Refusal{Layer: order.Root, Op: "open_tree", Path: source, Err: err}
		}
		fds = append(fds, fd)
	}
	for _, k := range layers.ClosedCovers(view) {
		region := view.Region(k.Path)
		tree := fds[slices.Index(sources, region)]
		how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
			Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH}
		fd, err := unix.Openat2(tree, strings.TrimPrefix(k.Path[len(region):], "/"), &how)
		if err != nil {
			closeAll(fds)
			return nil, &order.Refusal{Layer: order.Root, Op: "openat2", Path: k.Path, Err: err}
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

// wait reaps one child.
func wait(pid int) (st unix.WaitStatus, ru unix.Rusage, err error) {
	for {
		if _, err = unix.Wait4(pid, &st, 0, &ru); err != unix.EINTR {
			return st, ru, err
		}
	}
}

// poll reports whether a descriptor is ready before a timeout.
func poll(fd int, timeout time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(timeout.Milliseconds()))
	return n > 0 && err == nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}
