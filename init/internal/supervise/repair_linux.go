package supervise

import (
	"errors"
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// forRepair is how long it may take until the covers are there again, and then how long to find out who holds what they
// hide. The server ends otherwise. A machine that stands still for a second need not cost it its life.
const forRepair = 5 * time.Second

// A repair lays what covers are lost over what the host has there now, and then looks who holds it. It goes on in steps, and
// the loop serves everything else between them. The server is not stopped meanwhile: it could wake itself, by a timer
// that sends SIGCONT, and what is waited for until it stands still is not covered for as long.
type repair struct {
	until time.Time // when this part of it must be done; zero: no repair is under way
	at    time.Time // when its next step is due; zero: something else brings it

	runner int // pidfd of the runner that lays covers, or -1
	pid    int
	fd     int
	mem    []byte
	prog   *confine.Repair
	lost   []confine.Lost // what it covers

	mounts []platform.Mount // as lost saw them: whoever reads them again takes the word that they changed away
	tried  []confine.Lost   // what was covered in this repair, or perhaps was
	laid   []held
	search *search // nil while covers are missing
}

// coverAgain is told that a cover may be lost.
func (s *shim) coverAgain() {
	r := &s.repair
	if s.end.Killing || s.lifeline < 0 || s.up < 0 || r.runner >= 0 { // the runner's end looks again
		return
	}
	if r.until.IsZero() || r.search != nil {
		r.until, r.search = time.Now().Add(forRepair), nil
	}
	s.mend()
}

// mend does the next step of a repair.
func (s *shim) mend() {
	r := &s.repair
	r.at = time.Time{}
	step := s.layLost
	if r.search != nil {
		step = s.searchOn
	}
	done, err := step()
	switch {
	case s.over() || s.up < 0: // the server has ended
		r.at, r.until = time.Time{}, time.Time{}
	case err != nil:
		s.policyLost(err)
	case done:
		s.repair = repair{runner: -1}
	}
}

// soon is how long to wait for what a host, or the kernel, is in the middle of.
const soon = time.Millisecond

// layLost lays covers until none is missing. The host may go on replacing files meanwhile.
func (s *shim) layLost() (done bool, err error) {
	r := &s.repair
	lost, again, err := s.lost()
	switch {
	case err != nil:
		return false, err
	case len(lost) > 0:
		r.tried = append(r.tried, lost...)
		return false, s.startRepair(lost)
	case again:
		r.at = time.Now().Add(soon)
		return false, nil
	}
	// A repair that failed may have covered something: what the host put there after it was looked at, or the first of two.
	for i := range r.tried {
		if f, err := lookAt(r.tried[i].Path); err == nil {
			r.laid = append(r.laid, held{found: f, path: r.tried[i].Path, kind: r.tried[i].Kind})
		}
	}
	if r.tried = nil; len(r.laid) == 0 {
		return true, nil
	}
	r.until = time.Now().Add(forRepair)
	return false, s.beginSearch()
}

// overdue is told that a repair took too long.
func (s *shim) overdue() {
	why := "it does so faster than it can be covered"
	switch r := &s.repair; {
	case r.runner >= 0:
		unix.PidfdSendSignal(r.runner, unix.SIGKILL, nil, 0) // not reaped: it may sleep where no signal reaches it
		why = "laying it again takes too long"
	case r.search != nil:
		why = "finding out who has it open takes too long"
	}
	s.policyLost(errors.New(why))
}

// over reports whether init has ended.
func (s *shim) over() bool {
	fds := []unix.PollFd{{Fd: int32(s.initFD), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return n > 0 && err == nil
}

// policyLost ends a server that the policy no longer holds.
func (s *shim) policyLost(err error) {
	s.repair = repair{runner: -1}
	s.end.Because(order.CausePolicyLost)
	s.end.Kill()
	for _, p := range proctree.Descendants(s.init) { // init waits for the server's end before it kills the others
		p.Signal(unix.SIGKILL)
	}
	s.Say("the server is ended, because the host replaced something that the policy denies or protects: " + err.Error() +
		" (deny, or grant, whole folders rather than single files)")
}

// lost finds the covers that are not where they belong while the host has something there; again, if it changed under
// the eye. Whatever happens from here on brings another event.
func (s *shim) lost() (lost []confine.Lost, again bool, err error) {
	g := &s.lookout
	if err = s.watchAgain(); err != nil {
		return nil, false, err
	}
	mounts, err := g.mounts()
	if s.repair.mounts = mounts; err != nil {
		return nil, false, err
	}
	for i := range s.view.Covers {
		k, st := &s.view.Covers[i], &g.state[i]
		if confine.Covered(mounts, k) {
			st.missing, st.found = false, st.seen
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
		l := confine.Lost{Cover: *k, Folder: f.mode&unix.S_IFMT == unix.S_IFDIR, FileID: f.FileID}
		if t := f.mode & unix.S_IFMT; k.Kind == fsview.ReadOnly && (t == unix.S_IFIFO || t == unix.S_IFSOCK) {
			l.Kind = fsview.Deny // a mount that is read-only keeps nobody from writing to these
		}
		lost = append(lost, l)
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

// unchanged reports whether the host still has the same things there.
func unchanged(lost []confine.Lost) bool {
	for i := range lost {
		f, err := lookAt(lost[i].Path)
		if err != nil || f.FileID != lost[i].FileID {
			return false
		}
	}
	return true
}

// startRepair begins to lay covers, by a runner of its own.
func (s *shim) startRepair(lost []confine.Lost) (err error) {
	r := &s.repair
	r.lost = lost
	if r.fd, r.mem, err = program.Open(); err != nil {
		return err
	}
	if r.prog, err = confine.NewRepair(r.mem, &s.machine, lost); err == nil {
		if s.AlterRepair != nil {
			s.AlterRepair(r.prog)
		}
		r.pid, err = program.Start(confine.RepairFiles(r.fd, s.lookout.user, s.lookout.mount), -1)
	}
	if err == nil {
		r.runner, err = unix.PidfdOpen(r.pid, 0)
	}
	if err != nil {
		r.runner = -1
		s.repairEnds()
	}
	return err
}

func (s *shim) repairEnds() {
	unix.Close(s.repair.fd)
	unix.Munmap(s.repair.mem)
}

// laid is told that the runner has ended.
func (s *shim) laid() {
	r := &s.repair
	unix.Close(r.runner)
	r.runner = -1
	_, _, err := wait(r.pid)
	if err == nil {
		err = r.prog.Check(r.prog.Copy())
	}
	s.repairEnds()
	switch {
	case s.end.Killing:
	case err == nil:
		for i := range r.lost {
			k := &r.lost[i]
			r.laid = append(r.laid, held{found: found{FileID: k.FileID}, path: k.Path, kind: k.Kind})
		}
		s.mend()
	// The mount goes away a moment before the host's rename is through, and until then nothing can be mounted there.
	case time.Until(r.until) < forRepair*3/4 && unchanged(r.lost):
		s.policyLost(err)
	default:
		r.at = time.Now().Add(soon)
	}
}
