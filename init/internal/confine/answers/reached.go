package answers

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Look is an absolute path at which a launch looks.
type Look struct {
	Path  string
	Below bool // also at the mounts below
	First bool // of several in a row, which end with the first at which there is a program
	Home  bool // many looks are made there: the folder is listed once
}

// A question is one look of the process that is started for them.
type question struct {
	path, mount, kind string // kind is the file system's type
}

// How many questions there are at most, and how many of one mount: on a home over a network each takes as long as a
// look of the launch, and words of a policy and of the environment are strangers' too.
const (
	mostAsked = 1000
	mostOfOne = 16
)

// waits reports whether a file system has to ask another party: a process, or another machine. No launch looks for the
// host's files in the trees that are made fresh for a server, where systemd has an autofs. The root is not asked: this
// program came from it.
func waits(m *platform.Mount) bool {
	if m.Path == "/" || policy.Within(m.Path, "/proc") || policy.Within(m.Path, "/sys") ||
		policy.Within(m.Path, "/dev") {
		return false
	}
	return waiting(m.Type)
}

// waiting reports whether file systems of a type have to ask.
func waiting(kind string) bool {
	kind, _, _ = strings.Cut(kind, ".")
	switch kind {
	case "fuse", "fuseblk", "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "coda", "lustre",
		"gpfs", "beegfs", "orangefs", "pvfs2", "glusterfs", "vboxsf", "vmhgfs", "prl_fs", autofs:
		return true
	}
	return false
}

// autofs is the type of a mount whose own folder answers by itself, and the mounts below do not.
const autofs = "autofs"

// reached are the questions about the mounts that looks meet. Links are followed as far as no such mount is met. Of
// mounts at one path the last is seen.
func reached(mounts []platform.Mount, looks []Look, h host) (all []question) {
	kinds := map[string]string{}
	for i := range mounts {
		if delete(kinds, mounts[i].Path); waits(&mounts[i]) {
			kinds[mounts[i].Path] = mounts[i].Type
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	met := slices.Sorted(maps.Keys(kinds)) // the outer one first
	w := ways{met, h.readlink, map[string]string{}, map[string][]string{}}
	asked := map[string]int{}
	add := func(at, mount string) {
		q := question{at, mount, kinds[mount]}
		if len(all) < mostAsked && (asked[mount] < mostOfOne || q.kind == autofs) && !slices.Contains(all, q) {
			all, asked[mount] = append(all, q), asked[mount]+1
		}
	}
	found := false
	for _, l := range looks {
		if found = found && l.First; found {
			continue
		}
		at, mount := w.follow(l.Path)
		if mount != "" {
			add(at, mount)
		}
		if l.Home && mount == "" {
			w.listed[at] = h.list(at)
		}
		found = l.First && mount == "" && h.isProgram(at)
		for _, m := range met {
			if l.Below && m != at && policy.Within(m, at) {
				add(m, m)
			}
		}
	}
	return all
}

// A host is the file system as far as no mount that waits is met.
type host struct {
	readlink  func(string) (target string, err error) // "" of a path that is no link
	isProgram func(string) bool
	list      func(string) []string // the names in a folder; nil: unknown
}

// ways follow links up to mount points.
type ways struct {
	met      []string
	readlink func(string) (string, error)
	known    map[string]string // by the path of a link its target, "" if it is no link, and gone
	listed   map[string][]string
}

// gone is the target of a path that is not there, or cannot be looked at.
const gone = "\x00"

// follow is where a path leads, and the innermost of the mount points on that way, if there is one: behind it links are
// not followed.
func (w *ways) follow(p string) (at, mount string) {
	cur, rest := "", p
	for links := 0; rest != ""; {
		var name string
		switch name, rest, _ = strings.Cut(rest, "/"); name {
		case "", ".":
			continue
		case "..":
			cur = cur[:max(strings.LastIndexByte(cur, '/'), 0)]
			continue
		}
		next := cur + "/" + name
		if slices.Contains(w.met, next) {
			at = path.Join(next, rest)
			for _, m := range w.met {
				if policy.Within(at, m) {
					mount = m
				}
			}
			return at, mount
		}
		target := w.target(next)
		switch {
		case target == gone || links == 40: // path_resolution(7)
			return path.Join(next, rest), ""
		case target == "":
			cur = next
			continue
		case target[0] == '/':
			cur = ""
		}
		rest, links = target+"/"+rest, links+1
	}
	return cmp.Or(cur, "/"), ""
}

func (w *ways) target(at string) string {
	target, is := w.known[at]
	if !is {
		i := strings.LastIndexByte(at, '/')
		if names := w.listed[at[:i]]; names != nil && !slices.Contains(names, at[i+1:]) {
			return gone
		}
		var err error
		if target, err = w.readlink(at); err != nil {
			target = gone
		}
		w.known[at] = target
	}
	return target
}
