package supervise

import (
	"errors"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A held is something that was covered meanwhile, and that a process of the sandbox may have opened before.
type held struct {
	found
	path string
	pin  bool // neither denied nor protected: only its place is
}

// A search finds out who holds what was covered meanwhile: by a descriptor, as a folder it is in, in its memory, or by
// another name. Each step of it takes a bounded time. A process that hands a descriptor on meanwhile can evade it, as one can
// that leaves it in a socket.
type search struct {
	want   []held
	todo   []place
	tries  int
	linked time.Time // until when another name may be the host's, which it is about to take away
}

// A place is one of a process in which something can be held: links in /proc, or if there are none its memory.
type place struct {
	process proctree.Process
	links   []string
	thread  string // lists them when it comes to it
}

const (
	atOnce   = 5 * time.Millisecond // of a search in each turn of the loop
	forLinks = 200 * time.Millisecond
	mayFail  = 50 // times that a process may not be looked into: one that executes something cannot for a moment
)

// beginSearch begins when every cover lies.
func (s *shim) beginSearch() {
	now := time.Now()
	q := &search{want: s.repair.laid, linked: now.Add(forLinks)}
	for _, p := range proctree.Descendants(s.init) {
		if p.Dead() || p.PID == s.server && !s.executed() {
			continue
		}
		q.todo = append(q.todo, place{process: p})
	}
	s.repair.search, s.repair.at = q, now
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
		case at != "":
			return false, errors.New("process " + pid + " has the new " + at + " open")
		case err != nil && l.process.Ended():
		case err != nil && q.tries == mayFail:
			return false, errors.New("who has it open: process " + pid + " cannot be looked into: " + err.Error())
		case err != nil:
			q.tries++
			q.todo = append(q.todo, l)
			s.repair.at = time.Now().Add(soon)
			return false, nil
		}
		q.todo = append(q.todo, more...)
	}
	again, err = q.names() // a name made meanwhile
	if again {
		s.repair.at = time.Now().Add(soon)
	}
	return !again && err == nil, err
}

// names is an error if what was covered has another name, under which it can be opened. A host that replaces a file by a
// link to a new one takes the other name away at once, so that is waited for.
func (q *search) names() (again bool, err error) {
	for _, w := range q.want {
		f, err := lookAt(w.path)
		if err != nil || w.pin || !f.linked() {
			continue
		}
		if time.Now().After(q.linked) {
			return false, errors.New("the new " + w.path + " has another name (a hard link)")
		}
		again = true
	}
	return again, nil
}

// executed reports whether the server's own program runs. Before, its process is not dumpable, so nobody may look into it,
// and holds what the rows left it. Its end of the release is closed by execve, and init has none: then the pipe has no reader.
func (s *shim) executed() bool {
	fds := []unix.PollFd{{Fd: int32(s.release)}}
	_, err := unix.Poll(fds, 0)
	return err != nil || fds[0].Revents&unix.POLLERR != 0
}

// look looks at one place, and returns what is found there to be held, or further places.
func (q *search) look(l *place) (more []place, at string, err error) {
	const links = 256 // at once
	switch {
	case len(l.links) > 0:
		n := min(links, len(l.links))
		for _, link := range l.links[:n] {
			if got, err := lookFD(unix.AT_FDCWD, link, 0); err == nil {
				if at = q.wants(func(w held) bool { return got.same(w.found) }); at != "" {
					return nil, at, nil
				}
			}
		}
		if l.links = l.links[n:]; len(l.links) > 0 {
			more = []place{*l}
		}
		return more, "", nil
	case l.thread != "":
		fds := l.thread + "/fd/"
		names, err := list(fds)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
			return nil, "", nil
		}
		l.links = append(make([]string, 0, len(names)+2), l.thread+"/cwd", l.thread+"/root")
		for _, n := range names {
			l.links = append(l.links, fds+n)
		}
		return []place{*l}, "", err
	}
	dir := "/proc/" + strconv.Itoa(l.process.PID)
	if at, err = q.mapped(dir + "/maps"); err != nil || at != "" {
		return nil, at, err
	}
	for _, t := range numbers(dir + "/task/") { // each may have a table of its own
		more = append(more, place{process: l.process, thread: dir + "/task/" + t})
	}
	return more, "", nil
}

// mapped is what a process has in its memory of what is looked for.
func (q *search) mapped(table string) (at string, err error) {
	b, err := platform.ReadSmall(table, 64<<20)
	if err != nil {
		return "", err
	}
	maps, ok := platform.ParseMaps(b)
	if !ok {
		return "", errors.New("maps: a line is not as proc_pid_maps(5) says")
	}
	for _, m := range maps {
		// The device is another one than stat's on btrfs, and the inode on overlayfs.
		if m.Ino == 0 {
			continue
		}
		if at = q.wants(func(w held) bool { return m.Dev == w.dev && m.Ino == w.ino || m.Path == w.path }); at != "" {
			return at, nil
		}
	}
	return "", nil
}

func (q *search) wants(is func(held) bool) string {
	for _, w := range q.want {
		if is(w) {
			return w.path
		}
	}
	return ""
}
