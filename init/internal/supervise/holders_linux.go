package supervise

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A place is where something can be held: in a process, by links in /proc or if there are none its memory; or in a folder that
// was covered, by a file in it that has another name.
type place struct {
	process proctree.Process
	links   []string
	thread  string // lists them when it comes to it

	folder string
	kind   fsview.CoverKind // of its cover
	files  []string
}

// most is how many links or files are looked at in one step.
const most = 256

// errFlight is told of a process that has a socket with descriptors in it that nobody has taken out.
var errFlight = errors.New("a socket has descriptors in it that were sent and not received")

// look looks at one place, and returns what is found there to be held, or further places.
func (q *search) look(l *place) (more []place, at string, err error) {
	switch {
	case l.folder != "":
		more, err = q.inside(l)
		return more, "", err
	case len(l.links) > 0:
		n := min(most, len(l.links))
		for _, link := range l.links[:n] {
			if at, err = q.heldBy(link); at != "" || err != nil {
				return nil, at, err
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
		if err != nil { // the place stays as it is: it is looked at again
			return nil, "", err
		}
		l.links = append(make([]string, 0, len(names)+3), l.thread+"/cwd", l.thread+"/root", l.thread+"/exe")
		for _, n := range names {
			l.links = append(l.links, fds+n)
		}
		return []place{*l}, "", nil
	}
	dir := "/proc/" + strconv.Itoa(l.process.PID)
	threads := numbers(dir + "/task/") // each may have a table of its own
	// They have one memory, but the first may have ended before the others.
	for _, t := range append([]string{strconv.Itoa(l.process.PID)}, threads...) {
		some, at, err := q.mapped(dir + "/task/" + t)
		if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ESRCH) || at != "" {
			return nil, at, err
		}
		if some {
			break
		}
	}
	for _, t := range threads {
		more = append(more, place{process: l.process, thread: dir + "/task/" + t})
	}
	return more, "", nil
}

// heldBy is what of that which is looked for a link in /proc leads to.
func (q *search) heldBy(link string) (at string, err error) {
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, link, unix.AT_STATX_DONT_SYNC, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, &st)
	switch {
	case err == unix.EACCES || err == unix.EPERM: // the process may not be looked into any more
		return "", &os.PathError{Op: "statx", Path: link, Err: err}
	case err != nil:
		return "", nil // closed
	case st.Mask&unix.STATX_MNT_ID == 0: // since Linux 5.8, and mount_setattr(2), without which there is no cover, since 5.12
		return "", &os.PathError{Op: "statx", Path: link, Err: unix.ENOSYS}
	case st.Mode&unix.S_IFMT == unix.S_IFSOCK:
		return "", inFlight(link)
	}
	leads, long := "", false // from the root of the sandbox: its mounts are not below the launcher's
	at = q.wants(func(w held) bool {
		if !slices.Contains(w.by, st.Mnt_id) { // by the cover, by another name, or not of this sandbox
			return w.kind == fsview.Deny && w.FileID == platform.StatxID(&st)
		}
		if w.FileID == platform.StatxID(&st) {
			return true
		}
		// By a folder below a pin that was reached without it the way up leads round what is mounted on the pin.
		if w.kind == fsview.Pin && st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return false
		}
		if leads == "" && !long {
			var err error
			leads, err = os.Readlink(link)
			long = errors.Is(err, unix.ENAMETOOLONG) // then nobody can say
		}
		return long || strings.HasPrefix(leads, w.path+"/")
	})
	return at, nil
}

// inFlight is an error if a socket has descriptors in it, of which nothing more can be said; scm_fds in fdinfo since Linux 5.6
// (3c32da19a858). A cwd can be no socket, so the link is one of a folder fd.
func inFlight(link string) error {
	b, err := platform.ReadSmall(strings.Replace(link, "/fd/", "/fdinfo/", 1), 4096)
	switch {
	case errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM):
		return err
	case err != nil:
		return nil // closed
	}
	if _, n, ok := strings.Cut(string(b), "\nscm_fds:"); ok && !strings.HasPrefix(strings.TrimSpace(n), "0") {
		return errFlight
	}
	return nil
}

// mapped is what a thread has in its memory of what is looked for, and whether it has memory at all.
func (q *search) mapped(thread string) (some bool, at string, err error) {
	b, err := platform.ReadSmall(thread+"/maps", 64<<20)
	if err != nil {
		return false, "", err
	}
	maps, ok := platform.ParseMaps(b)
	if !ok {
		return false, "", errors.New("maps: a line is not as proc_pid_maps(5) says")
	}
	if at, unsure := q.inMemory(maps); at != "" || !unsure {
		return len(b) > 0, at, nil
	}
	if b, err = platform.ReadSmall(thread+"/smaps", 64<<20); err != nil {
		return false, "", err
	}
	if maps, ok = platform.ParseMaps(b); !ok {
		return false, "", errors.New("smaps: a line is not as proc_pid_smaps(5) says")
	}
	at, _ = q.inMemory(maps)
	return true, at, nil
}

// inMemory is what is mapped of what is looked for. It is unsure where only smaps tells. No mapping says by which mount it was
// made: of what is read-only a server may rightly map what lies there, but by no descriptor that can be written.
func (q *search) inMemory(maps []platform.Mapping) (at string, unsure bool) {
	for _, m := range maps {
		if m.Ino == 0 {
			continue
		}
		at = q.wants(func(w held) bool {
			path := strings.ReplaceAll(w.path, "\n", `\012`)
			// The device is another one than stat's on btrfs, and the inode on overlayfs.
			if m.FileID == w.FileID || m.Path == path {
				return true
			}
			if w.kind == fsview.Pin || !strings.HasPrefix(m.Path, path+"/") {
				return false
			}
			unsure = unsure || m.Shared && !m.Writes && w.kind == fsview.ReadOnly
			return m.Writes || w.kind == fsview.Deny
		})
		if at != "" {
			return at, false
		}
	}
	return "", unsure
}

func (q *search) wants(is func(held) bool) string {
	for _, w := range q.want {
		if is(w) {
			return w.path
		}
	}
	return ""
}

// shares are folders of files with other names, as git and package managers make them.
var shares = []string{"objects", "lfs", "annex", "node_modules"}

// inside is an error if a file in a folder that was covered has another name: the server can have made that while the folder lay
// open, or before the host put it there. Of what is read-only, shares are left out.
func (q *search) inside(l *place) (more []place, err error) {
	if l.files == nil {
		l.files, err = list(l.folder)
		f, lost := lookAt(l.folder)
		switch {
		case err == unix.ENOTDIR || err == unix.ENOENT || err == unix.ELOOP || lost == unix.ENOENT:
			return nil, nil
		case err == unix.EACCES && lost == nil && int(f.uid) != q.uid: // who closed it to this user closed it to the server
			return nil, nil
		case err != nil:
			return nil, &os.PathError{Op: "open", Path: l.folder, Err: err}
		}
	}
	n := min(most, len(l.files))
	for _, name := range l.files[:n] {
		path := l.folder + "/" + name
		f, err := lookFD(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_STATX_DONT_SYNC)
		switch {
		case err != nil:
		case f.linked() && f.mode&unix.S_IFMT != unix.S_IFLNK:
			return nil, linkedError(path)
		case f.mode&unix.S_IFMT == unix.S_IFDIR && (l.kind == fsview.Deny || !slices.Contains(shares, name)):
			more = append(more, place{kind: l.kind, folder: path})
		}
	}
	if l.files = l.files[n:]; len(l.files) > 0 {
		more = append(more, *l)
	}
	return more, nil
}
