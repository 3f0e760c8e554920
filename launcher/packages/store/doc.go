// Package store keeps installed packages: a read-only folder for each version, which launches of that package see.
//
//	s, err := store.Open(os.Getenv)
//	defer s.Close()
//	wanted := store.Wanted{Manager: "npm", Source: source, Specs: specs}
//	p, err := s.Find(wanted, 0)
//	if errors.Is(err, store.ErrNone) {
//		stage, err := s.Begin(ctx, wanted, told) // waits for another install of that name
//		defer stage.Abort()
//		// Find again: the other install may have made the package. Else the package manager writes into stage.Folder
//		p, err = stage.Commit(installed)
//	}
//	err = p.Check()
//
// On the disk, below $XDG_DATA_HOME/mcp-sandbox/store:
//
//	npm/@scope/name/1.2.3-0123456789ab/  a package, with its lock file and its manifest
//	.specs/ID                            to which package the specs of a start were resolved
//	.index/ID                            the kernel's view of a package's folder when it was last compared
//	.stages/RANDOM/                      an install under way, locked by its process
//
// A folder gets its name by one rename when it is whole and on the disk. Whoever is killed leaves a stage, which the
// next install removes when its lock is free. Nothing here knows package managers, and nothing uses the network.
//
// Packages are kept apart by their source, a word that says all that decided where they came from: a search finds what
// an install with that very word left, and nothing else.
package store

import (
	"cmp"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/internal/tree"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// ManifestName is the manifest's name in a package's folder.
const ManifestName = "mcp-sandbox.manifest"

// An Identity is which package it is.
type Identity struct {
	Manager   string // the topmost folder of its path in the store
	Ecosystem string // npm, pypi or go; jsr in installs of long ago
	Name      string // as asked of the registry
	Version   string // exact, as 1.2.3
	Integrity string // hash of the archive, as the lock file has it
	Registry  string // URL from which the archive came
	Source    string // of [Wanted]; "" in installs from before there were sources
}

// Contents is the outcome of an install.
type Contents struct {
	Lock       string        // the lock file's path in the folder
	Bytes      int64         // on the disk
	Packages   int           // with the dependencies
	Scripts    []string      // packages whose install scripts were not run
	ScriptsRan bool          // the install was one with scripts
	MinAge     time.Duration // that was demanded of every package at the install
	Installed  time.Time     // when Commit was called
}

// A Package is one folder of the store.
type Package struct {
	Identity
	Contents
	Specs []string  // that are resolved to this package
	Path  string    // of the folder, absolute
	Used  time.Time // when a server was last started from it

	in    *Store
	rel   string // Path below the store
	asked *asked
}

var (
	// ErrNone is the error of a package that is not in the store.
	ErrNone = errors.New("the package is not in the store")
	// ErrInUse is the error of a package that cannot be removed now.
	ErrInUse = errors.New("a server runs from the package: end that first")
)

// A TooYoung is the error of a package that is in the store and may be younger than was demanded.
type TooYoung struct {
	Package *Package      // that was found
	Age     time.Duration // at least
	Min     time.Duration // that was demanded
}

// Error names the package, its age and the age that was demanded.
func (t *TooYoung) Error() string {
	return t.Package.title() + " is in the store, and only " + days(t.Age) + " old for certain: " + days(t.Min) +
		" are demanded"
}

func days(d time.Duration) string {
	if d < 48*time.Hour {
		return strconv.Itoa(int(d/time.Hour)) + " hours"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " days"
}

// A Difference is a deviation of a package's folder from its install.
type Difference = tree.Difference

// A Changed is the error of a package that was changed since its install.
type Changed struct {
	Package *Package   // as it was installed
	First   Difference // the first that was found
}

// Error names the first difference, and the command that installs the package anew.
func (c *Changed) Error() string {
	at := c.Package.Path
	if c.First.Path != "" {
		at += "/" + text.Printable(c.First.Path)
	}
	return at + ": " + c.First.What + ", after " + c.Package.title() + " was installed: `mcp-sandbox store update " +
		c.Package.Name + "` installs it anew"
}

// A Refused is the error of an install that left something that no package needs.
type Refused = tree.Refused

// A Full is the error of a file system without room for an install.
type Full struct {
	Path  string // of the store
	Free  int64  // bytes
	Files int64  // that can still be made; -1: not limited
}

// Error names the file system and how little is free.
func (f *Full) Error() string {
	left := strconv.FormatInt(f.Free>>20, 10) + " MiB"
	if f.Files >= 0 && f.Files < leastFiles {
		left = strconv.FormatInt(f.Files, 10) + " inodes"
	}
	return f.Path + ": only " + left + " are free, too little to install: `mcp-sandbox store prune` removes packages"
}

// A Wanted is the request of a start.
type Wanted struct {
	Manager string           // of the packages
	Source  string           // all that decides where they come from, in one word
	Specs   []startline.Spec // at least one
}

// A Resolution is the package that a start's specs are resolved to until an update.
type Resolution struct {
	Manager string   // that installed the package
	Source  string   // of [Wanted]
	Specs   []string // of the start, as startline.Spec.String writes them
	Path    string   // of the package's folder
}

// A Pruned is the outcome of [Store.Prune].
type Pruned struct {
	Removed []*Package // from the disk
	InUse   []*Package // that would have been removed
	Bytes   int64      // that are left
}

// A noRoom is the error of a disk or a quota that an install has filled.
type noRoom struct{ err error }

func (n *noRoom) Error() string {
	return n.err.Error() + ": `mcp-sandbox store prune` removes packages"
}

func (n *noRoom) Unwrap() error { return n.err }

// The room that has to be free before an install.
const (
	leastBytes = 100 << 20
	leastFiles = 10_000
)

// age is how old a package is at least, with all that was installed with it.
func (p *Package) age() time.Duration { return max(time.Since(p.Installed), 0) + p.MinAge }

// title names a package for people. Where the manifest cannot be read the ecosystem is not known.
func (p *Package) title() string {
	return cmp.Or(p.Ecosystem, p.Manager) + ":" + p.Name + " " + p.Version
}

// isNamed reports whether a word names a package: its name, alone or as MANAGER:NAME, and that with @VERSION, as a list
// of packages has it.
func (p *Package) isNamed(word string) bool {
	for _, before := range [...]string{"", p.Ecosystem + ":", p.Manager + ":"} {
		if word == before+p.Name || word == before+p.Name+"@"+p.Version {
			return true
		}
	}
	return false
}

// packageAt returns the package that the path of a folder below the store names.
func packageAt(rel string) *Package {
	folder, version := path.Split(rel)
	manager, name, _ := strings.Cut(strings.TrimSuffix(folder, "/"), "/")
	p := &Package{rel: rel}
	p.Manager, p.Name = manager, strings.ReplaceAll(name, ",", "/")
	p.Version = version[:max(len(version)-1-hashDigits, 0)]
	return p
}
