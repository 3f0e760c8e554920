package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// begun is a stage with a fake install in it.
func begun(t testing.TB, s *Store) *Stage {
	t.Helper()
	g, err := s.Begin(t.Context(), wantedOf(t, "npm:server"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Abort() })
	fill(t, g.Folder, "lock")
	return g
}

func do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// deep makes folders in folders, by descriptors: the path is longer than any call takes.
func deep(t testing.TB, at string, folders int) {
	fd, err := unix.Open(at, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	do(t, err)
	for range folders {
		do(t, unix.Mkdirat(fd, "deep", 0o755))
		sub, err := unix.Openat(fd, "deep", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		do(t, err, unix.Close(fd))
		fd = sub
	}
	do(t, unix.Close(fd))
}

// What no package needs is refused and named, and the stage can be removed. Without it the same install is taken, which
// TestInstallAndFind shows.
func TestRefusedAtCommit(t *testing.T) {
	outside := tempHome(t) + "/outside"
	do(t, os.WriteFile(outside, []byte("secret"), 0o600))
	for _, c := range []struct {
		name string
		make func(at string)
		want string
	}{
		{"named pipe", func(at string) { do(t, unix.Mkfifo(at+"/x", 0o600)) }, `"node_modules/a/x" is a named pipe`},
		{"socket", func(at string) {
			do(t, unix.Mknod(at+"/x", unix.S_IFSOCK|0o600, 0))
		}, `"node_modules/a/x" is a socket`},
		{"hard link out", func(at string) { do(t, os.Link(outside, at+"/x")) }, `"node_modules/a/x" has another name`},
		{"absolute link", func(at string) { do(t, os.Symlink("/etc/passwd", at+"/x")) },
			`"node_modules/a/x" is a link out of the package: to "/etc/passwd"`},
		{"link up", func(at string) { do(t, os.Symlink("../../../x", at+"/x")) }, `"node_modules/a/x" is a link out`},
		{"link up through a link", func(at string) {
			do(t, os.MkdirAll(at+"/1/2/3", 0o755), os.Symlink("1/2", at+"/l"), os.Symlink("l/../../../../..", at+"/x"))
		}, `"node_modules/a/x" is a link out`},
		{"deep folders", func(at string) { deep(t, at, 4000) }, "is a folder in more than 128 others"},
		{"a manifest of its own", func(at string) {
			do(t, os.WriteFile(filepath.Dir(filepath.Dir(at))+"/"+ManifestName, nil, 0o644))
		}, `"mcp-sandbox.manifest" is a name that mcp-sandbox keeps`},
		{"a sparse file", func(at string) {
			do(t, os.WriteFile(at+"/x", nil, 0o644), os.Truncate(at+"/x", 1<<42))
		}, "larger than 64 GiB"},
		{"no lock file", func(at string) { do(t, os.Remove(at+"/../../package-lock.json")) }, "left no lock file"},
		{"a lock file that is a link", func(at string) {
			lock := at + "/../../package-lock.json"
			do(t, os.Remove(lock), os.Symlink("node_modules/a/index.js", lock))
		}, "left no lock file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openIn(t, tempHome(t))
			g := begun(t, s)
			c.make(g.Folder + "/node_modules/a")
			_, err := g.Commit(installed("server", "1.0.0"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			wantEmpty(t, s, g)
		})
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "secret" {
		t.Errorf("%q, %v", b, err)
	}
	if st, err := os.Stat(outside); err != nil || st.Mode() != 0o600 {
		t.Errorf("the file outside got the mode %v, %v", st.Mode(), err)
	}
}

// wantEmpty ends a stage and demands a store without a package.
func wantEmpty(t testing.TB, s *Store, g *Stage) {
	t.Helper()
	if err := g.Abort(); err != nil {
		t.Error(err)
	}
	for _, folder := range []string{"npm/*", ".stages/*", ".index/*", ".specs/*"} {
		if left, _ := filepath.Glob(s.Path + "/" + folder); len(left) > 0 {
			t.Errorf("left: %s", left)
		}
	}
}

func TestDeviceIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root alone makes devices")
	}
	s := openIn(t, tempHome(t))
	g := begun(t, s)
	do(t, unix.Mknod(g.Folder+"/null", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
	if _, err := g.Commit(installed("server", "1.0.0")); err == nil || !strings.Contains(err.Error(), `"null" is a device`) {
		t.Error(err)
	}
	wantEmpty(t, s, g)
}

// Odd names, modes and links that harm nobody are taken as they are, or mended.
func TestOddIsTaken(t *testing.T) {
	s := openIn(t, tempHome(t))
	g := begun(t, s)
	at := g.Folder + "/node_modules/a/"
	odd := []string{"new\nline", "\xff\xfe", "%41 space", "-", "...", " ", "ü", strings.Repeat("x", 255)}
	for _, name := range odd {
		do(t, os.WriteFile(at+name, []byte(name), 0o200))
	}
	do(t, os.Link(at+"index.js", at+"second"), os.Symlink("nothing/there", at+"dangling"), os.Symlink("circle", at+"circle"))
	do(t, os.MkdirAll(at+"closed/closed", 0o755), os.WriteFile(at+"closed/closed/file", []byte("x"), 0),
		os.Chmod(at+"closed/closed", 0), os.Chmod(at+"closed", 0o100))
	do(t, os.WriteFile(at+"setuid", []byte("x"), 0o755), os.Chmod(at+"setuid", os.ModeSetuid|os.ModeSetgid|os.ModeSticky|0o777))
	do(t, os.Symlink("/usr/bin/python3", at+"python"), os.Chmod(g.Folder, 0))
	g.Outside = []string{"/usr/bin/python3"}
	p, err := g.Commit(installed("server", "1.0.0"))
	do(t, err, p.Check())
	if d, err := p.Verify(); err != nil || len(d) > 0 {
		t.Errorf("%v, %v", d, err)
	}
	for path, want := range map[string]os.FileMode{"closed": 0o555 | os.ModeDir, "closed/closed": 0o555 | os.ModeDir,
		"closed/closed/file": 0o444, "setuid": 0o555, "second": 0o555, "new\nline": 0o444} {
		if st, err := os.Lstat(p.Path + "/node_modules/a/" + path); err != nil || st.Mode() != want {
			t.Errorf("%q: %v, %v, want %v", path, st.Mode(), err, want)
		}
	}
	do(t, p.Remove())
	wantEmpty(t, s, g)
}

// Abort removes whatever a package manager left.
func TestAbortRemovesAll(t *testing.T) {
	s := openIn(t, tempHome(t))
	g := begun(t, s)
	deep(t, g.Folder, 4000)
	do(t, os.MkdirAll(g.Folder+"/closed/closed/closed", 0o755), os.Chmod(g.Folder+"/closed/closed", 0), os.Chmod(g.Folder+"/closed", 0))
	do(t, unix.Mknod(g.Folder+"/socket", unix.S_IFSOCK, 0), unix.Mkfifo(g.Folder+"/pipe", 0), os.Symlink("/", g.Folder+"/root"))
	do(t, g.Drop("root"), g.Drop("deep"), g.Drop("closed"), g.Drop("not there"))
	for _, name := range []string{"root", "deep", "closed"} {
		if _, err := os.Lstat(g.Folder + "/" + name); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep(t, g.Folder, 300)
	wantEmpty(t, s, g)
}
