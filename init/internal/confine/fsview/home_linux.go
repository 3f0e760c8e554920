package fsview

import (
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

const noHome = "/tmp/home"

// A home is where the server's HOME is inside, and the links that lead there.
type home struct {
	*tree
	real resolved
}

// findHome finds the HOME that the server will have: the environment's, where nothing can be wrong with it.
func findHome(t *tree) *home {
	none := &home{t, resolved{path: noHome}}
	t.view.Home = noHome
	given := order.Lookup(t.request.Env, "HOME")
	if given == "" || given[0] != '/' {
		return none
	}
	given = path.Clean(given)
	if systemFolder(given) {
		return none
	}
	t.homes = append(t.homes, given)
	r, err := t.lookups.resolve(given)
	switch {
	case err == nil:
		if !r.entry.is(typeFolder) || systemFolder(r.path) {
			return none
		}
		t.homes = append(t.homes, r.path)
	case errors.Is(err, ErrSystem) || t.view.HostRoot: // no mount point can be made in the host's root
		return none
	default:
		r = resolved{path: given}
	}
	t.view.Home = given
	return &home{t, r}
}

// addPrivate puts a home there, empty or one that lasts, unless the policy shows the host's.
func (h *home) addPrivate() {
	switch {
	case h.request.State != "":
		h.addState()
	case h.points.access(h.real.path).read && (!h.request.Open || h.request.Private == ""):
	case h.request.Shared:
		h.view.Home = join(h.request.Private, PrivateHome)
	default:
		h.points.setGenerated(h.real.path, private, 0o700, "")
	}
	h.points.show(&h.real)
}

// addState puts the folder of a state there. A server in the host's root has it where it is.
func (h *home) addState() {
	for q := h.real.path; q != "/"; q = dirOf(q) {
		if h.points.has(q, mayRead|mayWrite) {
			h.fail(&os.PathError{Op: "state", Path: q, Err: ErrShown})
			return
		}
	}
	folder := entry{FileID: h.request.StateID, mode: typeFolder}
	h.view.State = h.request.State
	if h.request.Shared {
		h.view.Home = h.view.State
		if !h.request.Open {
			h.points.allow(h.view.State, folder, mayWrite)
		}
		return
	}
	h.points.setGenerated(h.real.path, private|lasting, 0o700, "")
	h.points[h.real.path].entry = folder
}

// systemFolder reports whether a path cannot be a home: programs or other homes live in it.
func systemFolder(path string) bool {
	switch path {
	case "/", "/tmp", "/var", "/home", "/opt", "/srv", "/run", "/nix", "/gnu", "/mnt", "/media":
		return true
	}
	if system(path) || strings.HasPrefix(path, "/lib") {
		return true
	}
	folders := []string{"/usr", "/bin", "/sbin", "/etc", "/boot", "/nix/store", "/gnu/store"}
	return slices.ContainsFunc(folders, func(folder string) bool { return policy.Within(path, folder) })
}

// cwd decides the working folder: the policy's, the launcher's if the server sees it, or the home.
func (h *home) cwd() {
	if c := h.request.Policy.Cwd; c != "" {
		at, ok := h.inside(c)
		if !ok {
			h.fail(&os.PathError{Op: "cwd", Path: c, Err: h.unseen(c)})
		}
		h.view.Cwd = at
		return
	}
	if d := h.request.Dir; d != "" && d[0] == '/' {
		if at, ok := h.inside(path.Clean(d)); ok {
			h.view.Cwd = at
			return
		}
	}
	h.view.Cwd = h.view.Home
	if h.points.access(h.real.path).read {
		if r, err := h.lookups.resolve(h.view.Home); err != nil || !r.entry.is(typeFolder) {
			h.fail(&os.PathError{Op: "cwd", Path: h.view.Home, Err: unix.ENOTDIR})
		}
	}
}

// unseen is why a working folder cannot be had. One in a write grant, behind a link, is to be written.
func (h *home) unseen(cwd string) error {
	if r, err := h.lookups.resolve(cwd); err == nil && !r.entry.is(typeFolder) {
		return unix.ENOTDIR
	}
	write := h.inWriteGrant(path.Clean(cwd))
	if _, err := (offers{h.tree}).offer(cwd, true); err != nil {
		write = false
	}
	return offers{h.tree}.offered(ErrNotVisible, cwd, write)
}

// inside finds where a folder of the host is inside, if the server will see it there.
func (h *home) inside(name string) (string, bool) {
	if h.request.Shared {
		return h.insideShared(name)
	}
	if h.points.exists(name, private|folder) {
		return name, true
	}
	r, err := h.lookups.resolve(name)
	if err != nil || !r.entry.is(typeFolder) {
		return "", false
	}
	return r.path, h.points.access(r.path).read || h.points.exists(r.path, private|folder)
}

// insideShared is inside for a server without a root of its own: its private folders lie elsewhere.
func (h *home) insideShared(name string) (string, bool) {
	switch r, err := h.lookups.resolve(name); {
	case err == nil && r.entry.is(typeFolder) && h.points.access(r.path).read:
		return r.path, true
	case len(h.homes) > 0 && name == h.homes[0], name == noHome:
		return h.view.Home, true
	case name == "/tmp":
		return join(h.request.Private, PrivateTmp), true
	}
	return "", false
}
