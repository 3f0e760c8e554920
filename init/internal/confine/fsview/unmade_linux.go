package fsview

import (
	"path"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// unmade is the sight of a path that is not there: missing of its names lie, or would lie, below a folder that is.
func (v *Viewer) unmade(folder string, missing int) Sight {
	switch {
	case v.denies(folder) || v.binds(folder) || v.Home == "":
		return Unknown
	case v.isHome(folder) && !v.Shared && v.View.State == "":
		return Passing
	case v.isHome(folder) && !v.Shared:
		return Unknown // and made in the home that lasts
	case policy.Within(folder, path.Clean(v.Home)), missing == 1 && !v.shows(folder):
		return Unmade
	}
	return Unknown
}

func (v *Viewer) isHome(real string) bool { return v.Home != "" && real == path.Clean(v.Home) }

// Broad reports whether a folder holds more than the files one server needs: the system's, a home or a folder above,
// those of all of a user's programs, and the sockets of a session.
func (v *Viewer) Broad(real string) bool {
	if systemFolder(real) || v.Home != "" && policy.Within(path.Clean(v.Home), real) {
		return true
	}
	for _, name := range [...]string{".config", ".local", ".local/share", ".local/state", ".cache"} {
		if v.Home != "" && real == join(path.Clean(v.Home), name) {
			return true
		}
	}
	above := dirOf(real)
	return above == "/home" || above == "/run/user" || real == "/run/user" || real == "/root"
}

// Writes reports whether the server can write a path of the host, protected names aside.
func (v *Viewer) Writes(real string) bool {
	near, write := -1, false
	for i := range v.View.Nodes {
		if n := &v.View.Nodes[i]; n.Kind == Bind && policy.Within(real, n.Source) && len(n.Source) >= near {
			near, write = len(n.Source), n.Write
		}
	}
	return write && v.binds(real)
}

// Opens reports whether a grant of its own opens a folder that is held: it has no more folders than are searched. Looks
// again, for the search stops at the first that is too much.
func (h *Held) Opens() bool {
	s := search{buf: make([]byte, 8<<10), left: searchFolders}
	top, err := s.folder(unix.AT_FDCWD, h.Path, h.Path, 0, s.buf)
	return h.Granted && err == nil && len(top.names) <= searchFolders
}
