//go:build darwin || linux

package store

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A Stage is an install under way. No other install of its names begins before Commit or Abort.
type Stage struct {
	Folder  string   // in which the package manager writes
	Waited  bool     // for another install, which may have made the package
	Outside []string // targets that links may have although they lead out of the folder: the interpreter of a venv

	in    *Store
	name  string // below .stages
	fd    int    // of that folder, locked
	locks []int  // of the names' folders
	names []string
	asked Wanted
	owner int // the user that got the folder
	stop  func() error
}

// Begin makes a folder for an install, when no other process installs one of these names. When it has waited for two
// seconds told gets one line. Stages of killed installs are removed.
func (s *Store) Begin(ctx context.Context, w Wanted, told func(string)) (*Stage, error) {
	names, err := w.names()
	if err != nil {
		return nil, err
	}
	g := &Stage{in: s, fd: -1, owner: -1, names: names, asked: w, stop: ctx.Err}
	for _, name := range names {
		if err = g.lock(ctx, name, told); err != nil {
			g.Abort()
			return nil, err
		}
	}
	s.stages.sweep()
	if err = s.disk.checkRoom(); err == nil {
		err = g.make()
	}
	if err != nil {
		g.Abort()
		return nil, err
	}
	return g, nil
}

// The waiting for another install.
const (
	tellAfter = 2 * time.Second
	askEvery  = 50 * time.Millisecond
)

// lock takes the lock of a name: that of its folder. Whoever removes the folder holds its lock, so the folder that was
// locked must still be the name's.
func (g *Stage) lock(ctx context.Context, name string, told func(string)) error {
	tell := time.Now().Add(tellAfter)
	for {
		fd, err := g.in.disk.tryLock(name)
		if err == nil {
			g.locks = append(g.locks, fd)
			return nil
		}
		if err != unix.EWOULDBLOCK {
			return &os.PathError{Op: "lock", Path: g.in.Path + "/" + name, Err: err}
		}
		g.Waited = true
		if told != nil && time.Now().After(tell) {
			told("another mcp-sandbox installs " + strings.Join(wordsOf(g.asked.Specs), " ") + ": waiting for its end")
			told = nil
		}
		select {
		case <-ctx.Done():
			return &os.PathError{Op: "lock", Path: g.in.Path + "/" + name, Err: ctx.Err()}
		case <-time.After(askEvery):
		}
	}
}

// tryLock makes the folder of a name and takes its lock, or is EWOULDBLOCK.
func (d *disk) tryLock(name string) (int, error) {
	fd, err := d.folder(name, true)
	if isGone(err) {
		return -1, unix.EWOULDBLOCK // removed between two steps
	}
	if err != nil {
		return -1, err
	}
	if err = folder.Lock(fd, unix.LOCK_EX|unix.LOCK_NB); err == nil {
		again, bad := d.folder(name, false)
		if bad == nil {
			var held, there unix.Stat_t
			if unix.Fstat(fd, &held) != nil || unix.Fstat(again, &there) != nil || held.Ino != there.Ino {
				bad = unix.EWOULDBLOCK
			}
			unix.Close(again)
		}
		if bad == nil {
			return fd, nil
		}
		err = unix.EWOULDBLOCK
	}
	unix.Close(fd)
	return -1, err
}

// inner is the name of the package's folder in a stage.
const inner = "package"

// make makes the stage's folder.
func (g *Stage) make() (err error) {
	at := g.in.stages.at
	if g.name, g.fd, err = g.in.stages.newStage(); err != nil {
		g.fd = -1
		return &os.PathError{Op: "mkdir", Path: at, Err: err}
	}
	g.Folder = at + "/" + g.name + "/" + inner
	fd, err := folder.Own(g.fd, inner, true)
	if err != nil {
		return &os.PathError{Op: "mkdir", Path: g.Folder, Err: err}
	}
	unix.Close(fd)
	return nil
}

// Give hands the folder over to the user that the package manager will be. Commit takes it back.
func (g *Stage) Give(uid, gid int) error {
	fd, err := folder.Open(g.fd, inner)
	if err == nil {
		err = unix.Fchown(fd, uid, gid)
		unix.Close(fd)
	}
	if err != nil {
		return &os.PathError{Op: "chown", Path: g.Folder, Err: err}
	}
	g.owner = uid
	return nil
}

// Drop removes a name in the folder, whatever it is, as a package manager's cache.
func (g *Stage) Drop(name string) error {
	fd, err := folder.Open(g.fd, inner)
	if err == nil {
		err = folder.Remove(fd, name)
		unix.Close(fd)
	}
	if err != nil {
		return &os.PathError{Op: "remove", Path: g.Folder + "/" + name, Err: err}
	}
	return nil
}

// Abort removes the stage, and does nothing after Commit. Files that cannot be removed the next install removes.
func (g *Stage) Abort() error {
	var err error
	if g.fd >= 0 {
		folder.Remove(g.fd, inner)
		err = folder.Remove(g.in.stages.fd, g.name)
		closeAt(&g.fd)
	}
	for i := range g.locks {
		if len(g.names) > i {
			g.in.disk.removeEmpty(g.names[i])
		}
		closeAt(&g.locks[i])
	}
	g.locks = nil
	return err
}

// sweep removes the stages of killed installs, but for folders from which a server still runs.
func (t *stages) sweep() {
	names, _ := namesIn(t.fd)
	for _, name := range names {
		fd, err := folder.Open(t.fd, name)
		if err != nil {
			continue
		}
		if folder.Lock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil && !isHeld(fd, inner) {
			folder.Remove(t.fd, name)
		}
		unix.Close(fd)
	}
}

// isHeld reports whether a folder is locked.
func isHeld(at int, name string) bool {
	fd, err := folder.Open(at, name)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return folder.Lock(fd, unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK
}

// removeEmpty removes the folders of a name where no package is in them. The caller holds the lock.
func (d *disk) removeEmpty(name string) {
	for strings.Contains(name, "/") {
		i := strings.LastIndexByte(name, '/')
		at, err := d.folder(name[:i], false)
		if err != nil {
			return
		}
		err = unix.Unlinkat(at, name[i+1:], unix.AT_REMOVEDIR)
		unix.Close(at)
		if err != nil {
			return
		}
		name = name[:i]
	}
}

// checkRoom looks at the free disk.
func (d *disk) checkRoom() error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(d.fd, &st); err != nil || st.Blocks == 0 {
		return nil // a file system that does not say is tried
	}
	f := Full{Path: d.at, Free: int64(st.Bavail) * int64(st.Bsize), Files: -1}
	if st.Files > 0 {
		f.Files = int64(st.Ffree)
	}
	if f.Free < leastBytes || f.Files >= 0 && f.Files < leastFiles {
		return &f
	}
	return nil
}
