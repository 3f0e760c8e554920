// Package tree reads, seals and removes the folders that package managers write.
//
// Whatever is in them was chosen by strangers: links, odd modes, odd names, deep trees, millions of names. All is done
// through descriptors and without following a symbolic link. All that no package needs is refused: see [Survey].
package tree

import (
	"slices"
	"strconv"
	"strings"
)

// A Kind is the type of an entry.
type Kind byte

// The kinds that a package may have.
const (
	Folder Kind = 'd'
	File   Kind = 'f'
	Link   Kind = 'l'
)

// An Entry is one name in a folder.
type Entry struct {
	Path   string // below the folder
	Kind   Kind
	Mode   uint32 // of a folder or file
	Size   int64  // of a file
	Sum    [32]byte
	Target string // of a link
}

// The bounds of a package.
const (
	MostEntries = 500_000
	mostDepth   = 128
	mostPath    = 4000
	mostBytes   = 64 << 30
	mostText    = 64 << 20 // of all paths and targets of links: some 5 MiB in a large package
)

// A Refused is the error of a folder with something that no package needs.
type Refused struct{ Path, Reason string }

func (r *Refused) Error() string {
	if r.Path == "" {
		return r.Reason
	}
	return strconv.Quote(r.Path) + " " + r.Reason
}

// A Difference is a deviation of a folder from its manifest.
type Difference struct {
	Path string // below the folder; "": the folder as a whole
	What string
}

// less is the order of a walk: a folder, then its entries, by bytes.
func less(a, b string) bool {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return a[i] == '/' || b[i] != '/' && a[i] < b[i]
		}
	}
	return len(a) < len(b)
}

// Less reports whether a walk meets one path before another.
func Less(a, b string) bool { return less(a, b) }

// Escaping is the path of the first link that leads out of the folder. Outside are targets that are right nevertheless.
// A link to nothing is right too: nothing will be made there.
func Escaping(links []Entry, outside []string) string {
	targets := map[string]string{}
	for i := range links {
		targets[links[i].Path] = links[i].Target
	}
	f := follower{targets, outside, mostSteps}
	for i := range links {
		if !slices.Contains(outside, links[i].Target) && !f.staysInside(links[i].Path) {
			return links[i].Path
		}
	}
	return ""
}

// mostSteps bounds the bytes of the paths and targets that are looked up for all links: some hundred for each in a real
// package.
const mostSteps = 1 << 30

// A follower follows links as the kernel does.
type follower struct {
	targets map[string]string
	outside []string
	left    int // bytes of paths
}

// staysInside follows a path component by component. A name that is not there counts as a folder.
func (f *follower) staysInside(path string) bool {
	var at []string
	rest, followed := strings.Split(path, "/"), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return false
			}
			at = at[:len(at)-1]
			continue
		}
		at = append(at, name)
		here := strings.Join(at, "/")
		if f.left -= len(here); f.left < 0 {
			return false
		}
		target, isLink := f.targets[here]
		if !isLink {
			continue
		}
		if strings.HasPrefix(target, "/") {
			return len(rest) == 0 && slices.Contains(f.outside, target)
		}
		if followed++; followed > 40 {
			return true // the kernel follows no further: ELOOP
		}
		f.left -= len(target) + 16*len(rest) // both are copied
		at = at[:len(at)-1]
		rest = append(strings.Split(target, "/"), rest...)
	}
	return true
}
