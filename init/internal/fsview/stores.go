package fsview

import "strings"

// A store is where a version manager keeps what it installed: path below a home or anywhere else, and how many
// components below it one installed thing is.
type store struct {
	path string
	deep int
}

// stores are the known ones. Nothing but tools and packages lies there.
func stores() [9]store {
	return [...]store{
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
}

// shims are folders with programs that choose a version and start it, and what those need to be seen.
func shims() [4][2]string {
	return [...][2]string{
		{"/.volta/bin", "/.volta"},
		{"/.pyenv/shims", "/.pyenv"},
		{"/.pyenv/bin", "/.pyenv"},
		{"/.local/share/mise/shims", "/.local/share/mise"},
	}
}

// storeItem finds the installed thing that path is part of.
func storeItem(path string) (item string, ok bool) {
	for _, s := range stores() {
		i := strings.Index(path, s.path+"/")
		if i < 0 {
			continue
		}
		end := i + len(s.path)
		for n := 0; n < s.deep && end < len(path); n++ {
			next := strings.IndexByte(path[end+1:], '/')
			if next < 0 {
				if n+1 < s.deep {
					end = len(path) + 1 // it is not even as deep as an item
					break
				}
				end = len(path)
				break
			}
			end += 1 + next
		}
		if end <= len(path) {
			return path[:end], true
		}
	}
	return "", false
}

func isStored(path string) bool {
	_, ok := storeItem(path)
	return ok
}

// shimStore is the version manager that a shim belongs to.
func shimStore(path string) (root string, ok bool) {
	for _, s := range shims() {
		if i := strings.Index(path, s[0]+"/"); i >= 0 {
			return path[:i] + s[1], true
		}
	}
	return "", false
}
