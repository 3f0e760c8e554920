package fsview

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// How many names, and bytes of them, are reported of a server that makes many or long ones.
const (
	maxAppeared      = 64
	maxAppearedBytes = 16 << 10
)

// Appeared looks once more for the protected names, and returns those that were not there when the server started,
// the highest ones first, and how many more there are. A folder that cannot be looked into any more is one.
// Unfinished is a folder that has too much to search to the end, or for which there was no time, or "".
func (v *View) Appeared(within time.Duration) (paths []string, more int, unfinished string) {
	found := make(map[string]bool)
	known := func(path string) bool { return v.watched.known[path] }
	skip := func(path string) bool { return known(path) || v.watched.passed[path] }
	s := search{buf: make([]byte, 8<<10), until: time.Now().Add(within), skip: skip}
	for _, root := range v.watched.searched {
		s.left, s.found = v.watched.folders, nil
		if err := s.tree(root); err != nil {
			s.found = append(s.found, finding{path: root, err: err})
		}
		for _, f := range s.found {
			switch {
			case known(f.path):
			case f.whole && f.err == nil, errors.Is(f.err, errLate): // and may have been there before
				unfinished = f.path
			default:
				found[f.path] = true
			}
		}
	}
	now := newLookups()
	for _, path := range v.watched.awaited {
		if _, err := now.resolve(path); !missing(err) {
			found[path] = true
		}
	}
	for path := range found {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), comparePaths(a, b))
	})
	size := 0
	for i, path := range paths {
		if size += len(path); i == maxAppeared || size > maxAppearedBytes {
			return paths[:i], len(paths) - i, unfinished
		}
	}
	return paths, 0, unfinished
}
