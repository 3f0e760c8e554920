package runtimes

import (
	"os"
	"strings"
	"time"
)

// ShortPath is the remedy where no folder of PATH has a program: the home is the user's, or "".
func ShortPath(home, program string) string {
	text := "a client's PATH is often shorter than a terminal's: write its whole path"
	if at := installed(home, program); at != "" {
		text += ", as " + at
	}
	return text
}

// installed is a program of that name where version managers and others put such below a home; of several the one in
// the newest folder. It is "" where there is none.
func installed(home, program string) (found string) {
	if !strings.HasPrefix(home, "/") || program == "" || strings.ContainsAny(program, "/*") {
		return ""
	}
	var newest time.Time
	for _, place := range places(program) {
		eachOf(home, place, func(at string) {
			folder, _ := os.Stat(at[:strings.LastIndexByte(at, '/')])
			if file, err := os.Stat(at); err == nil && file.Mode().IsRegular() && file.Mode()&0o111 != 0 &&
				folder != nil && folder.ModTime().After(newest) {
				found, newest = at, folder.ModTime()
			}
		})
	}
	return found
}

// eachOf calls do with each path that a pattern stands for, in which a star stands for one name.
func eachOf(above, pattern string, do func(path string)) {
	before, after, stars := strings.Cut(pattern, "*")
	if !stars {
		do(above + pattern)
		return
	}
	names, _ := os.ReadDir(above + before)
	for _, name := range names[:min(len(names), 100)] {
		eachOf(above+before+name.Name(), after, do)
	}
}

// places are where a program may lie below a home without being in PATH. A star stands for one name, as of a version.
func places(program string) (below []string) {
	for i := range table {
		for store := range strings.FieldsSeq(table[i].stores) {
			below = append(below, store+"/bin/"+program)
		}
		for _, s := range table[i].shims {
			below = append(below, strings.TrimSuffix(s.at, "*")+program)
		}
	}
	for _, folder := range [...]string{"/.local/bin/", "/.bun/bin/", "/.deno/bin/", "/.cargo/bin/", "/go/bin/"} {
		below = append(below, folder+program)
	}
	return below
}
