package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// mostSteps bounds the names on the way of one path that a variable names, with those of the links on that way: a link
// can have thousands, of which the kernel goes through forty.
const mostSteps = 256

// errManySteps is the error of a path with more.
var errManySteps = fmt.Errorf("more than %d names are on the way, with those of links", mostSteps)

// follow is where an absolute path leads, without links.
func follow(path string) (string, error) {
	if runtime.GOOS == "windows" {
		return filepath.EvalSymlinks(path)
	}
	at, rest, left := "/", strings.Split(path, "/"), mostSteps
	for left -= len(rest); len(rest) > 0; {
		if left < 0 {
			return "", errManySteps
		}
		name := rest[0]
		rest = rest[1:]
		next := filepath.Join(at, name) // as the kernel has it: at has no links
		if name == "" || name == "." || name == ".." {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		switch {
		case errors.Is(err, syscall.EINVAL): // no link
			at = next
			continue
		case err != nil:
			return "", err
		case filepath.IsAbs(target):
			at = "/"
		}
		more := strings.Split(target, "/")
		left -= len(more)
		rest = append(more, rest...)
	}
	return at, nil
}

// resolved is a path without links, or as it is.
func resolved(path string) string {
	if filepath.IsAbs(path) {
		if real, err := follow(path); err == nil {
			return real
		}
	}
	return filepath.Clean(path)
}
