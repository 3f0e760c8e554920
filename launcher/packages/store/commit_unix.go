//go:build darwin || linux

package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/internal/tree"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy/text"
	"golang.org/x/sys/unix"
)

// Commit makes a package of the stage's folder: all in it read-only, with a manifest, on the disk, at its place by one
// rename, and the stage's specs resolved to it. The error is a *[Refused] for entries that no package needs. After an
// error the store is as it was before, and the stage is there until Abort. The end of Begin's context ends it.
//
// Commit wants Name, Version, Ecosystem and Lock; it sets Manager, Path, Specs, Bytes, Installed and Used.
func (g *Stage) Commit(p Package) (*Package, error) {
	made, err := g.commit(p)
	if err == nil {
		g.Abort() // the rest of the stage: the package is not in it any more
	}
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		err = &noRoom{err}
	}
	return made, err
}

func (g *Stage) commit(p Package) (*Package, error) {
	at, err := g.place(&p)
	if err != nil {
		return nil, err
	}
	fd, err := folder.OpenAny(g.fd, inner)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: g.Folder, Err: err}
	}
	defer unix.Close(fd)
	sum, err := g.seal(fd, &p)
	if err != nil {
		return nil, err
	}
	name := p.rel[strings.LastIndexByte(p.rel, '/')+1:]
	if old := g.kept(&p); old != nil {
		return old, g.in.records.remember(g.asked.asked(), old)
	}
	old, err := g.in.stages.setAside(at, name, false)
	if err == nil {
		if err = g.in.records.dropIndex(p.rel); err == nil { // of the old one: else a crash leaves it to the new one
			err = g.moveIn(fd, at, name)
		}
		if err == nil {
			err = g.settle(&p, fd, sum)
		}
		if err != nil {
			g.moveBack(fd, at, name)
			g.in.records.dropIndex(p.rel)
		}
		old.end(err == nil, at, name)
	}
	if err != nil {
		return nil, &os.PathError{Op: "install", Path: p.Path, Err: err}
	}
	return &p, nil
}

// place checks a package's name and version, and returns the locked folder of the name.
func (g *Stage) place(p *Package) (at int, err error) {
	if g.fd < 0 {
		return -1, errors.New("the stage is at its end")
	}
	p.in, p.Manager, p.Source, p.Specs = g.in, g.asked.Manager, g.asked.Source, wordsOf(g.asked.Specs)
	p.Installed = time.Now().UTC()
	p.Used = p.Installed
	folder, err := folderOf(p.Manager, p.Name)
	if err != nil {
		return -1, err
	}
	if !isVersion(p.Version) {
		return -1, errors.New("version " + text.Printable(p.Version) + " of " + p.Name + " cannot be kept")
	}
	for i, s := range g.asked.Specs {
		if s.Name != p.Name || s.Ecosystem != p.Ecosystem {
			continue
		}
		if s.Exact() && s.Ecosystem != "pypi" && !isVersionOf(p.Version, s) { // there 1.0 is 1.0.0
			return -1, errors.New(p.Name + " " + p.Version + " was installed in place of " + g.asked.Specs[i].Range)
		}
		return g.locks[slices.Index(g.names, folder)], nil
	}
	return -1, errors.New("package " + p.title() + " was not asked for")
}

// seal makes the folder read-only, writes the manifest and everything to the disk. The sum is the manifest's.
func (g *Stage) seal(fd int, p *Package) (sum [32]byte, err error) {
	found, err := tree.Survey(fd, tree.Request{Owner: g.owner, Outside: g.Outside, Own: ManifestName})
	if err == nil {
		err = tree.Seal(fd, found, g.stop)
	}
	if err != nil {
		return sum, err
	}
	i := slices.IndexFunc(found.Entries, func(e tree.Entry) bool {
		return e.Path == p.Lock && e.Kind == tree.File
	})
	if i < 0 {
		return sum, errors.New("the install of " + p.title() + " left no lock file " + text.Printable(p.Lock))
	}
	of, _ := folderOf(p.Manager, p.Name)
	p.rel = of + "/" + p.Version + "-" + p.hash(found.Entries[i].Sum)
	p.Path, p.Bytes = p.in.Path+"/"+p.rel, found.Bytes
	h := header{p.Identity, p.Contents, p.Specs, len(found.Entries)}
	text := appendManifest(nil, &h, found.Entries)
	if len(appendHeader(nil, &h)) > mostHeader {
		return sum, errors.New("package " + p.title() + " has too long a list of scripts")
	}
	if err = folder.Make(fd, ManifestName, 0o444, text); err == nil {
		err = unix.Fchmod(fd, 0o755)
	}
	if err == nil {
		err = tree.Flush(fd)
	}
	if err != nil {
		err = &os.PathError{Op: "write", Path: g.Folder, Err: err}
	}
	return sha256.Sum256(text), err
}

// hash tells packages of one version apart: by the lock file's sum and the source.
func (p *Package) hash(lock [32]byte) string {
	if p.Source != "" {
		lock = sha256.Sum256(append(lock[:], p.Source...))
	}
	return hex.EncodeToString(lock[:])[:hashDigits]
}

// kept is the package that is at the place already and is whole, if its scripts ran as those of the new one and it is
// known to be as old.
func (g *Stage) kept(p *Package) *Package {
	old, err := g.in.load(p.rel)
	if err != nil || old.ScriptsRan != p.ScriptsRan || old.Identity != p.Identity || old.age() < p.MinAge ||
		old.Check() != nil {
		return nil
	}
	return old
}

// moveIn puts the folder at its place, at which nothing is.
func (g *Stage) moveIn(fd, at int, name string) error {
	err := unix.Renameat(g.fd, inner, at, name)
	if err == nil {
		err = unix.Fchmod(fd, 0o555) // rename(2) of a folder wants the right to write to it
	}
	if err == nil {
		err = unix.Fsync(fd)
	}
	if err == nil {
		err = unix.Fsync(at)
	}
	return err
}

// moveBack undoes moveIn.
func (g *Stage) moveBack(fd, at int, name string) {
	unix.Fchmod(fd, 0o700)
	if folder.Same(fd, at, name) {
		unix.Renameat(at, name, g.fd, inner)
	}
}

// settle writes the records of a package that is at its place.
func (g *Stage) settle(p *Package, fd int, manifest [32]byte) error {
	time.Sleep(clockTick) // a later change gets a ctime after those of the folder
	state, err := tree.Look(fd, tree.MostEntries+1)
	if err == nil {
		err = g.in.records.writeIndex(&index{p.rel, manifest, state.Sum, state.Entries})
	}
	if err == nil {
		err = g.in.records.remember(g.asked.asked(), p)
	}
	return err
}
