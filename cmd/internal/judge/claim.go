package judge

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/places"
	"github.com/security-mcp/mcp-sandbox/init/state"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/profile"
)

// A claim is what asks for a home that lasts.
type claim struct{ maker string }

// unknown is whose a home is that an older version made, or that could not be noted.
const unknown = "a server that nobody noted"

// whose says to whom a home belongs that the claim's maker did not have made alone: to the one who did, to a server
// that wrap gave it, or to the package whose profile names it so.
func (c claim) whose(name string) (whose string, there bool) {
	id := profile.OfState(name)
	made, there := state.Maker(name)
	switch wrapped := c.wrapped(name, id); {
	case there && made != "" && !c.isKin(made, id):
		return made, true
	case wrapped != "":
		return wrapped, true
	case id != "" && !c.isKin(id, id):
		return id, there
	case there && made == "" && c.maker != id && !isWrapped(c.maker):
		return unknown, true
	}
	return "", there
}

// isKin reports whether a maker is as good as the claim's. A policy that wrap wrote is of the package that it was
// written for, and one server has policies of one name with all hosts.
func (c claim) isKin(maker, id string) bool {
	mine, other := isWrapped(c.maker), isWrapped(maker)
	return same(c.maker, maker) || id != "" && (maker == id && mine || c.maker == id && other) ||
		mine && other && filepath.Base(c.maker) == filepath.Base(maker)
}

// wrapped is a policy of wrap's that names a home; "" if none does but those that may.
func (c claim) wrapped(name, id string) string {
	const most, patience = 1000, time.Second
	p, err := places.Of(os.Getenv)
	if err != nil {
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(p.Config, "policies", "*", "*.json"))
	for _, file := range files[:min(len(files), most)] {
		if c.isKin(file, id) {
			continue
		}
		doc, _, err := platform.ReadDocumentFile(file, policy.MaxDocument, patience)
		if err != nil {
			continue
		}
		if p, err := policy.Parse(doc); err == nil && strings.EqualFold(p.State, name) {
			return file
		}
	}
	return ""
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
