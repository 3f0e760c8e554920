package coverwatch

import (
	"errors"
	"os"
	"path"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Constants of F_NOTIFY that package unix lacks; fcntl(2).
const (
	dnCreate    = 0x4
	dnDelete    = 0x8
	dnRename    = 0x10
	dnMultishot = 0x80000000
)

// folders are watched for renames by dnotify, F_NOTIFY in fcntl(2), which sends SIGIO. Closing a dnotify descriptor
// costs nothing; closing one of inotify takes 9 ms.
type folders struct {
	watched  []*folder
	blind    []string // paths of folders that cannot be watched on this machine
	warnings []string // of these
	renames  *Renames // nil: dnotify
}

// A folder is one that is watched.
type folder struct {
	path   string
	fd     int
	file   platform.FileID
	events int
	wd     int  // of [Renames]
	used   bool // by a cover, since the last prune
}

// watchFirst begins to watch a folder. A kernel without dnotify, or another user's folder without the right to list
// it, is a warning. A folder of the server's own user is an error: an earlier session may have closed it.
func (f *folders) watchFirst(dir string, uid int) error {
	err := f.watch(dir, false)
	if err == nil || slices.Contains(f.blind, dir) {
		return nil
	}
	at, missing := lookAt(dir)
	foreign := errors.Is(err, unix.EACCES) && missing == nil && int(at.Uid) != uid
	if !foreign && !errors.Is(err, unix.EINVAL) { // of F_NOTIFY: fs.dir-notify-enable, or a kernel without
		return &order.Refusal{Layer: order.Root, Op: "watch for renames", Path: dir, Err: err}
	}
	f.blind = append(f.blind, dir)
	f.warnings = append(f.warnings, "what the host renames in "+dir+
		" is not noticed, and what is denied or protected there then open: "+err.Error())
	return nil
}

// watchAbove watches the folder of a cover. Where nothing lies at the cover's path, it watches the nearest folder
// above that is there, for new names too.
func (f *folders) watchAbove(cover string, missing bool) error {
	for dir := path.Dir(cover); ; dir = path.Dir(dir) {
		err := f.watch(dir, missing)
		if err == nil || !missing && slices.Contains(f.blind, dir) {
			return nil
		}
		if !errors.Is(err, unix.ENOENT) || dir == "/" {
			return err
		}
	}
}

// watch watches a folder for renames and deletions, and for new names if asked for. An earlier watch of the same
// folder is kept: a new one might be refused.
func (f *folders) watch(dir string, creation bool) error {
	if i := slices.IndexFunc(f.watched, func(w *folder) bool { return w.used && w.path == dir }); i >= 0 {
		return f.notify(f.watched[i], creation)
	}
	at, err := lookAt(dir)
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	if i := slices.IndexFunc(f.watched, func(w *folder) bool { return w.path == dir && w.file == at.id() }); i >= 0 {
		f.watched[i].used = true
		return f.notify(f.watched[i], creation)
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	w := &folder{path: dir, fd: fd, used: true}
	if at, err = statx(fd, "", unix.AT_EMPTY_PATH); err == nil {
		w.file = at.id()
		err = f.notify(w, creation)
	}
	if err != nil {
		unix.Close(fd)
		return err
	}
	f.watched = append(f.watched, w)
	return nil
}

// prune ends the watch of folders that no cover has used since the last prune. A folder by two paths has one watch of
// [Renames].
func (f *folders) prune() {
	unused := func(w *folder) bool { return !w.used }
	for _, w := range f.watched {
		same := func(other *folder) bool { return other.used && other.file == w.file }
		if unused(w) && f.renames != nil && !slices.ContainsFunc(f.watched, same) {
			f.renames.forget(w.wd)
		}
		if unused(w) {
			unix.Close(w.fd)
		}
	}
	f.watched = slices.DeleteFunc(f.watched, unused)
	for _, w := range f.watched {
		w.used = false
	}
}

// again watches the folders again that have reported a change.
func (f *folders) again() error {
	for _, w := range f.watched {
		var err error
		if w.wd, err = f.renames.watch(w.fd, w.events); err != nil {
			return &os.PathError{Op: "inotify_add_watch", Path: w.path, Err: err}
		}
	}
	return nil
}

// notify asks the kernel for SIGIO, or for one report. Before Linux 5.17 a rename to another folder counts as a
// deletion.
func (f *folders) notify(w *folder, creation bool) error {
	events := w.events | dnRename | dnDelete | dnMultishot
	if creation {
		events |= dnCreate
	}
	if events == w.events {
		return nil
	}
	if f.renames != nil {
		var err error
		if w.wd, err = f.renames.watch(w.fd, events); err != nil {
			return &os.PathError{Op: "inotify_add_watch", Path: w.path, Err: err}
		}
		w.events = events
		return nil
	}
	if _, err := unix.FcntlInt(uintptr(w.fd), unix.F_NOTIFY, events); err != nil {
		return &os.PathError{Op: "fcntl F_NOTIFY", Path: w.path, Err: err}
	}
	w.events = events
	return nil
}
