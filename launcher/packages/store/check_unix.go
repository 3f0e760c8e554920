//go:build darwin || linux

package store

import (
	"crypto/sha256"
	"os"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/internal/tree"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// clockTick is longer than the time for which the kernel gives changes the same ctime.
const clockTick = 11 * time.Millisecond

// Check compares the folder with its install, as each start does. One walk asks the kernel, and reads no file: whoever
// changes a file can put back all but its ctime. Where the walk finds another folder than the last, because the package
// was changed, or restored from a backup, all files are read. The error of a difference is a *[Changed].
func (p *Package) Check() error {
	fd, err := p.in.disk.open(p.rel)
	if err != nil {
		return &os.PathError{Op: "open", Path: p.Path, Err: err}
	}
	defer unix.Close(fd)
	known, err := p.in.records.readIndex(p.rel)
	if err == nil {
		state, err := tree.Look(fd, known.entries)
		if err == nil && state.Sum == known.state {
			return nil
		}
	}
	return p.renew(fd, known)
}

// renew reads all files, and writes the folder's state of now.
func (p *Package) renew(fd int, known *index) error {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&0o222 != 0 {
		unix.Fchmod(fd, 0o555) // an install that was killed after the rename
	}
	state, err := tree.Look(fd, tree.MostEntries+1)
	if err == nil && time.Since(state.Newest) < clockTick {
		time.Sleep(clockTick)
		state, err = tree.Look(fd, tree.MostEntries+1)
	}
	if err != nil {
		return &Changed{p, Difference{Path: "", What: "cannot be read (" + err.Error() + ")"}}
	}
	sum, differences, err := p.compare(fd, known, 1)
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		return &Changed{p, differences[0]}
	}
	// a disk that is full or read-only makes the next start read all again
	p.in.records.writeIndex(&index{p.rel, sum, state.Sum, state.Entries})
	return nil
}

// mostDifferences are returned at most.
const mostDifferences = 100

// Verify compares each file of the folder with the manifest, and changes nothing.
func (p *Package) Verify() ([]Difference, error) {
	fd, err := p.in.disk.open(p.rel)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: p.Path, Err: err}
	}
	defer unix.Close(fd)
	known, err := p.in.records.readIndex(p.rel)
	if err != nil {
		known = nil
	}
	_, differences, err := p.compare(fd, known, mostDifferences)
	return differences, err
}

// compare compares the folder with its manifest, and the manifest with the one that was last seen.
func (p *Package) compare(fd int, known *index, most int) (sum [32]byte, all []Difference, err error) {
	b, err := folder.Read(fd, ManifestName, mostManifest)
	if err != nil {
		return sum, []Difference{{Path: ManifestName, What: "cannot be read (" + err.Error() + ")"}}, nil
	}
	sum = sha256.Sum256(b)
	if known != nil && known.manifest != sum {
		return sum, []Difference{{Path: ManifestName, What: "has another content"}}, nil
	}
	h, entries, err := parseManifest(string(b))
	if err == nil {
		err = h.fits(p.rel)
	}
	if err != nil {
		return sum, []Difference{{Path: ManifestName, What: "is not what mcp-sandbox wrote"}}, nil
	}
	all, err = tree.Compare(fd, entries, ManifestName, most)
	return sum, all, err
}

// mostManifest is the largest manifest that is read: the names of a package's files have a bound.
const mostManifest = 256 << 20

func (r *records) readIndex(rel string) (*index, error) {
	b, err := folder.Read(r.index, idOf(rel), 64<<10)
	if err != nil {
		return nil, err
	}
	x, err := parseIndex(string(b))
	if err != nil || x.path != rel {
		return nil, errRecord
	}
	return x, nil
}

func (r *records) writeIndex(x *index) error {
	return folder.Replace(r.index, idOf(x.path), x.text())
}

// dropIndex removes the index of a package, if there is one.
func (r *records) dropIndex(rel string) error {
	err := unix.Unlinkat(r.index, idOf(rel), 0)
	if isGone(err) {
		return nil
	}
	if err == nil {
		err = unix.Fsync(r.index)
	}
	return err
}

// Touch notes that the package is used now. A package that was found by its version, and to which nothing was resolved
// yet, becomes the resolution of that search's specs.
func (p *Package) Touch() error {
	now := unix.NsecToTimespec(time.Now().UnixNano())
	err := unix.UtimesNanoAt(p.in.records.index, idOf(p.rel), []unix.Timespec{now, now}, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return &os.PathError{Op: "touch", Path: p.Path, Err: err}
	}
	if p.asked == nil {
		return nil
	}
	if r, err := p.in.records.resolved(p.asked); err == nil && r.path == p.rel {
		return nil
	}
	return p.in.records.remember(p.asked, p)
}

// remember writes to which package specs are resolved.
func (r *records) remember(a *asked, p *Package) error {
	to := resolution{*a, p.rel}
	if err := folder.Replace(r.specs, a.id(), to.text()); err != nil {
		return &os.PathError{Op: "remember", Path: strings.Join(a.specs, " "), Err: err}
	}
	return nil
}
