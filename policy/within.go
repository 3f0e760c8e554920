package policy

import "strings"

// Within reports whether a clean, absolute path is a folder or lies below it.
func Within(path, folder string) bool { return path == folder || Below(path, folder) }

// Below reports whether a clean, absolute path lies below a folder.
func Below(path, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return len(path) > len(folder)+1 && path[len(folder)] == '/' && path[:len(folder)] == folder
}

// Upwards yields a clean path and the folders above it.
func Upwards(path string) func(yield func(at string) bool) {
	return func(yield func(string) bool) {
		for yield(path) && path != "/" {
			slash := strings.LastIndexByte(path, '/')
			if slash < 0 {
				return
			}
			path = path[:max(1, slash)]
		}
	}
}

// Decide returns the path whose entries decide about a path, and whether they grant: the more specific path wins, and
// of a grant and a denial of one path the denial. It is "" where no entry says anything.
func Decide(path string, says func(at string) (grants, denies bool)) (by string, granted bool) {
	for at := range Upwards(path) {
		if grants, denies := says(at); grants || denies {
			return at, !denies
		}
	}
	return "", false
}
