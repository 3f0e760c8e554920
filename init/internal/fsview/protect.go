package fsview

// startsCode reports whether path is what a protected name guards against, or lies in it at any depth. The checkouts that
// agents keep in .claude/worktrees and .cursor/worktrees are not read as settings, only worked in.
func startsCode(path string) bool {
	for ; path != "/"; path = dirOf(path) {
		above := dirOf(path)
		if agent := baseOf(dirOf(above)); baseOf(above) == "worktrees" && (agent == ".claude" || agent == ".cursor") {
			return startsCode(dirOf(dirOf(above)))
		}
		if base := []byte(baseOf(path)); guards(base) && !versioned(string(base)) {
			return true
		}
		for i := range rooted {
			if cut := len(path) - len(rooted[i]); cut > 1 && path[cut-1] == '/' && withinFold(path[cut:], rooted[i]) {
				return true
			}
		}
	}
	return false
}

// inRepository reports whether path is a .git or the like, or part of one.
func inRepository(path string) bool {
	for ; path != "/"; path = dirOf(path) {
		if versioned(baseOf(path)) {
			return true
		}
	}
	return false
}

// gitPart is a bit for each of the names by which git knows a repository in any folder, bare or not.
func gitPart(name []byte) uint8 {
	switch len(name) {
	case 4, 7, 9:
		for i, part := range [...]string{"head", "objects", "refs", "commondir"} {
			if sameFold(name, part) {
				return 1 << i
			}
		}
	}
	return 0
}

// isRepository reports whether these are enough: HEAD, and objects and refs, or a file that names the folder of both.
func isRepository(parts uint8) bool { return parts&1 != 0 && (parts&6 == 6 || parts&8 != 0) }

// parseGitFile reads a worktree's or a submodule's .git file: "gitdir: PATH"; gitrepository-layout(5).
func parseGitFile(b []byte) (path string, ok bool) {
	const key = "gitdir: "
	s := string(b)
	if len(s) <= len(key) || s[:len(key)] != key {
		return "", false
	}
	return oneLine(s[len(key):])
}

// oneLine is a path alone in a file, without its newline.
func oneLine(s string) (string, bool) {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || s[i] == 0 {
			return "", false
		}
	}
	return s, s != ""
}
