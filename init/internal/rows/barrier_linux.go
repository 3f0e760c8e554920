package rows

import (
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// Rights to single files: the kernel refuses a rule that gives a file what only a folder can have.
const (
	rightsReadFile = syscall.AccessFSExecute | syscall.AccessFSReadFile
	rightsDevice   = rightsFile | syscall.AccessFSIoctlDev
)

// landlockRulesShared are the rules where there is no root of the server's own: what cannot be opened by one of them cannot be opened.
// The places are the host's, so the inode of each is compared with the one that was looked at.
func (b *build) landlockRulesShared() []rule {
	v := b.View
	folder := unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	w := []rule{{path: procPath, rights: rightsRead, flags: folder}}
	for i := range v.Private {
		w = append(w, rule{path: v.Private[i].Path, rights: rightsPrivate, private: true})
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		r := rule{path: n.Source, node: n}
		switch {
		case n.Device:
			// Not every device can be opened by everybody, and /dev/tty by nobody who has no terminal; but alike both times.
			r.rights, r.flags = rightsDevice, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC
		case n.Write && n.Folder:
			r.rights, r.flags = rightsWrite, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC
		case n.Write:
			r.rights, r.flags = rightsFile, unix.O_WRONLY|unix.O_CLOEXEC
		case n.Folder:
			r.rights, r.flags = rightsRead, folder
		default:
			r.rights, r.flags = rightsReadFile, unix.O_RDONLY|unix.O_CLOEXEC
		}
		w = append(w, r)
	}
	return needed(w)
}

// open opens the place of a rule. What it leads to counts, whichever way, and that is compared. A folder of the private one is
// found by the descriptor of that: whoever may swap it has got no rights in it.
func (b *build) open(w *rule) program.Op {
	at, path := unix.AT_FDCWD, w.path
	if w.private && b.launch.is(shared) {
		at, path = fdCanary, path[strings.LastIndexByte(path, '/')+1:]
	}
	fd := b.Do(sys.Openat(sys.FD(at), path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0))
	w.opened = fd
	if w.node != nil {
		at := b.Space(statxSize)
		w.looked = stat{b.Observe(sys.Statx(fd.Result(), "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, at)).For(w.path), at}
	}
	return fd
}
