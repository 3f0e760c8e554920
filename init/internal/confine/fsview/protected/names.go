// Package protected knows the names that a server may not write in a write grant, because files there run code
// outside of the sandbox. The package reads names alone, not the file system.
//
// The rule: files that a program executes, or is given rights by, because its user opens their folder with an editor or
// an agent, enters it with a shell, runs a version control system there, logs in, or opens a terminal. A folder of
// these tables is protected with its content.
//
// Not of them are the files that a server is there to write: the project's own programs, tests, build files and the
// ones that its tools read from those (package.json, Makefile, .npmrc, .cargo, .github/workflows,
// .pre-commit-config.yaml), instructions for agents (AGENTS.md), and files about which a program asks again when they
// have changed (.envrc, which direnv allows by its content; .tool-versions, which names versions alone; .exrc and
// .gdbinit in a project, which are off or allowed by content).
package protected

import (
	_ "embed"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// anywhere are the names that count in every folder of a write grant that is searched. All begin with a byte that
// Guards knows.
var anywhere = [...]string{
	// Version control: hooks, and configurations that name programs. The first vcs of them may be granted by name.
	".git", ".hg", ".jj", ".sl", ".pijul", "_darcs",
	".husky",

	// Editors: tasks, launchers, language servers, settings that name programs.
	".vscode", ".vs", ".idea", ".run", ".fleet", ".zed", ".theia", ".helix", ".devcontainer",
	".devcontainer.json",

	// Agents and hosts of MCP servers: the servers that they start, and their hooks.
	".mcp.json", ".claude", ".cursor", ".codex", ".gemini", ".qwen", ".windsurf", ".cline", ".clinerules", ".roo",
	".kilocode", ".continue", ".opencode", ".opencode.json", "opencode.json", "opencode.jsonc", ".crush.json",
	"crush.json", ".amazonq", ".kiro", ".junie", ".augment", ".factory", ".trae", ".amp", ".tabnine", ".openhands",
	".aider.conf.yml", ".pi",

	// Version managers that a shell asks at each prompt; mise trusts a path, whatever is in the file later.
	"mise.toml", "mise.local.toml", ".mise.toml", ".mise.local.toml", ".mise", ".miserc.toml",
	".rtx.toml", ".rtx.local.toml",

	".mcp-sandbox",
}

// VersionControls is how many folders of version control systems begin the names that count anywhere.
const VersionControls = 6

// Anywhere are the names that count in every folder of a write grant that is searched.
func Anywhere() []string { return anywhere[:] }

// Beside are paths that count in the root of a write grant and beside each repository.
func Beside() []string {
	return []string{".github/hooks", ".github/mcp.json", ".config/mise", ".config/mise.toml", ".config/mise.local.toml",
		".config/miserc.toml", "mise/config.toml", "mise/config.local.toml", "mise/conf.d"}
}

// Own are this product's folders below a home, the last of AtHome: policies, packages, states and reports.
func Own() []string {
	return []string{".config/mcp-sandbox", ".local/share/mcp-sandbox", ".local/state/mcp-sandbox"}
}

// Reports is the folder of the kept reports, in the last of Own.
const Reports = ".local/state/mcp-sandbox/reports"

//go:embed home.txt
var home string

// AtHome are the paths below the user's home, besides the names that count anywhere: those of home.txt.
func AtHome() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(home, "\n") {
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// IsAtHome reports whether a path below a home is one of those, or lies in one.
func IsAtHome(rest string) bool {
	for name := range AtHome() {
		if withinFold(rest, name) {
			return true
		}
	}
	return false
}

// Guards reports whether name is one of those that count anywhere, in whatever spelling: some file systems do not
// tell upper case from lower, and ext4(5) with casefold neither a long s from s, nor a name from one with characters
// that are not seen.
func Guards(name []byte) bool {
	if len(name) < 3 {
		return false
	}
	switch c := name[0]; {
	case c == '.', c == '_', c|0x20 == 'c', c|0x20 == 'm', c|0x20 == 'o', c >= utf8.RuneSelf:
	default:
		return false
	}
	return slices.ContainsFunc(anywhere[:], func(guarded string) bool { return sameFold(name, guarded) })
}

// IsGit reports whether a name is .git, in whatever spelling.
func IsGit(name string) bool { return sameFold([]byte(name), anywhere[0]) }

// IsVersionControl reports whether a name is that of a version control system's folder.
func IsVersionControl(name string) bool {
	return slices.ContainsFunc(anywhere[:VersionControls], func(vcs string) bool { return sameFold([]byte(name), vcs) })
}

// IsAgentWorktrees reports whether a folder is one in which an agent keeps checkouts: .claude/worktrees or
// .cursor/worktrees. Agents work in these folders, but read no settings there.
func IsAgentWorktrees(folder string) bool {
	above, name := path.Split(folder)
	if name != "worktrees" {
		return false
	}
	agent := path.Base(above)
	return agent == ".claude" || agent == ".cursor"
}

// StartsCode reports whether a path has a protected name, or lies below one at any depth, but for the
// checkouts of agents. Folders of version control systems do not count: see [InRepository].
func StartsCode(at string) bool {
	for ; len(at) > 1; at = path.Dir(at) {
		if above := path.Dir(at); IsAgentWorktrees(above) {
			return StartsCode(path.Dir(path.Dir(above)))
		}
		if name := path.Base(at); Guards([]byte(name)) && !IsVersionControl(name) {
			return true
		}
		for _, name := range Beside() {
			if cut := len(at) - len(name); cut > 1 && at[cut-1] == '/' && withinFold(at[cut:], name) {
				return true
			}
		}
	}
	return false
}

// InRepository reports whether path is a .git or the like, or part of one.
func InRepository(at string) bool {
	for ; len(at) > 1; at = path.Dir(at) {
		if IsVersionControl(path.Base(at)) {
			return true
		}
	}
	return false
}

// Parts are those of a git repository that lie in one folder, whatever the folder is called.
type Parts uint8

const (
	partHead Parts = 1 << iota
	partObjects
	partRefs
	partCommondir
)

// Add notes a name of the folder.
func (p *Parts) Add(name []byte) {
	switch len(name) {
	case 4, 7, 9:
		for i, part := range [...]string{"head", "objects", "refs", "commondir"} {
			if sameFold(name, part) {
				*p |= 1 << i
			}
		}
	}
}

// Head reports whether HEAD is there.
func (p Parts) Head() bool { return p&partHead != 0 }

// Repository reports whether these are enough: HEAD, and objects and refs, or a file that names the folder of both.
func (p Parts) Repository() bool {
	const both = partObjects | partRefs
	return p.Head() && (p&both == both || p&partCommondir != 0)
}

// sameFold compares a name with one in lower case. Of other characters than those of ASCII it looks at the two that
// fold to one, and passes over the rest.
func sameFold(name []byte, lower string) bool {
	at := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(name[i:])
			i += size - 1
			switch r {
			case 'ſ':
				c = 's'
			case '\u212a': // Kelvin
				c = 'k'
			default:
				continue
			}
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if at == len(lower) || c != lower[at] {
			return false
		}
		at++
	}
	return at == len(lower)
}

// withinFold reports whether a relative path is name or lies below it, in whatever case.
func withinFold(rest, name string) bool {
	n := len(name)
	return len(rest) >= n && (len(rest) == n || rest[n] == '/') && strings.EqualFold(rest[:n], name)
}
