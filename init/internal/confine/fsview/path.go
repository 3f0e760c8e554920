package fsview

import "strings"

// dirOf is the folder that holds an absolute, clean path; "/" holds itself.
func dirOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

// baseOf is the last component of an absolute, clean path.
func baseOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func join(folder, name string) string {
	if folder == "/" {
		return folder + name
	}
	return folder + "/" + name
}

// comparePaths compares paths so that a folder comes directly before all that lies below it: '/' is the lowest byte.
func comparePaths(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		switch x, y := a[i], b[i]; {
		case x == y:
		case x == '/' || y != '/' && x < y:
			return -1
		default:
			return 1
		}
	}
	return len(a) - len(b)
}
