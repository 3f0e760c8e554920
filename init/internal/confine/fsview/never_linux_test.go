package fsview

import (
	"slices"
	"testing"
)

// TestNever puts a program and the mark of an installation into folders of the host that hold more than one program, and
// into one below each, where they count. The paths are real ones, so the host is made up.
func TestNever(t *testing.T) {
	const home = "/data/people/u"
	for _, folder := range []string{"/", "/home", "/home/x", "/root", "/tmp", "/opt", "/srv", "/var", "/run", "/mnt", "/media", "/nix", "/gnu",
		"/boot", "/etc", "/usr", "/usr/local", "/bin", "/sbin", "/lib64", "/nix/store", "/gnu/store", "/data", "/data/people", "/data/own", home, home + "/.local", "/home/x/.local", "/srv/x/.local"} {
		if got := impliedAt(home, folder); len(got) != 0 {
			t.Errorf("a program in %s shows %q", join(folder, "bin"), got)
		}
		switch folder {
		case "/etc", "/boot", "/usr", "/usr/local", "/bin", "/sbin", "/lib64", "/nix/store", "/gnu/store", "/home":
			continue // what lies directly in them is no better
		}
		if got, want := impliedAt(home, join(folder, "app")), []string{join(folder, "app")}; !slices.Equal(got, want) {
			t.Errorf("a program in %s shows %q, want %q", join(folder, "app/bin"), got, want)
		}
	}
}

// impliedAt is what is shown for a program PREFIX/bin/srv beside PREFIX/pyvenv.cfg.
func impliedAt(home, prefix string) []string {
	r := Request{Neighbours: Neighbours{Homes: []string{"/data/own"}}}
	p := toolchains{newTree(&r)}
	p.homes = []string{home}
	p.points.setGenerated("/run", folder, 0o755, "")
	for _, path := range []string{join(prefix, "pyvenv.cfg"), join(prefix, "bin")} {
		for ; p.lookups.seen[path] == nil; path = dirOf(path) {
			p.lookups.seen[path] = &looked{entry: entry{mode: typeFolder | 0o755}}
		}
	}
	p.prefix(join(prefix, "bin/srv"))
	return p.implied
}
