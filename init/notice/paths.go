package notice

import (
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/runtimes"
)

// maxPaths is how many paths of a command, and of its variables, are looked at.
const maxPaths = 8

// Arguments are those of a command's words that are paths. dir is the folder of relative ones; with "" they are left
// out.
func Arguments(words []string, dir string) (paths []string) {
	for _, word := range words {
		if strings.HasPrefix(word, "-") { // --root=/srv
			_, word, _ = strings.Cut(word, "=")
		}
		word, _ = strings.CutPrefix(word, "file://")
		switch {
		case len(paths) == maxPaths:
			return paths
		case strings.HasPrefix(word, "/") && len(word) < 4096:
			paths = append(paths, path.Clean(word))
		case dir != "" && strings.Contains(word, "/") && !strings.Contains(word, ":") && len(word) < 4096:
			paths = append(paths, path.Clean(dir+"/"+word))
		}
	}
	return paths
}

// A PathVariable is a variable with one of the paths in its value.
type PathVariable struct{ Name, Path string }

// PathVariables are variables whose value is a path, or a list of paths with colons. Those that every server gets
// have a meaning of their own.
func PathVariables(env []string) (found []PathVariable) {
	const others = " HOME PATH SHELL PWD NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR NIX_SSL_CERT_FILE TZ LANG TERM "
	for _, entry := range env {
		variable, value, _ := strings.Cut(entry, "=")
		if value == "" || value[0] != '/' || IsSession(variable) || strings.Contains(others, " "+variable+" ") {
			continue
		}
		for part := range strings.SplitSeq(value, ":") {
			if len(found) == maxPaths {
				return found
			}
			if strings.HasPrefix(part, "/") && len(part) < 4096 {
				found = append(found, PathVariable{variable, path.Clean(part)})
			}
		}
	}
	return found
}

// GrantFor is the folder or file to grant for an argument: of a program among others in node_modules the folder that
// has all of them, of a script its folder.
func GrantFor(command []string, at, home string) string {
	if i := strings.Index(at+"/", "/node_modules/"); i > 0 {
		return at[:i]
	}
	script := len(command) > 1 && path.Clean(command[1]) == at && path.Ext(at) != ""
	if folder := path.Dir(at); script && runs(command[0]) && folder != home && strings.Count(folder, "/") > 1 {
		return folder
	}
	return at
}

// runs reports whether a program runs scripts, which have other files beside them: no shell, whose scripts seldom have.
func runs(program string) bool {
	base := path.Base(program)
	return runtimes.Interprets(base) && !runtimes.Starts(base)
}
