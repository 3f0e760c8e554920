package cgroup

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A Request is what a launch asks for.
type Request struct {
	Settings []Setting
	// Own are the processes that may be moved together with this one: itself and what it started. It is asked only where this
	// process's own group has to be divided.
	Own func() []int
	// Scope, if not nil, has somebody else make a group for these processes that may be divided, and move them there.
	Scope func(pids []int) error
	// Root says that init will have these ids, which must be able to clone the server into its group.
	Root     bool
	UID, GID int
}

// A Group is one server's. The zero value of its paths means that there is none, and then Reason says why unless nothing
// was asked for.
type Group struct {
	Path     string // as /proc/PID/cgroup shows it to this process
	Dir      string // its folder
	Settings []Setting
	Reason   string
	Members  string // process ids, with spaces between; see [Group.ReadBack]

	base   *folder // where it was made
	top    *folder // what was made there, and is locked
	server *folder // the server's group: top, or a group in it
	init   *folder // the group that init is to be born in, or nil: this process's
	down   *folder // the group that this process moved to out of base, or nil
}

// A folder is a group by its descriptor.
type folder struct {
	fd   int
	name string // in its parent's folder
}

func openFolder(at int, name string) (*folder, error) {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return &folder{fd, name}, nil
}

func (f *folder) close() {
	if f != nil {
		unix.Close(f.fd)
	}
}

// read reads one of a group's files, without the line's end.
func (f *folder) read(name string) (string, error) {
	fd, err := unix.Openat(f.fd, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	b, err := platform.ReadFD(fd, 1<<20)
	return strings.TrimSuffix(string(b), "\n"), err
}

// write writes one of a group's files in one call, as they want it.
func (f *folder) write(name, text string) error {
	fd, err := unix.Openat(f.fd, name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(text))
	return err
}

// Made reports whether the server has a group.
func (g *Group) Made() bool { return g != nil && g.server != nil }

// Holds reports whether a file of the group was written, and so limits the server.
func (g *Group) Holds(file string) bool {
	if !g.Made() {
		return false
	}
	for i := range g.Settings {
		if g.Settings[i].File == file && g.Settings[i].Reason == "" {
			return true
		}
	}
	return false
}

// Init is a descriptor of the group that init has to be born in, or -1 if that is this process's own.
func (g *Group) Init() int {
	if g == nil || g.init == nil {
		return -1
	}
	return g.init.fd
}

// ReadBack fills in what the kernel shows of the group.
func (g *Group) ReadBack() error {
	if !g.Made() {
		return nil
	}
	members, err := g.server.read("cgroup.procs")
	if err != nil {
		return &os.PathError{Op: "read", Path: g.Dir + "/cgroup.procs", Err: err}
	}
	g.Members = strings.Join(strings.Fields(members), " ")
	for i := range g.Settings {
		s := &g.Settings[i]
		if s.Reason != "" {
			continue
		}
		text, err := g.server.read(s.File)
		if err != nil {
			return &os.PathError{Op: "read", Path: g.Dir + "/" + s.File, Err: err}
		}
		s.Got = s.shown(text)
	}
	return nil
}

// shown is what a file shows of a setting: all of it, or the line of its device.
func (s *Setting) shown(text string) string {
	if s.Device == "" {
		return text
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, s.Device+" ") {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}
