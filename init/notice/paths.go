package notice

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy"
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
		if address, ok := strings.CutPrefix(word, "file://"); ok {
			word = strings.ReplaceAll(address, "%20", " ")
		}
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

// PathVariables are variables with a path, a list of paths with colons, or an address with a path in it as the value.
// Those that every server gets have a meaning of their own, and those of a session count if the policy names them.
func PathVariables(env []string, named func(variable string) bool) (found []PathVariable) {
	const others = " HOME PATH SHELL PWD NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR NIX_SSL_CERT_FILE TZ LANG TERM "
	for _, entry := range env {
		variable, value, _ := strings.Cut(entry, "=")
		if strings.Contains(others, " "+variable+" ") || IsSession(variable) && !named(variable) {
			continue
		}
		for _, at := range pathsIn(value) {
			if len(found) == maxPaths {
				return found
			}
			found = append(found, PathVariable{variable, at})
		}
	}
	return found
}

// pathsIn are the absolute paths of a value.
func pathsIn(value string) (paths []string) {
	add := func(at string) {
		if strings.HasPrefix(at, "/") && len(at) < 4096 {
			paths = append(paths, path.Clean(at))
		}
	}
	if strings.HasPrefix(value, "/") {
		for part := range strings.SplitSeq(value, ":") {
			add(part)
		}
		return paths
	}
	if len(value) > 4096 || strings.ContainsAny(value, "\n{") { // a text or a document
		return nil
	}
	// unix:path=/a,guid=1 file:///a sqlite:////a http+unix://%2Fa/b postgres:///db?host=/a "host=/a user=b"
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("?&,; ", r) }) {
		if name, rest, ok := strings.Cut(part, "="); ok && isWord(name, "_-.:") {
			if part = rest; strings.HasSuffix(name, "abstract") { // of D-Bus: a socket without a file
				continue
			}
		} else if i := strings.Index(part, ":/"); i > 0 && isWord(part[:i], "+-.:") {
			part = part[i+1:]
		}
		add(pathOfAddress(part))
	}
	return paths
}

// pathOfAddress is the path in the part of an address behind its scheme; "" where a host is there.
func pathOfAddress(rest string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
	switch {
	case strings.HasPrefix(rest, "//") && strings.HasPrefix(strings.ToUpper(host), "%2F"):
		return strings.ReplaceAll(strings.ReplaceAll(host, "%2F", "/"), "%2f", "/")
	case strings.HasPrefix(rest, "//") && host != "":
		return ""
	}
	return rest
}

// GrantFor is the folder or file to grant for an argument: of a program among others in node_modules the folder that
// has all of them, of a script its folder.
func GrantFor(command []string, at, home string) string {
	if i := strings.Index(at+"/", "/node_modules/"); i > 0 {
		return at[:i]
	}
	script := IsScript(command, at) && path.Clean(command[1]) == at
	if folder := path.Dir(at); script && folder != home && strings.Count(folder, "/") > 1 {
		return folder
	}
	return at
}

// PackageOf is the folder to read for a script in a folder: the nearest that has a manifest or packages, or the highest
// above with packages, where a workspace has those of all its parts. Neither the home nor a folder above it.
func PackageOf(folder, home string, has func(at string) bool) string {
	manifests := []string{"package.json", "pyproject.toml", "deno.json"}
	found := ""
	for at := folder; !policy.Within(home, at) && strings.Count(at, "/") > 1; at = path.Dir(at) {
		if has(at+"/node_modules") || found == "" && slices.ContainsFunc(manifests, func(name string) bool {
			return has(at + "/" + name)
		}) {
			found = at
		}
	}
	return cmp.Or(found, folder)
}

// IsScript reports whether a path, which is absolute, is the script of a command.
func IsScript(command []string, at string) bool {
	return len(command) > 1 && path.Ext(at) != "" && runs(command[0]) && !strings.HasPrefix(command[1], "-") &&
		strings.HasSuffix(at, path.Clean("/"+command[1]))
}

// runs reports whether a program runs scripts that have other files beside them; a shell's scripts seldom have.
func runs(program string) bool {
	base := path.Base(program)
	return runtimes.Interprets(base) && !runtimes.Starts(base)
}
