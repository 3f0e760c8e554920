package shim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// folders are the private folders of this test's launches: they have its folder for temporary files.
func folders(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "mcp-sandbox-*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(s string) bool { return len(filepath.Base(s)) != len("mcp-sandbox-")+32 })
}

// Whatever a server leaves in its private folder, and whoever is killed, nothing of it stays: too deep for a path, closed
// even to its owner, with links to what is the host's.
func TestPrivateFolderGoes(t *testing.T) {
	t.Setenv("TMPDIR", privateBase(t))
	const fill = `cd $TMPDIR; long=$(printf %0250d 0); i=0; while [ $i -lt 40 ]; do mkdir $long; cd -P $long || exit 9; i=$((i+1)); done
		: >file; cd $HOME; mkdir closed; : >closed/file; chmod 0 closed; ln -s KEPT link; ln -s STAGE/read folder; mkdir -p a/b/c d; mkfifo fifo; `
	for _, c := range []struct {
		name, after string
		kill        func(shim, init int)
	}{
		{"the server ends", "exit 0", nil},
		{"the launcher is killed", "exec sleep 600", func(shim, _ int) { unix.Kill(shim, unix.SIGKILL) }},
		{"init is killed", "exec sleep 600", func(_, init int) { unix.Kill(init, unix.SIGKILL) }},
		{"both are killed", "exec sleep 30", func(shim, init int) {
			unix.Kill(shim, unix.SIGSTOP)
			unix.Kill(init, unix.SIGKILL)
			unix.Kill(shim, unix.SIGKILL)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := build(t, "")
			kept := s.Path("file")
			l := s.Launch(altered.Weaker(grants, "reduced"), "")
			script := strings.ReplaceAll(strings.ReplaceAll(fill+c.after, "KEPT", kept), "STAGE", s.Dir)
			l.Command = []string{"/bin/sh", "-c", script}
			swept := func() bool { // a launch takes only so long for others' folders, and leaves the rest to the next
				if o := altered.Run(t, s.Launch(altered.Weaker(grants, "reduced"), "mark")); o.Code != 0 {
					t.Fatalf("code %d\n%s", o.Code, o.Stderr)
				}
				return len(folders(t)) == 0
			}
			cmd, under, done := altered.Start(t, l, nil)
			var tree []int
			if c.kill != nil {
				server := under.Began().PID
				pid := strconv.Itoa(server)
				init := parentOf(t, pid)
				tree = []int{init, server}
				sleeps := func() bool {
					b, _ := os.ReadFile("/proc/" + pid + "/comm")
					return string(b) == "sleep\n"
				}
				if !testbed.Comes(sleeps) || len(folders(t)) != 1 { // it has done what it does before it sleeps
					t.Fatalf("%v", folders(t))
				}
				c.kill(cmd.Process.Pid, init)
				if c.name == "both are killed" { // nobody is left who could
					unix.Kill(server, unix.SIGKILL)
				}
			}
			if o := done(); c.kill == nil && o.Code != 0 {
				t.Fatalf("code %d\n%s", o.Code, o.Stderr)
			}
			if c.name == "both are killed" { // the next launch does it, when init, which holds the lock, and the server are gone too
				ended := func() bool {
					return !slices.ContainsFunc(tree, func(pid int) bool { return testbed.State(pid) != "" && testbed.State(pid) != "Z" })
				}
				if !testbed.Comes(ended) {
					t.Fatal("init or the server does not end")
				}
				testbed.Comes(swept)
			}
			ofRoot := os.Getuid() == 0 && c.name == "the launcher is killed" // which init cannot remove as a whole
			var inside []string
			testbed.Comes(func() bool {
				left := folders(t)
				if ofRoot && len(left) == 1 {
					inside = nil
					filepath.WalkDir(left[0], func(path string, _ os.DirEntry, _ error) error {
						inside = append(inside, filepath.Base(path))
						return nil
					})
					return len(inside) == 4 // itself, file, home, tmp
				}
				return len(left) == 0
			})
			if ofRoot && len(folders(t)) == 1 {
				if len(inside) != 4 {
					t.Errorf("%v", inside)
				}
				testbed.Comes(swept)
			}
			if left := folders(t); len(left) > 0 {
				t.Errorf("%v", left)
			}
			for _, f := range []string{kept, s.Path("read/file")} {
				if _, err := os.Stat(f); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A umask without rights for the owner keeps no launch from its private folder, and leaves none behind.
func TestPrivateFolderUmask(t *testing.T) {
	t.Setenv("TMPDIR", privateBase(t))
	s := build(t, "")
	for _, umask := range []int{0o777, 0o700, 0o300, 0o77} {
		l := s.Launch(altered.Weaker(grants, "reduced"), "mark")
		l.Command, l.Umask = []string{"/bin/sh", "-c", ": >$HOME/f && : >$TMPDIR/f && umask"}, umask
		if o := altered.Run(t, l); o.Code != 0 || o.Stdout != fmt.Sprintf("%04o\n", umask) || len(folders(t)) > 0 {
			t.Errorf("umask %o: code %d, %q, %v\n%s", umask, o.Code, o.Stdout, folders(t), o.Stderr)
		}
	}
}

// privateBase is a folder for temporary files that a server of any user may pass through.
func privateBase(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		os.Chmod(d, 0o755)
	}
	return dir
}

func parentOf(t *testing.T, pid string) int {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := platform.ParseStat(stat)
	return s.Parent
}
