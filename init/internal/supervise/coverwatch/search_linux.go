package coverwatch

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

const (
	sliceTime      = 5 * time.Millisecond // of a search in each turn of the loop
	linkTimeout    = 200 * time.Millisecond
	transitTimeout = time.Second // for a descriptor that was sent through a socket to be received
	maxFailures    = 50          // of looks into processes: one in execve cannot be looked into for a moment
	maxPasses      = 3           // through all processes,
	passesTimeout  = time.Second // unless the first took as long
)

// A target is a file covered meanwhile, which a process of the sandbox may have opened before.
type target struct {
	layers.Lost          // a Pin is neither denied nor protected: only its place is
	mounts      []uint64 // ids of those that the cover lies on: they led to the target while no cover lay there
}

// A search looks for holders of targets: processes that have a target, or something in it, open, as a folder or in
// memory; and for other names of a target. A process that hands a descriptor on all the time, to another or to a
// child, can evade the search.
type search struct {
	targets   []target
	uid       int // of the server
	processes func() []proctree.Process
	pause     func(time.Duration) error
	began     time.Time
	slice     time.Time // when the last pause ended
	failures  int
}

// search searches when every cover lies. Init is as hidden as a process can be: where /proc shows it, it shows all.
func (r *repair) search(mounts []platform.Mount) error {
	if _, err := proctree.Look(r.Init); err != nil {
		return errors.New("who has it open: /proc hides processes, as the mount option hidepid does: " + err.Error())
	}
	q := &search{uid: r.Machine.UID, processes: r.processes, pause: r.pause, began: time.Now(), slice: time.Now()}
	for _, k := range r.laid {
		if slices.ContainsFunc(q.targets, func(t target) bool { return t.Path == k.Path }) {
			continue
		}
		// The number of a file that the host has replaced since may by now be another file's.
		f, missing, err := lookAtCovered(k.Path)
		if err != nil {
			return err
		}
		if !missing {
			k.FileID = f.id()
			q.targets = append(q.targets, target{k, mountsBelow(mounts, k.Path)})
		}
	}
	return q.run()
}

// mountsBelow are the mounts that the mount at a path lies on.
func mountsBelow(mounts []platform.Mount, path string) (ids []uint64) {
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

// run is the whole search. An error is a holder, or says why holders cannot be ruled out. All processes are looked
// through more than once: a process may receive a descriptor after its own check.
func (q *search) run() error {
	for pass := 0; pass < maxPasses && (pass == 0 || time.Since(q.began) < passesTimeout); pass++ {
		if err := q.searchNames(); err != nil {
			return err
		}
		for _, p := range q.processes() {
			if err := q.searchProcess(&p); err != nil {
				return err
			}
		}
		for _, t := range q.targets {
			if pass > 0 || t.Kind == fsview.Pin {
				continue
			}
			if err := q.searchFolder(t.Path, t.Kind); err != nil {
				return err
			}
		}
		if err := q.pause(retryDelay); err != nil {
			return err
		}
	}
	return q.searchNames()
}

// share pauses when the search has had its time in a turn of the loop.
func (q *search) share() error {
	if time.Since(q.slice) < sliceTime {
		return nil
	}
	err := q.pause(0)
	q.slice = time.Now()
	return err
}

// searchNames looks for other names of targets, by which they can be opened. A host that replaces a file by a link to
// a new one removes the other name at once, so such a name is an error only after a while.
func (q *search) searchNames() error {
	for i := 0; i < len(q.targets); {
		t := &q.targets[i]
		f, err := lookAt(t.Path)
		switch {
		case err == unix.ENOENT || err == nil && (t.Kind == fsview.Pin || !f.linked()):
			i++
			continue
		case err != nil:
			return err
		case time.Since(q.began) > linkTimeout:
			return linkedError(t.Path)
		}
		if err = q.pause(retryDelay); err != nil {
			return err
		}
	}
	return nil
}

func linkedError(path string) error {
	return errors.New("the new " + path + " has another name (a hard link)")
}

// linkedByHosts are folders of files with other names, as git and package managers make them.
var linkedByHosts = []string{"objects", "lfs", "annex", "node_modules"}

// searchFolder looks for other names of files in a folder below a cover: the server can have made such a name while
// the folder lay open, or before the host put the folder there. In what is read-only, linkedByHosts are left out.
func (q *search) searchFolder(folder string, kind fsview.CoverKind) error {
	names, err := list(folder)
	f, look := lookAt(folder)
	switch {
	case err == unix.ENOTDIR || err == unix.ENOENT || err == unix.ELOOP || look == unix.ENOENT:
		return nil
	case err == unix.EACCES && look == nil && int(f.Uid) != q.uid: // closed to this user, so to the server
		return nil
	case err != nil:
		return &os.PathError{Op: "open", Path: folder, Err: err}
	}
	for _, name := range names {
		if err := q.share(); err != nil {
			return err
		}
		path := folder + "/" + name
		f, err := statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_STATX_DONT_SYNC)
		switch {
		case err != nil:
		case f.linked() && !f.is(unix.S_IFLNK):
			return linkedError(path)
		case f.is(unix.S_IFDIR) && (kind == fsview.Deny || !slices.Contains(linkedByHosts, name)):
			if err = q.searchFolder(path, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// list lists the names in a folder, without the two of dots.
func list(folder string) (names []string, err error) {
	err = platform.EachEntry(unix.AT_FDCWD, folder, func(name string, _ byte) bool {
		names = append(names, name)
		return true
	})
	return names, err
}
