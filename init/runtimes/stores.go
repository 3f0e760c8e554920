package runtimes

import "strings"

// Stored finds the installed thing in a version manager's store that path is part of. Nothing but tools and packages
// lies in the stores.
func Stored(path string) (item string, ok bool) {
	for i := range table {
		for store := range strings.FieldsSeq(table[i].stores) {
			if item, ok = inStore(path, store); ok {
				return item, true
			}
		}
	}
	return "", false
}

// IsStoredIn reports whether path is a part of an installed thing in a version manager's store that lies at its own
// place in a home, and not in a home within that.
func IsStoredIn(home, path string) bool {
	rest, below := strings.CutPrefix(path, home)
	for i := range table {
		for store := range strings.FieldsSeq(table[i].stores) {
			if below && strings.HasPrefix(rest, store[:strings.IndexByte(store, '*')]) {
				return true
			}
		}
	}
	return false
}

func inStore(path, store string) (item string, ok bool) {
	first := strings.IndexByte(store, '*')
	above, below, ok := strings.Cut(path, store[:first])
	if !ok {
		return "", false
	}
	end := len(above) + first
	for n := strings.Count(store[first:], "*"); n > 0; n-- {
		name, _, more := strings.Cut(below, "/")
		if end += len(name); n == 1 || !more {
			return path[:end], n == 1 && name != ""
		}
		end, below = end+1, below[len(name)+1:]
	}
	return "", false
}

// Shim is the files that a program needs which is of no use by itself: folders of a version manager, between spaces,
// below the folder above.
func Shim(path string) (above, shows string, ok bool) {
	for i := range table {
		for _, s := range table[i].shims {
			folder, directly := strings.CutSuffix(s.at, "*")
			above, below, ok := strings.Cut(path, folder)
			if ok && !(directly && strings.Contains(below, "/")) {
				return above, s.shows, true
			}
		}
	}
	return "", "", false
}

// HomeOf is how the installation of a program is known that finds it by its own path, and the installation's folder.
func HomeOf(program string) (h *Home, prefix string, ok bool) {
	for i := range table {
		for j := range table[i].homes {
			h = &table[i].homes[j]
			if prefix, ok = strings.CutSuffix(program, h.program); ok && prefix != "" {
				return h, prefix, true
			}
		}
	}
	return nil, "", false
}

// IsLib reports whether folder lib of an installation has something of that name: node_modules, python3.12,
// python3.13t, jvm.cfg.
func IsLib(name string) bool {
	for i := range table {
		if lib := table[i].lib; lib != "" && (name == lib || isVersioned(name, lib)) {
			return true
		}
	}
	return false
}

// isVersioned reports whether a name is one with numbers in place of X and Y. A "t" behind these is a Python without a
// global lock.
func isVersioned(name, lib string) bool {
	lib, versioned := strings.CutSuffix(lib, "X.Y")
	rest, ok := strings.CutPrefix(name, lib)
	major, minor, dot := strings.Cut(rest, ".")
	return versioned && ok && dot && digits(major) && digits(strings.TrimSuffix(minor, "t"))
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
