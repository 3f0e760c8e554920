package supervise

import (
	"path"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A lookout notices when a cover is taken away. The kernel does that when the host replaces or deletes the file below it,
// since Linux 3.18 (8ed936b5671b), and tells it by poll on init's table of mounts. When the host renames the covered file
// to another name, as editors do that keep a backup, the cover goes along and the table says nothing: so the folders
// that covers lie in are watched for renames too. That is by dnotify, F_NOTIFY in fcntl(2), which costs nothing at the
// shim's end; to close an inotify descriptor takes 9 ms.
//
// Between the host's rename and the new cover the new file can be opened. A server that waits for that moment finds it:
// what it then read nobody can take back, and what it still holds open is looked for. A host that renames a folder above a
// cover which is not itself a cover is not noticed.
//
// A watch is never given up: where one cannot be begun, or a cover not be looked at, the server is not let go on.
type lookout struct {
	table       int // init's mountinfo, or -1
	user, mount int // init's namespaces, or -1
	folders     []watched
	state       []coverState // as the view's covers
	blind       []string     // folders that cannot be watched on this machine, which was said at the start
}

// A coverState is what lies under a cover.
type coverState struct {
	missing bool  // the host has nothing there
	found   found // what is covered
	seen    found // what the host had there before the table of mounts was read
}

// A found is what lies at a path of the host.
type found struct {
	platform.FileID
	mode  uint32
	links uint32
	uid   uint32
}

// linked reports whether a file has another name, under which it is not covered. A folder has none.
func (f found) linked() bool { return f.links > 1 && f.mode&unix.S_IFMT != unix.S_IFDIR }

func noLookout() lookout { return lookout{table: -1, user: -1, mount: -1} }

// covering reports whether there is anything that could be taken away.
func (s *shim) covering() bool { return len(s.view.Covers) > 0 }

// remember opens init's namespaces while that can be done: later init is not dumpable.
func (s *shim) remember() (err error) {
	dir := "/proc/" + strconv.Itoa(s.init) + "/ns/"
	for _, n := range []struct {
		name string
		fd   *int
	}{{"user", &s.lookout.user}, {"mnt", &s.lookout.mount}} {
		if *n.fd, err = unix.Open(dir+n.name, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return &order.Refusal{Layer: order.Root, Op: "open", Path: dir + n.name, Err: err}
		}
	}
	return nil
}

// lookOut begins to watch, before the table of mounts is compared.
func (s *shim) lookOut() error {
	g := &s.lookout
	table := "/proc/" + strconv.Itoa(s.init) + "/mountinfo"
	var err error
	if g.table, err = unix.Open(table, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return &order.Refusal{Layer: order.Root, Op: "open", Path: table, Err: err}
	}
	s.hasten()
	if err = signals.Catch(unix.SIGIO); err != nil { // whatever the host was doing with it
		return &order.Refusal{Layer: order.Root, Op: "rt_sigaction", Path: "SIGIO", Err: err}
	}
	g.state = make([]coverState, len(s.view.Covers))
	for i := range s.view.Covers {
		k := &s.view.Covers[i]
		g.state[i].found = found{FileID: k.FileID}
		if k.Source == "" {
			continue // a folder of the sandbox's own, out of the host's reach
		}
		if err := s.watchFirst(path.Dir(k.Source)); err != nil {
			return err
		}
	}
	return nil
}

// registerRepair has the loop wait for a cover that is taken away, and for what is due in a repair.
func (s *shim) registerRepair() {
	l := &s.loop
	l.Add(s.lookout.table, unix.POLLPRI, s.unmounted)
	runner := l.Add(-1, unix.POLLIN, func(int16) { s.laid() })
	// What was called before in the same turn may have taken the time away.
	at := l.Timer(func() {
		if ending.Due(&s.repair.at, time.Now()) {
			s.mend()
		}
	})
	until := l.Timer(func() {
		if ending.Due(&s.repair.until, time.Now()) {
			s.overdue()
		}
	})
	l.Before(func() {
		runner.Watch(s.repair.runner)
		at.Set(s.repair.at)
		until.Set(s.repair.until)
	})
}

// lookAtCovers looks whether something that is covered was renamed in one of the folders. Mostly it was something else.
func (s *shim) lookAtCovers() {
	for i := range s.lookout.state {
		st, k := &s.lookout.state[i], &s.view.Covers[i]
		if k.Source == "" {
			continue
		}
		f, err := lookAt(k.Source)
		if st.missing != (err == unix.ENOENT) || !st.missing && (err != nil || f.FileID != st.found.FileID) {
			s.coverAgain()
			return
		}
	}
}

// unmounted is told that init's table of mounts has changed. Nobody in the sandbox can do that.
func (s *shim) unmounted(revents int16) {
	if revents&unix.POLLPRI != 0 {
		s.coverAgain()
	}
}

// lookAt looks at what lies at a path of the host, as the sandbox will: through no symbolic link.
func lookAt(path string) (f found, err error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err == unix.ENOTDIR {
		err = unix.ENOENT
	}
	if err != nil {
		return f, err
	}
	defer unix.Close(fd)
	return lookFD(fd, "", unix.AT_EMPTY_PATH)
}

func lookFD(fd int, name string, flags int) (f found, err error) {
	var st unix.Statx_t
	if err = unix.Statx(fd, name, flags, unix.STATX_BASIC_STATS, &st); err != nil {
		return f, err
	}
	return foundOf(&st), nil
}

func foundOf(st *unix.Statx_t) found {
	return found{platform.StatxID(st), uint32(st.Mode), st.Nlink, st.Uid}
}

// hasten asks the scheduler to wake the shim and init without delay even where the server uses every processor: a short
// slice comes first, since Linux 6.12 (85e511df3cec). Before that kernel, or without the right, all stays as it is. The
// server's process exists already and does not inherit it.
func (s *shim) hasten() {
	const slice = 100 * 1000 // ns, the shortest there is
	for _, pid := range []int{0, s.init} {
		unix.SchedSetAttr(pid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Runtime: slice}, 0)
	}
}
