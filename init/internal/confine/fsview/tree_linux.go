package fsview

import (
	"errors"
	"os"
	"path"
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A tree is the work on one Request: the server's view of each path of the host.
type tree struct {
	request *Request
	view    *View
	lookups lookups
	points  points

	strict  bool
	writes  []string // the targets of the write grants: the server may have made any file there
	homes   []string // the home of the environment, as written and as resolved
	own     []string // those, and the homes of the launcher's user
	implied []string // grants that are not in the policy

	gitdirs map[string]bool // those that the grant of a .git file opens

	certified []string // paths whose certificates are shown

	err error // the first
}

func newTree(r *Request) *tree {
	t := &tree{request: r, view: new(View), points: make(points, 96), lookups: newLookups(),
		gitdirs: map[string]bool{}}
	t.strict = r.Policy.Level == policy.Strict
	t.view.HostRoot = r.Policy.Filesystem.Default == policy.Read && !r.Shared
	return t
}

// fail keeps the first error: no further step of the plan is begun.
func (t *tree) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *tree) warn(text string) { t.view.Warnings = append(t.view.Warnings, text) }

// inWriteGrant reports whether path lies in a write grant.
func (t *tree) inWriteGrant(path string) bool {
	return slices.ContainsFunc(t.writes, func(grant string) bool { return policy.Within(path, grant) })
}

// isForeign reports whether strangers wrote a file: a server, in a write grant, or whoever published the package.
func isForeign(t *tree, path string) bool {
	own := t.request.Package.Path
	return t.inWriteGrant(path) || own != "" && policy.Below(path, own)
}

// throughServerLink is an error of that kind if a path goes through a link inside a write grant: the server could have
// planted that link earlier to gain access at the next start.
func (t *tree) throughServerLink(r *resolved, kind Reason) error {
	for _, l := range r.links {
		if t.inWriteGrant(l.at) {
			return linkError(kind, l.at, r.path)
		}
	}
	return nil
}

// allowLink is throughServerLink, but passes paths granted or visible anyway and, for reading, a version store.
func (t *tree) allowLink(r *resolved, write bool) error {
	err := t.throughServerLink(r, ErrLink)
	if err == nil {
		return nil
	}
	a := t.points.access(r.path)
	if a.read && (a.write || !write || t.strict) || !write && stored(r.path) {
		return nil
	}
	return err
}

// imply grants reading of a path that the policy does not name.
func (t *tree) imply(r *resolved) {
	t.points.show(r)
	if !t.points.access(r.path).read {
		t.points.allow(r.path, r.entry, mayRead)
		t.implied = append(t.implied, r.path)
	}
}

// visible adds paths of the base system, where the host has them, and the links that lead there. The base system is the
// administrator's, so its links are followed to wherever they lead, but for the file systems that are made fresh.
func (t *tree) visible(paths ...string) {
	for _, path := range paths {
		r, err := t.lookups.resolve(path)
		switch {
		case missing(err), errors.Is(err, ErrSystem), errors.Is(err, unix.ELOOP), errors.Is(err, unix.EACCES):
			continue
		case err != nil:
			t.fail(&os.PathError{Op: "base", Path: path, Err: err})
			return
		}
		t.points.show(&r)
		if r.path != "/" && (r.entry.is(typeFolder) || r.entry.is(typeFile)) && !t.points.access(r.path).read {
			t.points.allow(r.path, r.entry, mayRead)
		}
	}
}

// ownHomes are the homes of the launcher's user, wherever the policy has HOME lead.
func (t *tree) ownHomes() []string {
	if t.own != nil {
		return t.own
	}
	t.own = slices.Compact(append(make([]string, 0, len(t.homes)+len(t.request.Homes)), t.homes...))
	for _, h := range t.request.Homes {
		if h == "" || h[0] != '/' || systemFolder(path.Clean(h)) {
			continue
		}
		if r, err := t.lookups.resolve(h); err == nil && !slices.Contains(t.own, r.path) {
			t.own = append(t.own, r.path)
		}
	}
	return t.own
}

// tooBroad reports whether a folder holds more than one program, and so may not be shown by implication.
func (t *tree) tooBroad(folder string) bool {
	if systemFolder(folder) && !t.points.access(folder).read {
		return true
	}
	if baseOf(folder) == ".local" || folder == "/root" || dirOf(folder) == "/home" {
		return true
	}
	holds := func(home string) bool { return policy.Within(join(home, ".local"), folder) }
	return slices.ContainsFunc(t.ownHomes(), holds)
}

// closed reports whether a folder that cannot be listed is gone, or closed to the server too, as another user's without
// the right to enter.
func (t *tree) closed(folder string, err error) bool {
	if missing(errors.Unwrap(err)) {
		return true
	}
	e, err := statx(folder)
	return missing(err) || err == nil && int(e.uid) != t.request.UID && !t.request.enters(&e, folder)
}
