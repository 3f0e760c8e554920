package mcphosts

import (
	"path"
	"strings"
)

// A Machine is whose files are meant. OS is a value of runtime.GOOS.
type Machine struct {
	OS     string              // "linux", "darwin" or "windows"
	Home   string              // absolute
	Getenv func(string) string // as os.Getenv
}

// A root is a folder with which a path of the table may begin: the value of a variable, if that is absolute, else a
// folder below the home.
type root struct{ os, name, variable, below string }

var roots = [...]root{
	{"", "~", "", ""},
	{"linux", "$APP", "XDG_CONFIG_HOME", ".config"}, // of desktop programs, as Electron has it
	{"darwin", "$APP", "", "Library/Application Support"},
	{"windows", "$APP", "APPDATA", "AppData/Roaming"},
	{"windows", "$LOCAL", "LOCALAPPDATA", "AppData/Local"},
	{"", "$XDG", "XDG_CONFIG_HOME", ".config"}, // of programs that go by the XDG's folders on every system
	{"", "$CLAUDE_CONFIG_DIR", "CLAUDE_CONFIG_DIR", ""},
	{"", "$CODEX_HOME", "CODEX_HOME", ".codex"},
	{"", "$COPILOT_HOME", "COPILOT_HOME", ".copilot"},
}

// Paths are where the file can lie for a user, absolute and in the system's spelling. A part of a path may hold one *,
// for any characters. There are none for a project's file.
func (f *File) Paths(m Machine) []string {
	p := f.Path
	if m.OS == "windows" && f.Windows != "" {
		p = f.Windows
	}
	if p == "" {
		return nil
	}
	first, rest, _ := strings.Cut(p, "/")
	return m.join(m.root(first), rest)
}

// In are where the file can lie in a project. There are none for a user's file.
func (f *File) In(project string, m Machine) []string {
	if f.Project == "" {
		return nil
	}
	return m.join(project, f.Project)
}

func (m Machine) root(name string) string {
	for _, r := range roots {
		if r.name != name || r.os != "" && r.os != m.OS && (r.os != "linux" || m.OS == "darwin" || m.OS == "windows") {
			continue
		}
		if r.variable != "" {
			if value := m.Getenv(r.variable); m.absolute(value) {
				return value
			}
		}
		return m.native(m.Home, r.below)
	}
	return m.Home
}

func (m Machine) absolute(value string) bool {
	if m.OS == "windows" {
		return len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/')
	}
	return path.IsAbs(value)
}

func (m Machine) join(folder, rest string) []string {
	var all []string
	for _, one := range alternatives(rest) {
		all = append(all, m.native(folder, one))
	}
	return all
}

func (m Machine) native(folder, rest string) string {
	if rest == "" {
		return folder
	}
	separator := "/"
	if m.OS == "windows" {
		separator, rest = `\`, strings.ReplaceAll(rest, "/", `\`)
	}
	return strings.TrimSuffix(folder, separator) + separator + rest
}

// alternatives are the paths that a path with braces stands for, in their order.
func alternatives(p string) []string {
	before, rest, found := strings.Cut(p, "{")
	inside, after, _ := strings.Cut(rest, "}")
	if !found {
		return []string{p}
	}
	var all []string
	for one := range strings.SplitSeq(inside, ",") {
		for _, tail := range alternatives(after) {
			all = append(all, before+one+tail)
		}
	}
	return all
}
