package judge

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
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

// follow is where a path leads, as far as something is there: a link may lead to what only comes later. A way
// that is too long to be gone to its end may lead anywhere, and so to the home.
func follow(at string) string {
	real, err := platform.Follow(at)
	if errors.Is(err, platform.ErrManyNames) {
		return order.Home(os.Environ())
	}
	return real
}
