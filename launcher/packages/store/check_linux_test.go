package store

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// change changes a file in a package's folder as its owner can, who gives himself the right first.
func change(t testing.TB, path string, do func()) {
	t.Helper()
	for _, p := range []string{filepath.Dir(path), path} {
		if st, err := os.Lstat(p); err == nil && st.Mode()&os.ModeSymlink == 0 {
			if err := os.Chmod(p, st.Mode()|0o200); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(p, st.Mode())
		}
	}
	do()
}

// flip changes the first byte of a file, and puts back size, mode and mtime.
func flip(t testing.TB, path string) {
	t.Helper()
	var st unix.Stat_t
	do(t, unix.Stat(path, &st))
	change(t, path, func() {
		b, err := os.ReadFile(path)
		b[0] ^= 1
		do(t, err, os.WriteFile(path, b, 0o644))
	})
	do(t, unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{st.Atim, st.Mtim}, 0))
	var now unix.Stat_t
	do(t, unix.Stat(path, &now))
	if now.Size != st.Size || now.Mode != st.Mode || now.Mtim != st.Mtim || now.Ino != st.Ino {
		t.Fatal("the change shows in size, mode, mtime or inode: it proves nothing")
	}
}

// Each change is found by the next start, and named with what to type. Before it the same package is in order.
func TestCheckFinds(t *testing.T) {
	const file = "node_modules/a/index.js"
	for _, c := range []struct {
		name   string
		change func(at string)
		want   string
	}{
		{"a byte, with size, mode and mtime put back", func(at string) { flip(t, at+"/"+file) }, file + ": has another content"},
		{"a byte of the manifest", func(at string) { flip(t, at+"/"+ManifestName) }, ManifestName + ": has another content"},
		{"a new file", func(at string) {
			change(t, at+"/node_modules/new", func() { do(t, os.WriteFile(at+"/node_modules/new", nil, 0o444)) })
		}, "node_modules/new: was added"},
		{"a new folder", func(at string) {
			change(t, at+"/new", func() { do(t, os.Mkdir(at+"/new", 0o555)) })
		}, "new: was added"},
		{"a missing file", func(at string) {
			change(t, at+"/"+file, func() { do(t, os.Remove(at+"/"+file)) })
		}, file + ": is missing"},
		{"another file of that content", func(at string) {
			change(t, at+"/"+file, func() {
				do(t, os.WriteFile(at+"/"+file+"2", []byte("console.log(2)\n"), 0o555), os.Rename(at+"/"+file+"2", at+"/"+file))
			})
		}, file + ": has another content"},
		{"a mode", func(at string) { do(t, os.Chmod(at+"/"+file, 0o4555|os.ModeSetuid)) }, file + ": has the mode 4555"},
		{"a link elsewhere", func(at string) {
			link := at + "/node_modules/.bin/a"
			change(t, link, func() { do(t, os.Remove(link), os.Symlink("../a/package.json", link)) })
		}, "node_modules/.bin/a: leads elsewhere"},
		{"a file in place of a folder", func(at string) {
			bin := at + "/node_modules/.bin"
			change(t, bin, func() {
				do(t, os.Chmod(bin, 0o755), os.RemoveAll(bin), os.WriteFile(bin, nil, 0o444))
			})
		}, "node_modules/.bin: is of another kind"},
		{"a second name outside", func(at string) {
			do(t, os.Link(at+"/"+file, filepath.Dir(at)+"/second"))
			flip(t, filepath.Dir(at)+"/second")
		}, file + ": has another content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openIn(t, tempHome(t))
			p := install(t, s, "npm:server", installed("server", "1.0.0"), "lock")
			do(t, p.Check())
			c.change(p.Path)
			for range 2 { // a difference stays one
				err := p.Check()
				changed, ok := errors.AsType[*Changed](err)
				if !ok || changed.First.Path+": "+changed.First.What != c.want ||
					!strings.Contains(err.Error(), "`mcp-sandbox store update server`") {
					t.Errorf("%v, want %s", err, c.want)
				}
			}
			if all, err := p.Verify(); err != nil || len(all) == 0 || all[0].Path+": "+all[0].What != c.want {
				t.Errorf("verify: %q, %v, want %s", all, err, c.want)
			}
		})
	}
}

// looked is the time of a package's record of the last comparison, which an unchanged folder does not renew.
func looked(t testing.TB, s *Store) (ino uint64) {
	all, err := filepath.Glob(s.Path + "/.index/*")
	var st unix.Stat_t
	if err != nil || len(all) != 1 || unix.Stat(all[0], &st) != nil {
		t.Fatal(all, err)
	}
	return st.Ino
}

// A home that was moved or restored has other inodes, ctimes and devices: the files are read once, and then no more.
func TestCheckOfACopy(t *testing.T) {
	home, copied := tempHome(t), tempHome(t)
	s := openIn(t, home)
	p := install(t, s, "npm:server", installed("server", "1.0.0"), "lock")
	before := looked(t, s)
	do(t, p.Check())
	if looked(t, s) != before {
		t.Error("a folder that did not change was read")
	}
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", home+"/.local", copied).CombinedOutput(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	s = openIn(t, copied)
	p, err := s.Find(wantedOf(t, "npm:server"), 0)
	do(t, err)
	before = looked(t, s)
	do(t, p.Check())
	after := looked(t, s)
	do(t, p.Check())
	if after == before || looked(t, s) != after {
		t.Error("the copy was read not once: never, or each time")
	}
	flip(t, p.Path+"/node_modules/a/index.js")
	if _, ok := errors.AsType[*Changed](p.Check()); !ok {
		t.Error("a change of the copy is not found")
	}
}

// Without its record a package is read as a whole, and a changed one is found.
func TestCheckWithoutRecord(t *testing.T) {
	for _, damage := range []func(path string) error{os.Remove, func(path string) error { return os.Truncate(path, 100) }} {
		s := openIn(t, tempHome(t))
		p := install(t, s, "npm:server", installed("server", "1.0.0"), "lock")
		all, _ := filepath.Glob(s.Path + "/.index/*")
		do(t, damage(all[0]), p.Check(), p.Check())
		if looked(t, s) == 0 {
			t.Error("no record")
		}
		do(t, damage(all[0]))
		flip(t, p.Path+"/node_modules/a/index.js")
		if _, ok := errors.AsType[*Changed](p.Check()); !ok {
			t.Error("a change is not found")
		}
	}
}

// A package without its manifest is named as a list names packages, and found by that name.
func TestCheckWithoutManifest(t *testing.T) {
	s := openIn(t, tempHome(t))
	p := install(t, s, "npm:@x/server", installed("@x/server", "1.0.0"), "lock")
	for _, name := range []string{"@x/server", "npm:@x/server", "npm:@x/server@1.0.0", "@x/server@1.0.0"} {
		if all, err := s.Show(name); err != nil || len(all) != 1 {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
	change(t, p.Path+"/"+ManifestName, func() { do(t, os.Remove(p.Path+"/"+ManifestName)) })
	const want = ManifestName + ": cannot be read (no such file or directory), after npm:@x/server 1.0.0 was installed: " +
		"`mcp-sandbox store update @x/server` installs it anew"
	for _, name := range []string{"@x/server", "npm:@x/server", "npm:@x/server@1.0.0"} {
		if _, err := s.Show(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// A changed package is replaced by an install, and a server that runs from the old folder keeps its files.
func TestUpdateReplaces(t *testing.T) {
	s := openIn(t, tempHome(t))
	p := install(t, s, "npm:server", installed("server", "1.0.0"), "lock")
	flip(t, p.Path+"/node_modules/a/index.js")
	running, err := folder.Open(unix.AT_FDCWD, p.Path)
	do(t, err, unix.Flock(running, unix.LOCK_SH|unix.LOCK_NB))
	again := install(t, s, "npm:server", installed("server", "1.0.0"), "lock")
	if again.Path != p.Path {
		t.Errorf("it lies at %s, not at %s", again.Path, p.Path)
	}
	do(t, again.Check())
	same := install(t, s, "npm:server", installed("server", "1.0.0"), "lock")
	if !same.Installed.Equal(again.Installed) {
		t.Error("a package that is whole was replaced")
	}
	if fd, err := unix.Openat(running, "node_modules/a/index.js", unix.O_RDONLY, 0); err != nil {
		t.Errorf("what a server runs from is gone: %v", err)
	} else {
		unix.Close(fd)
	}
	do(t, unix.Close(running))
	if _, err := s.Prune(-1); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(s.Path + "/.stages/*"); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}
