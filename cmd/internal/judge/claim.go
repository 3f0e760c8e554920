package judge

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
)

// A claim is what asks for a home that lasts.
type claim struct{ maker string }

// unknown is whose a home is that an older version made, or that could not be noted.
const unknown = "a server that nobody noted"

// whose says to whom a home belongs, other than to the claim's maker: to the one who had it made, or else to the
// package whose profile names it so. That package, and the user's own policies that wrap keeps, are one.
func (c claim) whose(name string) (whose string, there bool) {
	id := profile.OfState(name)
	made, there := state.Maker(name)
	users := func(maker string) bool { return isWrapped(maker) || id != "" && maker == id }
	switch {
	case users(c.maker) && (made == "" || users(made)), made != "" && same(c.maker, made):
		return "", there
	case made != "":
		return made, there
	case id != "":
		return id, there
	case there:
		return unknown, true
	}
	return "", false
}

// isWrapped reports whether a file lies where wrap keeps the user's policies.
func isWrapped(file string) bool {
	p, err := places.Of(os.Getenv)
	return err == nil && filepath.IsAbs(file) &&
		strings.HasPrefix(follow(file), follow(filepath.Join(p.Config, "policies"))+string(os.PathSeparator))
}

// same reports whether two makers are one.
func same(a, b string) bool {
	return a == b || filepath.IsAbs(a) && filepath.IsAbs(b) && follow(a) == follow(b)
}
