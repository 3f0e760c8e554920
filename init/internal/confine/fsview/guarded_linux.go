package fsview

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// guarded reports whether a path may not be granted for writing at all.
func (t *tree) guarded(path string) bool {
	mounts, _ := t.lookups.mountTable() // without it no path has another place
	return slices.ContainsFunc(append(elsewhere(mounts, path), path), t.guardedAt)
}

func (t *tree) guardedAt(path string) bool {
	if protected.StartsCode(path) {
		return true
	}
	for _, home := range t.ownHomes() {
		if policy.Below(path, home) && protected.IsAtHome(path[len(home)+1:]) {
			return true
		}
	}
	return ours(t)(path)
}

// ours reports whether a path is one of the launch's own files or lies in a folder of this product.
func ours(t *tree) func(path string) bool {
	return func(path string) bool {
		is := func(own string) bool {
			if own == "" || own == path {
				return own != ""
			}
			r, err := t.lookups.resolve(own)
			return err == nil && r.path == path
		}
		holds := func(folder string) bool {
			r, err := t.lookups.resolve(folder)
			return is(folder) || policy.Within(path, folder) || err == nil && policy.Within(path, r.path)
		}
		return slices.ContainsFunc(t.request.Own, is) || slices.ContainsFunc(t.request.Folders, holds)
	}
}
