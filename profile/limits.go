package profile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/places"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// limits are the folders that no profile grants for an argument.
type limits struct {
	home  string
	homes []string // the same as it is written and as it is found
	own   []string // the product's, as they are written and as they are found
	used  []string // secrets that the profile's server is there to use
}

func newLimits(home string, getenv func(string) string) limits {
	home = filepath.Clean(home)
	l := limits{home: home, homes: bothWays(home)}
	p, err := places.Of(func(name string) string {
		if name == "HOME" {
			return home
		}
		return getenv(name)
	})
	if err == nil { // else there is no such folder
		l.own = bothWays(p.Folders()...)
	}
	return l
}

// useOf takes note of the places of secrets that a profile's server reads from if nothing else is said: what lies in
// such a place can be named.
func (l *limits) useOf(p *Profile) {
	for _, a := range p.Arguments {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(a.Default, "-"), "~/")
		if !ok || a.Grant != Read {
			continue
		}
		for name := range explain.Secrets() {
			if holds(name, rest) {
				l.used = append(l.used, name)
			}
		}
	}
}

// bothWays are paths as they are written, and as they are found.
func bothWays(paths ...string) []string {
	all := paths
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			all = append(all, real)
		}
	}
	return all
}

// why is the reason for which a path is not granted; "" if it is.
func (l *limits) why(f folder) string {
	for _, home := range l.homes {
		if holds(f.real, home) || holds(f.written, home) {
			return "is or holds the home folder"
		}
		if f.real == filepath.Join(home, ".config") {
			return "holds the settings of all programs"
		}
		for name, what := range explain.Secrets() {
			secret := filepath.Join(home, name)
			if !f.write && f.real != secret && holds(secret, f.real) && slices.Contains(l.used, name) {
				continue
			}
			if holds(secret, f.real) || holds(f.real, secret) {
				return "is or holds a place of " + what
			}
		}
	}
	for _, homes := range []string{"/home", "/Users"} {
		if f.real == homes || filepath.Dir(f.real) == homes || f.real == "/root" {
			return "is or holds the home folder of a user"
		}
	}
	for _, own := range l.own {
		if holds(own, f.real) || holds(f.real, own) {
			return "is a folder of mcp-sandbox itself"
		}
	}
	var p policy.Policy
	if p.Set("filesystem.allowRead", f.real) != nil {
		return "is a folder of which nothing can be granted"
	}
	return ""
}
