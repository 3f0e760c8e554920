package fsview

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Permits is nil if the file's own permissions give the server's user all of need, as bits of access(2), on a path
// without symbolic links. The mount's flags count: a file system may be read-only, or without execution.
func (e *Explained) Permits(path string, need uint32) error {
	st, err := e.tree.lookups.lstat(path)
	if err != nil {
		return err
	}
	ids := e.tree.request.Identity
	if unix.Geteuid() == 0 && !ids.Root { // root's own number, without root's rights
		ids = Identity{GID: unix.Getegid()}
	}
	if unix.Geteuid() == 0 && !e.tree.request.Open && !ids.may(&st, path, need) {
		return unix.EACCES
	}
	return unix.Faccessat(unix.AT_FDCWD, path, need, unix.AT_EACCESS)
}

// OnHost is where an absolute path leads on the host, and whether something is there. An error is one of the look.
func (e *Explained) OnHost(path string) (real string, is bool, err error) {
	f := finder{Explained: e, cur: "/", rest: path, onHost: true}
	f.walk()
	return f.Path, !f.Missing && f.failed == nil, f.failed
}

// Interpreter is the program that the first line of a script names; "" of another file.
func (e *Explained) Interpreter(path string) string {
	c := command{toolchains{e.tree}}
	at, _, _ := c.head(path)
	return at
}

// Command is where the server's command leads.
func (e *Explained) Command() string {
	r, err := e.tree.lookups.resolve(e.View.Command)
	if err != nil {
		return e.View.Command
	}
	return r.path
}

// Homes are the homes of the launcher's user.
func (e *Explained) Homes() []string { return e.tree.ownHomes() }

// OwnFolders are this product's folders.
func (e *Explained) OwnFolders() (all []string) {
	all = slices.Clone(e.tree.request.Folders)
	for _, home := range e.Homes() {
		for _, name := range protected.Own() {
			all = append(all, join(home, name))
		}
	}
	return all
}

// List calls f with the names in a folder, until f returns false.
func (e *Explained) List(folder string, f func(name string) bool) error {
	return e.tree.lookups.list(folder, func(name []byte, _ uint32) bool { return f(string(name)) })
}

// A FileKind is the kind of the host's file at a path.
type FileKind uint8

// The kinds of files.
const (
	KindNone FileKind = iota
	KindFile
	KindFolder
	KindSocket
	KindPipe
	KindDevice
	KindLink
)

// Look is the kind of the host's file at a path without symbolic links above its end.
func (e *Explained) Look(path string) FileKind {
	st, err := e.tree.lookups.lstat(path)
	if err != nil {
		return KindNone
	}
	switch st.mode & typeMask {
	case typeFile:
		return KindFile
	case typeFolder:
		return KindFolder
	case typeSocket:
		return KindSocket
	case typeFIFO:
		return KindPipe
	case typeLink:
		return KindLink
	}
	return KindDevice
}

// WritesPipe reports whether the server writes to a named pipe that it reads. A read-only mount is no barrier, fifo(7),
// and a rule of Landlock is one only where no folder above may be written.
func (e *Explained) WritesPipe(path string, landlock bool) bool {
	return !landlock || slices.ContainsFunc(e.View.Private, func(n Node) bool {
		return policy.Within(path, n.Path) && n.Path != "/dev" && (n.Kind == Bind || n.Mode&0o200 != 0)
	}) || slices.ContainsFunc(e.View.Nodes, func(n Node) bool {
		return n.Kind == Bind && n.Write && !n.Device && policy.Within(path, n.Path)
	})
}

// Certificates reports whether Path has the certificates of a file of the host, because a variable names it.
func (s *Spot) Certificates() bool { return policy.Within(s.Path, certificatesAt) }

// MadeFresh reports whether a path is of the file systems that are made fresh for a server.
func MadeFresh(path string) bool { return system(path) }

// Host reports whether Path is the host's own object.
func (s *Spot) Host() bool { return s.Sight == order.SeesHost || s.Sight == order.SeesReadOnly }
