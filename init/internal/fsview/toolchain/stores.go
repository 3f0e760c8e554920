// Package toolchain knows how programs come to run: the first lines of scripts, the layout of installations of Node and
// Python, the stores of version managers, and the programs that work by starting others. The package reads names and
// texts alone, not the file system.
package toolchain

import "strings"

// A store is the place of a version manager's installations: path below a home or anywhere else, and how many
// components below it one installed thing is.
type store struct {
	path string
	deep int
}

// stores are the known ones. Nothing but tools and packages lies there.
var stores = [...]store{
	{"/.nvm/versions/node", 1},
	{"/.local/share/fnm/node-versions", 1},
	{"/.fnm/node-versions", 1},
	{"/.local/share/mise/installs", 2},
	{"/.volta/tools/image", 2},
	{"/.pyenv/versions", 1},
	{"/.local/share/uv/python", 1},
	{"/.local/share/uv/tools", 1},
	{"/hostedtoolcache", 3},
}

// shims are folders with programs that choose a version and start it, and what those need to be seen.
var shims = [...][2]string{
	{"/.volta/bin", "/.volta"},
	{"/.pyenv/shims", "/.pyenv"},
	{"/.pyenv/bin", "/.pyenv"},
	{"/.local/share/mise/shims", "/.local/share/mise"},
}

// Stored finds the installed thing in a version store that path is part of.
func Stored(path string) (item string, ok bool) {
	for _, s := range stores {
		_, below, ok := strings.Cut(path, s.path+"/")
		if !ok {
			continue
		}
		parts := strings.SplitN(below, "/", s.deep+1)
		if len(parts) < s.deep {
			continue // it is not even as deep as one thing
		}
		end := len(path)
		if len(parts) > s.deep {
			end -= len(parts[s.deep]) + 1
		}
		return path[:end], true
	}
	return "", false
}

// Shim is the version manager's folder that a shim belongs to.
func Shim(path string) (root string, ok bool) {
	for _, s := range shims {
		if above, _, ok := strings.Cut(path, s[0]+"/"); ok {
			return above + s[1], true
		}
	}
	return "", false
}
