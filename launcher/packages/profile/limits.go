package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// limits are the folders that no profile grants for an argument.
type limits struct {
	home  string
	homes []string // that and the one of passwd(5), as they are written and as they are found
	own   []string // the product's, as they are written and as they are found
	used  []string // secrets that the profile's server is there to use
}

func newLimits(home string, getenv func(string) string) limits {
	home = filepath.Clean(home)
	l := limits{home: home, homes: bothWays(append(passwdHomes(), home)...)}
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

// useOf takes note of the places of secrets that a profile's server reads from by default: paths in such a place can be
// named.
func (l *limits) useOf(p *Profile) {
	for _, a := range p.Arguments {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(a.Default, "-"), "~/")
		if !ok || a.Grant != Read {
			continue
		}
		for name := range explain.Secrets() {
			if platform.Within(rest, name) {
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

// passwdHomes are the homes that passwd(5) names for this user, wherever HOME leads.
func passwdHomes() []string {
	const most, patience = 4 << 20, time.Second
	text, _, err := platform.ReadDocumentFile("/etc/passwd", most, patience)
	if err != nil { // then HOME alone counts
		return nil
	}
	return homesIn(string(text), os.Getuid())
}

// homesIn are those homes of a user that a launch would call so.
func homesIn(passwd string, uid int) []string {
	return slices.DeleteFunc(platform.HomesOf(passwd, uid), func(home string) bool { return !filepath.IsAbs(home) })
}

// secret names the secrets of that home if a folder is, holds or lies in their place.
func (l *limits) secret(f folder, home string) string {
	for name, what := range explain.Secrets() {
		for _, secret := range bothWays(filepath.Join(home, name)) {
			within := platform.Within(f.real, secret)
			if !f.write && within && f.real != secret && slices.Contains(l.used, name) {
				continue
			}
			if within || platform.Within(secret, f.real) {
				return what
			}
		}
	}
	return ""
}

// why is the reason for which a path is not granted; "" if it is.
func (l *limits) why(f folder) string {
	for _, home := range l.homes {
		if platform.Within(home, f.real) || platform.Within(home, f.written) {
			return "is or holds the home folder"
		}
		if slices.Contains(bothWays(filepath.Join(home, ".config")), f.real) {
			return "holds the settings of all programs"
		}
		if what := l.secret(f, home); what != "" {
			return "is or holds a place of " + what
		}
	}
	for _, homes := range []string{"/home", "/Users"} {
		if f.real == homes || filepath.Dir(f.real) == homes || f.real == "/root" {
			return "is or holds the home folder of a user"
		}
	}
	for _, own := range l.own {
		if platform.Within(f.real, own) || platform.Within(own, f.real) {
			return "is a folder of mcp-sandbox itself"
		}
	}
	var p policy.Policy
	if p.Set("filesystem.allowRead", f.real) != nil {
		return "is a folder of which nothing can be granted"
	}
	return ""
}
