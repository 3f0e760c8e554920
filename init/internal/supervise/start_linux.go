package supervise

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/covers"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// startRunner starts the runner, which clones init as a child of this process and ends.
func (s *shim) startRunner(prog int, more []int) error {
	life, err := pipe()
	if err != nil {
		return refusedStart("pipe", err)
	}
	release, err := pipe()
	if err != nil {
		return refusedStart("pipe", err)
	}
	up, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return refusedStart("socketpair", err)
	}
	s.lifeline, s.release, s.up = life[1], release[1], up[0]
	// The kernel then says who writes, as a process id of this namespace.
	if err = unix.SetsockoptInt(s.up, unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
		return refusedStart("setsockopt SO_PASSCRED", err)
	}
	// Only init's end must not block: it reads after any wake-up. The flag belongs to the open file.
	// The shim's does not block either: it has better things to do than to wait for an init that was stopped.
	for _, fd := range life {
		if err = unix.SetNonblock(fd, true); err != nil {
			return refusedStart("fcntl", err)
		}
	}
	folder := prog
	if fd := s.private.FD(); fd >= 0 {
		folder = fd
	}
	if s.hostGrace() > 0 {
		more = append(slices.Clip(more), s.Parent)
	}
	files := confine.Files(s.stdio.Server, prog, life[0], up[1], release[0], folder, more)
	if len(files) > program.MaxFiles {
		return refusedStart("start", unix.EMFILE)
	}
	s.outer, err = program.Start(files, s.group.Init())
	closeAll([]int{life[0], up[1], release[0]})
	if err != nil {
		return refusedStart("start", err)
	}
	return nil
}

func refusedStart(op string, err error) error {
	return &order.Refusal{Layer: order.Exec, Op: op, Err: err}
}

// adopt waits for the runner, which has then stored init's process id.
func (s *shim) adopt() error {
	st, err := s.reapRunner()
	if err != nil {
		return err
	}
	if s.init = s.launch.Init(); s.init <= 0 || !st.Exited() || st.ExitStatus() != 0 {
		if f := s.launch.Failed(s.launch.Copy()); f != nil {
			return f
		}
		if st.Signaled() { // its one call but exit
			return &order.Refusal{Layer: order.Namespaces, Op: "clone", Err: killedBy(st.Signal())}
		}
		return refusedStart("runner", errors.New("ended with status "+strconv.Itoa(int(st))))
	}
	if s.initFD, err = unix.PidfdOpen(s.init, 0); err != nil {
		return refusedStart("pidfd_open", err)
	}
	if len(s.view.Covers) > 0 {
		if s.covers, err = covers.New(s.coversConfig()); err != nil {
			return err
		}
	}
	if s.machine.Root && !s.shared() {
		return s.mapIDs()
	}
	return nil
}

// reapRunner waits for the runner, which then has stored init's process id: once. What it does is one clone, but that may
// take as long as the kernel needs to make namespaces.
func (s *shim) reapRunner() (unix.WaitStatus, error) {
	if s.outer <= 0 || s.outerErr != nil {
		return s.outerStatus, s.outerErr
	}
	fd, err := unix.PidfdOpen(s.outer, 0)
	if err != nil {
		return 0, refusedStart("pidfd_open", err)
	}
	defer unix.Close(fd)
	if s.outerErr = s.await(fd); s.outerErr != nil {
		return 0, s.outerErr
	}
	if s.outerStatus, _, err = wait(s.outer); err != nil {
		return 0, refusedStart("wait4", err)
	}
	s.outer = 0
	return s.outerStatus, nil
}

// endRunner is for a launch that is refused while its runner still runs.
func (s *shim) endRunner() {
	fd, err := unix.PidfdOpen(s.outer, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	for _, sig := range []unix.Signal{0, unix.SIGKILL} { // first it is let come to its end, for it knows init's number
		unix.PidfdSendSignal(fd, sig, nil, 0)
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(forInit/time.Millisecond)); n > 0 && err == nil {
			wait(s.outer)
			return
		}
	}
}

// reapRest reaps what is left of a launch that is refused: a runner that had to be killed may have cloned an init without
// storing its number, which ends by itself. A shim that a Go host started has no children but its own.
func (s *shim) reapRest() {
	for until := time.Now().Add(forInit); s.Host >= 0 && time.Now().Before(until); {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if err == unix.ECHILD {
			return
		}
		if pid <= 0 && err != unix.EINTR {
			unix.Poll(nil, 1)
		}
	}
}

// mapIDs writes the maps that only a privileged process may write, and lets init go on as the mapped user.
func (s *shim) mapIDs() error {
	dir := "/proc/" + strconv.Itoa(s.init)
	m := &s.machine
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

// letGo lets the program go on from where it waits.
func (s *shim) letGo() error {
	if err := platform.WriteAll(s.release, []byte{0}); err != nil {
		return refusedStart("release", err)
	}
	return nil
}

// openTrees opens every grant as this process, for an init that will be somebody else.
func (s *shim) openTrees() (fds []int, err error) {
	if !s.machine.Root {
		return nil, nil
	}
	for i := range s.view.Nodes {
		n := &s.view.Nodes[i]
		if n.Kind != fsview.Bind {
			continue
		}
		fd, err := platform.OpenTree(n.Source)
		if err != nil {
			closeAll(fds)
			if all, any := platform.OpenTree("/"); any != nil { // no path can be
				err = mechanism(any)
			} else {
				unix.Close(all)
			}
			return nil, &order.Refusal{Layer: order.Root, Op: "open_tree", Path: n.Source, Err: err}
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

func pipe() (p [2]int, err error) {
	err = unix.Pipe2(p[:], unix.O_CLOEXEC)
	return p, err
}

// wait reaps one child.
func wait(pid int) (st unix.WaitStatus, ru unix.Rusage, err error) {
	for {
		if _, err = unix.Wait4(pid, &st, 0, &ru); err != unix.EINTR {
			return st, ru, err
		}
	}
}
