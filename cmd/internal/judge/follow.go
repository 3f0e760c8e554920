package judge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// followed is a policy with its paths as they lead through links now, and whether any of them does.
func followed(p policy.Policy) (to policy.Policy, moved bool) {
	f, n := &p.Filesystem, &p.Network
	for _, list := range []*[]string{&f.AllowRead, &f.AllowWrite, &f.DenyRead, &f.DenyWrite, &n.AllowUnixSockets} {
		*list = slices.Clone(*list)
		for i, written := range *list {
			at, optional := strings.CutPrefix(written, "-")
			if real := follow(at); filepath.IsAbs(at) && real != at {
				if moved = true; optional {
					real = "-" + real
				}
				(*list)[i] = real
			}
		}
	}
	return p, moved
}

// follow is where a path leads, as far as something is there. A link may lead to what only comes later.
func follow(at string) string {
	const mostLinks = 40
	rest := ""
	for range mostLinks {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		to, err := os.Readlink(at)
		switch {
		case err == nil && filepath.IsAbs(to):
			at = to
		case err == nil:
			at = filepath.Join(follow(filepath.Dir(at)), to)
		case filepath.Dir(at) == at:
			return filepath.Join(at, rest)
		default:
			at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
		}
	}
	return filepath.Join(at, rest)
}
