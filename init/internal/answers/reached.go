package answers

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// A Look is an absolute path at which a launch looks.
type Look struct {
	Path  string
	Below bool // also at what is mounted below
	First bool // of several in a row, which end with the first at which there is a program
}

// A question is one look of the process that is started for them.
type question struct {
	path, mount, kind string // kind is the file system's type
}

// mostAsked is how many questions there are at most: words of a policy and of the environment are strangers' too.
const mostAsked = 1000

// waits reports whether a file system of this type has to ask somebody else: a process, or another machine.
func waits(kind string) bool {
	kind, _, _ = strings.Cut(kind, ".")
	switch kind {
	case "fuse", "fuseblk", "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "coda", "lustre",
		"gpfs", "beegfs", "orangefs", "pvfs2", "glusterfs", "vboxsf", "vmhgfs", "prl_fs", autofs:
		return true
	}
	return false
}

// autofs is the type of a mount whose own folder answers by itself, and what is mounted below does not.
const autofs = "autofs"

// reached are the questions about the mounts that looks meet. Links are followed as far as no such mount is met. Of
// mounts at one path the last is seen. The root is not asked: this program came from it.
func reached(mounts []platform.Mount, looks []Look, h host) (all []question) {
	seen := map[string]string{}
	for i := range mounts {
		if m := &mounts[i]; waits(m.Type) || seen[m.Path] != "" {
			seen[m.Path] = m.Type
		}
	}
	met := slices.Sorted(maps.Keys(seen)) // the outer one first
	met = slices.DeleteFunc(met, func(at string) bool { return at == "/" || !waits(seen[at]) })
	if len(met) == 0 {
		return nil
	}
	add := func(at, mount string) {
		if q := (question{at, mount, seen[mount]}); len(all) < mostAsked && !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	found := false
	for _, l := range looks {
		if found = found && l.First; found {
			continue
		}
		at, mount := way(l.Path, met, h.readlink)
		if mount != "" {
			add(at, mount)
		}
		found = l.First && mount == "" && h.isProgram(at)
		for _, m := range met {
			if l.Below && m != at && within(m, at) {
				add(m, m)
			}
		}
	}
	return all
}

// A host is the file system as far as no mount that waits is met.
type host struct {
	readlink  func(string) (string, error)
	isProgram func(string) bool
}

// way is where a path leads, and the innermost of the mount points on that way, if there is one: behind it links are
// not followed.
func way(p string, met []string, readlink func(string) (string, error)) (at, mount string) {
	cur, rest := "/", p
	for links := 0; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		next := path.Join(cur, name)
		if slices.Contains(met, next) {
			at = path.Join(next, rest)
			for _, m := range met {
				if within(at, m) {
					mount = m
				}
			}
			return at, mount
		}
		target, err := readlink(next)
		switch {
		case err != nil || links == 40: // no link, or too many; path_resolution(7)
			cur = next
		case target[0] == '/':
			cur, rest, links = "/", target+"/"+rest, links+1
		default:
			rest, links = target+"/"+rest, links+1
		}
	}
	return cur, ""
}

// within reports whether a path is a folder, or lies below it.
func within(p, folder string) bool {
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}
