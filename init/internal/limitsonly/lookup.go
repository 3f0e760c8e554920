package limitsonly

import (
	"errors"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
)

// errExtension is a file that Windows cannot start by itself.
var errExtension = errors.New("it is no .exe, .com, .cmd or .bat file")

// findWindows finds a command as Windows names them. A name with a separator is a file, relative to dir;
// other names are looked up in path, without its empty and relative entries, and never in the working folder.
// An extension may be left out: those of pathext are tried which CreateProcess can start.
func findWindows(name, dir, path, pathext string, exists func(string) bool) (string, error) {
	// CreateProcess drops a point or a space at the end, after the extension was looked at.
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return "", &fsview.CommandError{Path: name, Kind: fsview.ErrNotExecutable, Err: errExtension}
	}
	var folders []string
	if strings.ContainsAny(name, `/\:`) {
		if !rooted(name) {
			name = strings.TrimRight(dir, `/\`) + `\` + name
		}
		folders = []string{""}
	} else {
		for entry := range strings.SplitSeq(path, ";") {
			entry = strings.Trim(entry, `"`)
			if rooted(entry) {
				folders = append(folders, strings.TrimRight(entry, `/\`)+`\`)
			}
		}
	}
	plain := ""
	for _, f := range folders {
		at := strings.ReplaceAll(f+name, "/", `\`)
		if startable(at) && exists(at) {
			return at, nil
		}
		for _, ext := range extensions(pathext) {
			if exists(at + ext) {
				return at + ext, nil
			}
		}
		if plain == "" && exists(at) {
			plain = at
		}
	}
	if plain != "" {
		return "", &fsview.CommandError{Path: plain, Kind: fsview.ErrNotExecutable, Err: errExtension}
	}
	return "", &fsview.CommandError{Path: name, Kind: fsview.ErrNotFound}
}

// rooted reports whether a path starts from a drive's root or a share.
func rooted(p string) bool {
	separator := func(c byte) bool { return c == '\\' || c == '/' }
	return len(p) > 2 && p[1] == ':' && separator(p[2]) || len(p) > 2 && separator(p[0]) && separator(p[1])
}

// startable reports whether CreateProcess starts a file of this name: a program, or a script by way of cmd.exe.
func startable(path string) bool {
	path = strings.ToLower(path)
	return isBatch(path) || strings.HasSuffix(path, ".exe") || strings.HasSuffix(path, ".com")
}

func extensions(pathext string) []string {
	var list []string
	for ext := range strings.SplitSeq(strings.ToLower(pathext), ";") {
		if strings.HasPrefix(ext, ".") && startable(ext) {
			list = append(list, ext)
		}
	}
	if len(list) == 0 {
		list = []string{".com", ".exe", ".bat", ".cmd"}
	}
	return list
}
