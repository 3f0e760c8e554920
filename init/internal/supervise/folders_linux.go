package supervise

import (
	"errors"
	"os"
	"path"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A watched is a folder that is watched for renames.
type watched struct {
	path     string
	fd       int
	found    found
	creation bool // for new files as well
}

// watchFirst begins to watch a folder. Where the kernel knows no such watch, or the folder is another user's who lets
// nobody list it, that is said, and not expected later. One of the server's own it could have made so in an earlier session.
func (s *shim) watchFirst(folder string) error {
	g := &s.lookout
	err := g.watch(folder, false, nil)
	if err == nil || slices.Contains(g.blind, folder) {
		return nil
	}
	f, look := lookAt(folder)
	foreign := errors.Is(err, unix.EACCES) && look == nil && int(f.uid) != s.machine.UID
	if !foreign && !errors.Is(err, unix.EINVAL) { // of F_NOTIFY: fs.dir-notify-enable, or a kernel without
		return &order.Refusal{Layer: order.Root, Op: "watch for renames", Path: folder, Err: err}
	}
	g.blind = append(g.blind, folder)
	s.view.Warnings = append(s.view.Warnings, "what the host renames in "+folder+" is not noticed, and what is denied or protected there then open: "+err.Error())
	return nil
}

// watch watches a folder for what is renamed or deleted in it, and for what is created if that is asked for. An old watch of
// the same folder goes on: a new one might be refused.
func (g *lookout) watch(folder string, creation bool, old []watched) error {
	for i := range g.folders {
		if w := &g.folders[i]; w.path == folder {
			return w.also(creation)
		}
	}
	at, err := lookAt(folder)
	if err != nil {
		return &os.PathError{Op: "open", Path: folder, Err: err}
	}
	for _, w := range old {
		if w.path == folder && w.found.FileID == at.FileID {
			g.folders = append(g.folders, w)
			return g.folders[len(g.folders)-1].also(creation)
		}
	}
	fd, err := unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: folder, Err: err}
	}
	w := watched{path: folder, fd: fd, creation: creation}
	if w.found, err = lookFD(fd, "", unix.AT_EMPTY_PATH); err == nil {
		err = w.notify()
	}
	if err != nil {
		unix.Close(fd)
		return err
	}
	g.folders = append(g.folders, w)
	return nil
}

// watchAgain watches the folders of all covers as they are now, and where there is none the nearest one above: for what
// is created too, if a cover has nothing to cover.
func (s *shim) watchAgain() error {
	g := &s.lookout
	old := g.folders
	g.folders = nil
	err := s.watchAll(old)
	for _, w := range old {
		if !slices.ContainsFunc(g.folders, func(now watched) bool { return now.fd == w.fd }) {
			unix.Close(w.fd)
		}
	}
	return err
}

func (s *shim) watchAll(old []watched) error {
	for i := range s.view.Covers {
		k, st := &s.view.Covers[i], &s.lookout.state[i]
		if k.Source == "" {
			continue
		}
		f, err := lookAt(k.Source)
		switch st.missing = err == unix.ENOENT; {
		case st.missing:
		case err != nil:
			return &os.PathError{Op: "open", Path: k.Source, Err: err}
		case f.mode&unix.S_IFMT == unix.S_IFLNK:
			return errors.New(k.Source + " is a symbolic link now, which cannot be covered")
		}
		st.seen = f
		for dir := path.Dir(k.Source); ; dir = path.Dir(dir) {
			err := s.lookout.watch(dir, st.missing, old)
			if err == nil || !st.missing && slices.Contains(s.lookout.blind, dir) {
				break
			}
			if !errors.Is(err, unix.ENOENT) || dir == "/" {
				return err
			}
		}
	}
	return nil
}

// What package unix does not have of F_NOTIFY; fcntl(2).
const (
	dnCreate    = 0x4
	dnDelete    = 0x8
	dnRename    = 0x10
	dnMultishot = 0x80000000
)

// notify asks the kernel for SIGIO. dnDelete is what tells, on kernels before 5.17, of a rename to another folder.
func (w *watched) notify() error {
	events := dnRename | dnDelete | dnMultishot
	if w.creation {
		events |= dnCreate
	}
	if _, err := unix.FcntlInt(uintptr(w.fd), unix.F_NOTIFY, events); err != nil {
		return &os.PathError{Op: "fcntl F_NOTIFY", Path: w.path, Err: err}
	}
	return nil
}

// also watches for what is created as well, if that is asked for and not done.
func (w *watched) also(creation bool) error {
	if w.creation || !creation {
		return nil
	}
	w.creation = true
	return w.notify()
}
