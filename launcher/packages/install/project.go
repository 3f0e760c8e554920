package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// surroundings are the folders around an installation: the author of a client's configuration may have chosen them.
type surroundings struct {
	dir  string // the working folder
	home string // the user's

	named map[string]bool // the answers of namesServers, by folder
}

func (f *origin) surroundings() *surroundings {
	if f.around == nil {
		u, _ := f.user() // without a home none of its folders is known
		dir, home := platform.Resolved(f.Dir), platform.Resolved(u.Home)
		f.around = &surroundings{dir: dir, home: home, named: map[string]bool{}}
	}
	return f.around
}

// Bounds of PATH, which each start looks at and which an entry may set.
const (
	mostSearched = 256 // folders
	mostLevels   = 32  // of a folder
)

// searched are the folders of PATH, each once.
func searched(path string) (folders []string) {
	for _, folder := range filepath.SplitList(path) {
		if len(folders) < mostSearched && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// isProjects reports whether a folder of programs is a project's: a relative one, node_modules/.bin, one in the working
// folder, or in a folder with a file in which a project names servers. One that lies very deep, or behind many links,
// counts as such.
func (s *surroundings) isProjects(folder string) bool {
	if _, err := platform.Follow(folder); errors.Is(err, platform.ErrManyNames) {
		return true
	}
	for _, at := range [...]string{filepath.Clean(folder), platform.Resolved(folder)} {
		if isAnybodys(at) || strings.Count(at, "/") > mostLevels || s.isInProject(at) {
			return true
		}
	}
	return false
}

// isAnybodys reports whether the programs in a folder of PATH depend on the working folder, or a project's packages.
func isAnybodys(folder string) bool {
	return !filepath.IsAbs(folder) || strings.HasSuffix(filepath.Clean(folder), "/node_modules/.bin")
}

// isInProject reports whether a path lies in the working folder, or below a folder with such a file. A folder that
// holds the home, or the system's programs, is no project.
func (s *surroundings) isInProject(path string) bool {
	known := []string{s.home, "/usr/bin", "/usr/local/bin"}
	for at := path; ; at = filepath.Dir(at) {
		if slices.ContainsFunc(known, func(k string) bool { return platform.Within(k, at) }) || at == filepath.Dir(at) {
			return false
		}
		names, looked := s.named[at]
		if !looked {
			names = namesServers(at)
			s.named[at] = names
		}
		if at == s.dir || names {
			return true
		}
	}
}

// ProjectFiles are the files, and folders of such, in which a project names servers for a host of MCP servers. They are
// relative to the project's folder and have slashes.
func ProjectFiles() []string {
	return []string{".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".zed/settings.json", ".codex/config.toml",
		".gemini/settings.json", ".github/mcp.json", ".continue/mcpServers", ".roo/mcp.json",
		"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc",
		"crush.json", ".crush.json", ".amazonq/mcp.json", ".amazonq/default.json", ".amazonq/cli-agents",
		".junie/mcp/mcp.json"}
}

// namesServers reports whether a project that lies in a folder names servers there for a host.
func namesServers(folder string) bool {
	return slices.ContainsFunc(ProjectFiles(), func(file string) bool {
		_, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(file)))
		return err == nil
	})
}
