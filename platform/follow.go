package platform

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// ErrManyNames is the error of a path with more than 256 names on its way, those of links among them. The kernel goes
// through forty links, and each can have two thousand; path_resolution(7).
var ErrManyNames = errors.New("more than 256 names are on the way, with those of links")

// Follow is where a path leads, without links. With an error, as of a name that does not exist, the rest stands there
// as it was written, but after ErrManyNames nothing does. A path that is not absolute has no links.
func Follow(path string) (string, error) {
	const most, mostLinks = 256, 40
	if !filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if runtime.GOOS == "windows" {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			real = filepath.Clean(path)
		}
		return real, err
	}
	at, rest := "/", strings.Split(path, "/")
	if len(rest) <= most {
		if straight, err := isStraight(path); straight {
			return filepath.Clean(path), err
		}
	}
	links := 0
	for left := most - len(rest); len(rest) > 0; {
		if left < 0 {
			return "", ErrManyNames
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
		case err == nil && links == mostLinks:
			err = syscall.ELOOP
			fallthrough
		case err != nil:
			return filepath.Join(next, filepath.Join(rest...)), err
		case filepath.IsAbs(target):
			at = "/"
		}
		links++
		more := strings.Split(target, "/")
		left -= len(more)
		rest = append(more, rest...)
	}
	return at, nil
}

// Resolved is a path without links, or as it is where nothing is there.
func Resolved(path string) string {
	if real, err := Follow(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
