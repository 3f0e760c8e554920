package supervise

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A held is something that was covered meanwhile, and that a process of the sandbox may have opened before.
type held struct {
	found
	path string
	kind fsview.CoverKind // a Pin is neither denied nor protected: only its place is
	by   []uint64         // mounts by which it could be reached while no cover lay there: those that the cover lies on
}

// A search finds out who holds what was covered meanwhile: by a descriptor of it or of something in it, as a folder to be in,
// in its memory, or by another name. Each step of it takes a bounded time. It goes through all processes more than once, for
// one may have got from another what it holds after it was looked at. A process that hands a descriptor on all the time, to
// another or to a child, can evade it.
type search struct {
	want   []held
	uid    int // of the server
	todo   []place
	passes int
	tries  int
	began  time.Time
}

const (
	atOnce    = 5 * time.Millisecond // of a search in each turn of the loop
	forLinks  = 200 * time.Millisecond
	forFlight = time.Second // that a descriptor may be on its way through a socket
	mayFail   = 50          // times that a process may not be looked into: one that executes something cannot for a moment
	passes    = 3           // through all processes,
	forPasses = time.Second // unless the first took as long
)

// beginSearch begins when every cover lies.
func (s *shim) beginSearch() error {
	mounts := s.repair.mounts
	q := &search{uid: s.machine.UID, began: time.Now()}
	for _, w := range s.repair.laid {
		// What lay there before, if the host has put something else there since, has a number that another file may have by now.
		f, err := lookAt(w.path)
		if err == unix.ENOENT || slices.ContainsFunc(q.want, func(v held) bool { return v.path == w.path }) {
			continue
		} else if err != nil {
			return err
		}
		w.found, w.by = f, under(mounts, w.path)
		q.want = append(q.want, w)
		if w.kind != fsview.Pin {
			q.todo = append(q.todo, place{kind: w.kind, folder: w.path})
		}
	}
	q.pass(s)
	s.repair.search, s.repair.at = q, q.began
	return nil
}

// under are the mounts that what is mounted at a path lies on.
func under(mounts []platform.Mount, path string) (ids []uint64) {
	at := make(map[uint64]*platform.Mount, len(mounts))
	var m *platform.Mount
	for i := range mounts {
		at[mounts[i].ID] = &mounts[i]
		if mounts[i].Path == path {
			m = &mounts[i]
		}
	}
	for ; m != nil && len(ids) <= len(mounts); m = at[m.Parent] {
		if m.Path != path {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// pass begins to go through all processes.
func (q *search) pass(s *shim) {
	q.passes++
	for _, p := range proctree.Descendants(s.init) {
		if !p.Dead() && (p.PID != s.server || s.executed()) {
			q.todo = append(q.todo, place{process: p})
		}
	}
}

// searchOn looks on for a moment. It reports whether nobody is left who could hold anything.
func (s *shim) searchOn() (done bool, err error) {
	q := s.repair.search
	again, err := q.names()
	if again || err != nil {
		s.repair.at = time.Now().Add(soon)
		return false, err
	}
	for began := time.Now(); len(q.todo) > 0; {
		if time.Since(began) > atOnce {
			s.repair.at = time.Now()
			return false, nil
		}
		l := q.todo[len(q.todo)-1]
		q.todo = q.todo[:len(q.todo)-1]
		more, at, err := q.look(&l)
		switch pid := strconv.Itoa(l.process.PID); {
		case err != nil && l.folder != "":
			return false, err
		case at != "" && q.replaced(at): // so another search follows
			s.repair.at = time.Now().Add(soon)
			return false, nil
		case at != "":
			return false, errors.New("process " + pid + " has the new " + at + " open")
		case err != nil && l.process.Ended():
		case err != nil && q.wait(err):
			q.todo = append(q.todo, l)
			s.repair.at = time.Now().Add(soon)
			return false, nil
		case errors.Is(err, errFlight):
			return false, errors.New("process " + pid + " could have it open: " + err.Error())
		case err != nil:
			return false, errors.New("who has it open: process " + pid + " cannot be looked into: " + err.Error())
		}
		q.todo = append(q.todo, more...)
	}
	again, err = q.names() // a name made meanwhile
	if !again && err == nil && q.passes < passes && time.Since(q.began) < forPasses {
		q.pass(s)
		again = true
	}
	if again {
		s.repair.at = time.Now().Add(soon)
	}
	return !again && err == nil, err
}

// replaced reports whether the host has put something else at a path that is searched for.
func (q *search) replaced(path string) bool {
	f, err := lookAt(path)
	return err == unix.ENOENT || err == nil && q.wants(func(w held) bool { return w.path == path && w.FileID == f.FileID }) == ""
}

// wait reports whether what cannot be looked into now is looked at again.
func (q *search) wait(err error) bool {
	if errors.Is(err, errFlight) {
		return time.Since(q.began) < forFlight
	}
	q.tries++
	return q.tries <= mayFail
}

// names is an error if what was covered has another name, under which it can be opened. A host that replaces a file by a
// link to a new one takes the other name away at once, so that is waited for.
func (q *search) names() (again bool, err error) {
	for _, w := range q.want {
		f, err := lookAt(w.path)
		if err != nil && err != unix.ENOENT {
			return false, err
		}
		if err != nil || w.kind == fsview.Pin || !f.linked() {
			continue
		}
		if time.Since(q.began) > forLinks {
			return false, linkedError(w.path)
		}
		again = true
	}
	return again, nil
}

func linkedError(path string) error {
	return errors.New("the new " + path + " has another name (a hard link)")
}

// executed reports whether the server's own program runs. Before, its process is not dumpable, so nobody may look into it,
// and holds what the rows left it. Its end of the release is closed by execve, and init has none: then the pipe has no reader.
func (s *shim) executed() bool {
	fds := []unix.PollFd{{Fd: int32(s.release)}}
	_, err := unix.Poll(fds, 0)
	return err != nil || fds[0].Revents&unix.POLLERR != 0
}
