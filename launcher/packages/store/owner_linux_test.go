package store

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A launcher of root's hands the folder to the server's user, and Commit takes all back. The folders above are closed to
// that user, so the writer below begins in the folder, as a sandbox does by a mount.
func TestRootLauncher(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root alone gives files away")
	}
	const uid = 65533
	s := openIn(t, tempHome(t))
	g, err := s.Begin(t.Context(), wantedOf(t, "npm:server"), nil)
	do(t, err, g.Give(uid, uid))
	defer g.Abort()
	// the shell is in the folder before setpriv takes root's rights
	c := exec.CommandContext(t.Context(), "setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups", "sh", "-c",
		`set -e; echo lock >package-lock.json; mkdir -p node_modules/closed; echo x >node_modules/closed/file
ln -s closed/file node_modules/link; chmod 0 node_modules/closed/file node_modules/closed; chmod 0500 .
! cat `+s.Path+`/.stages/*/package/package-lock.json 2>/dev/null`)
	c.Dir = g.Folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	p, err := g.Commit(installed("server", "1.0.0"))
	do(t, err, p.Check())
	do(t, filepath.WalkDir(p.Path, func(path string, _ os.DirEntry, err error) error {
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil || st.Uid != 0 || st.Gid != 0 {
			t.Errorf("%s is of %d:%d, %v", path, st.Uid, st.Gid, err)
		}
		return err
	}))
	// the server's user can read all once a sandbox shows the folder
	c = exec.CommandContext(t.Context(), "setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups", "sh", "-c",
		"cat node_modules/link node_modules/closed/file package-lock.json >/dev/null && ! echo x 2>/dev/null >node_modules/new")
	c.Dir = p.Path
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s, %v", out, err)
	}
}

// A file of a third user, which a hard link or a device of another file system may bring, is refused.
func TestForeignFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root alone gives files away")
	}
	s := openIn(t, tempHome(t))
	g := begun(t, s)
	do(t, os.Lchown(g.Folder+"/package-lock.json", 4711, 4711))
	_, err := g.Commit(installed("server", "1.0.0"))
	if err == nil || !strings.Contains(err.Error(), `"package-lock.json" belongs to user 4711`) {
		t.Error(err)
	}
	wantEmpty(t, s, g)
}

// A folder that another user owns, could write to or could put in place is no store.
func TestForeignStore(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root alone gives files away")
	}
	const store = "/.local/share/mcp-sandbox/store"
	for _, c := range []struct {
		name string
		make func(home string)
		want string
	}{
		{"another user's", func(home string) { do(t, os.Chown(home+store, 4711, 4711)) }, "user 4711 owns it"},
		{"a link", func(home string) {
			do(t, os.Rename(home+store, home+"/elsewhere"), os.Symlink(home+"/elsewhere", home+store))
		}, "it is no folder"},
		{"another user's above", func(home string) { do(t, os.Chown(home+"/.local", 4711, 4711)) }, "user 4711 owns this folder"},
		{"all may write above", func(home string) { do(t, os.Chmod(home+"/.local", 0o777)) }, "others may write to this folder"},
		{"another user's records", func(home string) { do(t, os.Chown(home+store+"/.specs", 4711, 4711)) }, "user 4711 owns it"},
	} {
		home := tempHome(t)
		openIn(t, home)
		c.make(home)
		_, err := Open(func(name string) string { return map[string]string{"HOME": home}[name] })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Modes that the user widened by mistake are mended.
func TestModesAreMended(t *testing.T) {
	home := tempHome(t)
	s := openIn(t, home)
	install(t, s, "npm:@a/b", installed("@a/b", "1.0.0"), "lock")
	for _, folder := range []string{"", "/npm", "/npm/@a", "/npm/@a/b", "/.index"} {
		do(t, os.Chmod(s.Path+folder, 0o777))
	}
	s = openIn(t, home)
	p, err := s.Find(wantedOf(t, "npm:@a/b"), 0)
	do(t, err, p.Check())
	for _, folder := range []string{"", "/npm", "/npm/@a", "/npm/@a/b", "/.index"} {
		if st, err := os.Lstat(s.Path + folder); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%q: %v, %v", folder, st.Mode(), err)
		}
	}
}

// A package manager that left a process behind cannot change what was installed: its descriptors write to files whose
// ctime then differs.
func TestWriterThatStays(t *testing.T) {
	s := openIn(t, tempHome(t))
	g := begun(t, s)
	f, err := os.OpenFile(g.Folder+"/node_modules/a/index.js", os.O_WRONLY, 0)
	do(t, err)
	defer f.Close()
	p, err := g.Commit(installed("server", "1.0.0"))
	do(t, err, p.Check())
	_, err = f.WriteAt([]byte("C"), 0)
	do(t, err)
	if _, ok := errors.AsType[*Changed](p.Check()); !ok {
		t.Error("a write by a descriptor from before is not found")
	}
}

// The end of the context ends a Commit that has much to read.
func TestCommitEnds(t *testing.T) {
	s := openIn(t, tempHome(t))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	g, err := s.Begin(ctx, wantedOf(t, "npm:server"), nil)
	do(t, err)
	fill(t, g.Folder, "lock")
	do(t, os.WriteFile(g.Folder+"/large", nil, 0o644), os.Truncate(g.Folder+"/large", 60<<30)) // sparse
	began := time.Now()
	if _, err := g.Commit(installed("server", "1.0.0")); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	wantEmpty(t, s, g)
}

// Locks are given back by the kernel, and the shim's lock of a package keeps nobody from starting the package too.
func TestSharedLock(t *testing.T) {
	s := openIn(t, tempHome(t))
	p := install(t, s, "npm:server", installed("server", "1.0.0"), "lock")
	for range 2 {
		fd, err := folder.Open(unix.AT_FDCWD, p.Path)
		do(t, err, unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB))
		defer unix.Close(fd)
	}
	do(t, p.Check())
	if err := p.Remove(); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
}
