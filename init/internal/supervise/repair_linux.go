package supervise

import (
	"errors"
	"os"
	"path"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// forRepair is how long a server may be stopped until its covers are there again. It ends otherwise. Stopped it sees
// nothing, so a machine that stands still for a second need not cost it its life.
const forRepair = 5 * time.Second

// repair stops the server, lays what covers are lost over what the host has there now, and lets the server go on.
func (s *shim) repair() {
	if s.end.Killing || s.lifeline < 0 || s.up < 0 {
		return
	}
	until := time.Now().Add(forRepair)
	err := s.freeze(until)
	if err == nil {
		err = s.coverAgain(until)
	}
	switch {
	case s.over() || s.up < 0: // the server has ended
	case err != nil:
		s.policyLost(err)
	default:
		s.thaw()
	}
}

// over reports whether init has ended.
func (s *shim) over() bool {
	fds := []unix.PollFd{{Fd: int32(s.initFD), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return n > 0 && err == nil
}

// policyLost ends a server that the policy no longer holds. None of its processes runs until it is killed.
func (s *shim) policyLost(err error) {
	s.end.Because(order.CausePolicyLost)
	frozen := s.tree()
	s.end.Kill()
	for _, p := range frozen {
		unix.Kill(p.pid, unix.SIGKILL)
	}
	s.Say("the server is ended, because the host replaced something that the policy denies or protects: " + err.Error() +
		" (deny, or grant, whole folders rather than single files)")
}

// coverAgain lays covers until none is missing. The host may go on replacing files meanwhile.
func (s *shim) coverAgain(until time.Time) error {
	var tried, laid []rows.Lost
	for {
		lost, again, err := s.lost()
		if err != nil {
			return err
		}
		if len(lost) == 0 && !again {
			break
		}
		if time.Now().After(until) {
			return errors.New("it does so faster than it can be covered")
		}
		tried = append(tried, lost...)
		if err := s.runRepair(lost, until); err != nil {
			// The mount goes away a moment before the host's rename is through, and until then nothing can be mounted there.
			if time.Until(until) < forRepair*3/4 && s.unchanged(lost) {
				return err
			}
			time.Sleep(100 * time.Microsecond)
			continue
		}
		laid = append(laid, lost...)
	}
	// A repair that failed may have covered something: what the host put there after it was looked at, or the first of two.
	for i := range tried {
		k := tried[i]
		if f, err := lookAt(k.Path); err == nil {
			k.Dev, k.Ino = f.dev, f.ino
			laid = append(laid, k)
		}
	}
	for i := range laid {
		if err := s.nobodyHolds(found{dev: laid[i].Dev, ino: laid[i].Ino}, laid[i].Path); err != nil {
			return err
		}
	}
	return nil
}

// lost finds the covers that are not where they belong while the host has something there; again, if it changed under
// the eye. Whatever happens from here on brings another event.
func (s *shim) lost() (lost []rows.Lost, again bool, err error) {
	g := &s.lookout
	if err = s.watchAgain(); err != nil {
		return nil, false, err
	}
	mounts, err := g.mounts()
	if err != nil {
		return nil, false, err
	}
	for i := range s.view.Covers {
		k, st := &s.view.Covers[i], &g.state[i]
		if rows.Covered(mounts, k) {
			st.missing = false
			continue
		}
		f, err := lookAt(k.Path)
		switch {
		case err == unix.ENOENT:
			again = again || !st.missing
			continue
		case err != nil:
			return nil, false, &os.PathError{Op: "open", Path: k.Path, Err: err}
		case f.mode&unix.S_IFMT == unix.S_IFLNK:
			return nil, false, errors.New(k.Path + " is a symbolic link now, which cannot be covered")
		}
		st.missing, st.found = false, f
		lost = append(lost, rows.Lost{Cover: *k, Folder: f.mode&unix.S_IFMT == unix.S_IFDIR, Dev: f.dev, Ino: f.ino})
	}
	return lost, again, nil
}

// mounts reads init's table of mounts. A change that it does not show yet is told by the next poll.
func (g *lookout) mounts() ([]platform.Mount, error) {
	unix.Poll([]unix.PollFd{{Fd: int32(g.table), Events: unix.POLLPRI}}, 0)
	if _, err := unix.Seek(g.table, 0, unix.SEEK_SET); err != nil {
		return nil, os.NewSyscallError("lseek mountinfo", err)
	}
	b, err := platform.ReadFD(g.table, 8<<20)
	if err != nil {
		return nil, os.NewSyscallError("read mountinfo", err)
	}
	return platform.ParseMountinfo(b)
}

// watchAgain watches the folders of all covers as they are now, and where there is none the nearest one above: for what
// is created too, if a cover has nothing to cover.
func (s *shim) watchAgain() error {
	g := &s.lookout
	for _, w := range g.folders {
		unix.Close(w.fd)
	}
	g.folders = g.folders[:0]
	for i := range s.view.Covers {
		k, st := &s.view.Covers[i], &g.state[i]
		if k.Source == "" {
			continue
		}
		_, err := lookAt(k.Source)
		st.missing = err == unix.ENOENT
		for dir := path.Dir(k.Source); ; dir = path.Dir(dir) {
			err := g.watch(dir, st.missing)
			if err == nil {
				break
			}
			if !errors.Is(err, unix.ENOENT) || dir == "/" {
				if st.missing {
					return err
				}
				break // said at the start
			}
		}
	}
	return nil
}

// unchanged reports whether the host still has the same things there.
func (s *shim) unchanged(lost []rows.Lost) bool {
	for i := range lost {
		f, err := lookAt(lost[i].Path)
		if err != nil || f.dev != lost[i].Dev || f.ino != lost[i].Ino {
			return false
		}
	}
	return true
}

// runRepair lays covers by a runner of its own.
func (s *shim) runRepair(lost []rows.Lost, until time.Time) error {
	if len(lost) == 0 {
		return nil
	}
	fd, mem, err := program.Open()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	defer unix.Munmap(mem)
	r, err := rows.NewRepair(mem, &s.machine, lost)
	if err != nil {
		return err
	}
	if s.AlterRepair != nil {
		s.AlterRepair(r)
	}
	pid, err := startBlocked(rows.RepairFiles(fd, s.lookout.user, s.lookout.mount), -1)
	if err != nil {
		return err
	}
	if err = waitUntil(pid, until); err != nil {
		return err
	}
	return r.Check(r.Copy())
}

// waitUntil reaps a child, or kills it when its time is over.
func waitUntil(pid int, until time.Time) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return os.NewSyscallError("pidfd_open", err)
	}
	defer unix.Close(fd)
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, int(max(0, time.Until(until))/time.Millisecond)+1)
		switch {
		case err == unix.EINTR:
		case err != nil || n == 0:
			unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) // not reaped: it may sleep where no signal reaches it
			return errors.New("laying it again takes too long")
		default:
			_, _, err = wait(pid)
			return err
		}
	}
}
