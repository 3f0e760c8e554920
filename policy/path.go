package policy

import (
	"path"
	"runtime"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// longestPath is PATH_MAX without its last byte; path_resolution(7).
const longestPath = 4095

// checkPath checks a path as it is written.
func checkPath(s string) error {
	p, _ := strings.CutPrefix(s, "-")
	switch {
	case s == "":
		return textError("the path is empty")
	case p == "":
		return invalid(s, "has no path behind the sign")
	case len(p) > longestPath && runtime.GOOS != "windows":
		return textError("a path of " + strconv.Itoa(len(p)) + " bytes: no file has one above " +
			strconv.Itoa(longestPath))
	case strings.IndexByte(p, '*') >= 0:
		return invalid(s, "is a pattern: paths are taken as they are, and a folder stands for all below it")
	case p[0] == '~' && len(p) > 1 && p[1] != '/':
		return invalid(s, "names another user's home: only ~/ is known; a file of that name is "+text.Quote("./"+p))
	}
	return checkText(s)
}

// checkFolder checks the working folder.
func checkFolder(s string) error {
	if strings.HasPrefix(s, "-") {
		return invalid(s, "cannot be optional")
	}
	return checkPath(s)
}

// checkGrant checks the path of a grant. Absolute checks a relative path again, and the launch a link.
func checkGrant(s string) error {
	if err := checkPath(s); err != nil {
		return err
	}
	p, _ := strings.CutPrefix(s, "-")
	if !absolute(p) {
		return nil
	}
	p = clean(p)
	if p == "/" {
		return invalid(s, "is the whole file system, which cannot be granted: filesystem.default read shows all of it")
	}
	for _, top := range [...]string{"/proc", "/sys", "/dev"} {
		if p == top || strings.HasPrefix(p, top) && p[len(top)] == '/' {
			return invalid(s, "cannot be granted: nothing of "+top+" can")
		}
	}
	return nil
}

// absolute reports whether a path starts from the root, on Windows from a drive or a share too.
func absolute(p string) bool { return strings.HasPrefix(p, "/") || onDrive(p) }

func onDrive(p string) bool {
	if runtime.GOOS != "windows" {
		return false
	}
	return strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// clean is path.Clean, which takes no ".." above the root.
func clean(p string) string {
	if onDrive(p) {
		return p
	}
	return path.Clean(p)
}
