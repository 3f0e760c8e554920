package install

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	mcp "github.com/security-mcp/mcp-sandbox/hosts"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// surroundings are where an installation is asked for: they may be a stranger's, who wrote a client's configuration.
type surroundings struct {
	dir    string   // the working folder
	env    []string // the user's
	inside bool     // questions are put in the working folder
}

func (i *installation) surroundings() *surroundings {
	return &surroundings{dir: i.Dir, env: i.Env, inside: i.RegistryFromProject}
}

// isProjects reports whether a folder of programs is a project's: a relative one, node_modules/.bin, one in the working
// folder, or in a folder with a file in which a project names servers.
func (s *surroundings) isProjects(folder string) bool {
	const links = "/node_modules/.bin"
	if !filepath.IsAbs(folder) {
		return true
	}
	for _, at := range [...]string{filepath.Clean(folder), resolved(folder)} {
		if strings.HasSuffix(at, links) || s.isInProject(at) {
			return true
		}
	}
	return false
}

// isInProject reports whether a path lies in the working folder, or below a folder with such a file. A folder that
// holds the home, or the system's programs, is no project.
func (s *surroundings) isInProject(path string) bool {
	dir := resolved(s.dir)
	known := slices.Concat(s.homes(dir), []string{"/usr/bin", "/usr/local/bin"})
	for at := path; ; at = filepath.Dir(at) {
		if slices.ContainsFunc(known, func(k string) bool { return isBelow(k, at) }) || at == filepath.Dir(at) {
			return false
		}
		if at == dir || namesServers(at, false) {
			return true
		}
	}
}

// homes are those of the user: that of HOME too, unless a project says so of a folder of its own.
func (s *surroundings) homes(dir string) []string {
	all := ownHomes()
	home, _ := lookup(s.env, "HOME")
	home = resolved(home)
	if isOwn := home == dir || !isBelow(home, dir); isOwn && filepath.IsAbs(home) && !namesServers(home, true) {
		all = append(all, home)
	}
	return all
}

// ownHomes are the homes that the system knows of.
func ownHomes() (all []string) {
	passwd, _ := os.ReadFile("/etc/passwd")
	for _, home := range platform.HomesOf(string(passwd), os.Geteuid()) {
		if filepath.IsAbs(home) && home != "/" {
			all = append(all, resolved(home))
		}
	}
	return all
}

// namesServers reports whether a project that lies in a folder names servers there for a host. Some files have the same
// place in a home; apart is without these.
func namesServers(folder string, apart bool) bool {
	m := mcp.Machine{OS: runtime.GOOS, Getenv: func(string) string { return "" }}
	for _, h := range mcp.All() {
		for k := range h.Files {
			for _, file := range h.Files[k].In(folder, m) {
				file, _, _ = strings.Cut(file, "*")
				if _, err := os.Lstat(file); err == nil && !(apart && isAtHome(&h, h.Files[k].Project)) {
					return true
				}
			}
		}
	}
	return false
}

// isAtHome reports whether a host keeps files of its user's in the folder in which it looks for a project's.
func isAtHome(h *mcp.Host, project string) bool {
	top, _, _ := strings.Cut(project, "/")
	return slices.ContainsFunc(h.Files, func(f mcp.File) bool { return strings.HasPrefix(f.Path, "~/"+top+"/") })
}

// settingsOf begin the names of variables that a manager's configuration is read by, which may lie in a project: it is
// the user's, as that of a continuous integration. They name no program.
var settingsOf = []string{"npm_config_", "NPM_CONFIG_", "pnpm_config_", "PNPM_CONFIG_", "PIP_", "UV_", "NETRC",
	"SSL_CERT_", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "DENO_CERT"}

// leadsToProject reports whether a variable names a file or folder of a project: what stands for a manager in PATH, as
// corepack and the shims of version managers, runs what lies there.
func (s *surroundings) leadsToProject(entry string) bool {
	name, value, _ := strings.Cut(entry, "=")
	if slices.ContainsFunc(settingsOf, func(front string) bool { return strings.HasPrefix(name, front) }) {
		return false
	}
	return slices.ContainsFunc(filepath.SplitList(value), func(path string) bool {
		if !filepath.IsAbs(path) && s.inside && exists(s.dir, path) {
			path = filepath.Join(s.dir, path)
		}
		return filepath.IsAbs(path) && s.isProjects(path)
	})
}
