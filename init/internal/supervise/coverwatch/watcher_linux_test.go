package coverwatch

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A box is a shell with namespaces of its own, and a watcher of covers in them. The shell is init.
type box struct {
	*testing.T
	dir  string
	init int
	ask  io.Writer
	w    *Watcher
	lost error
}

// newBox makes a file "secret" that is to be covered, and "dir/secret" likewise.
func newBox(t *testing.T) *box {
	runtime.LockOSThread() // a runner dies with its thread
	b := &box{T: t, dir: t.TempDir()}
	os.MkdirAll(b.path("dir/sub"), 0o755)
	os.MkdirAll(b.path("dir.new/sub"), 0o755)
	for _, name := range []string{"secret", "secret.new", "dir.new/sub/file"} {
		if err := os.WriteFile(b.path(name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sh", "-c", `while read -r line; do eval "$line"; done`)
	cmd.Dir = b.dir
	id := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS, Setpgid: true,
		UidMappings: id(os.Getuid()), GidMappings: id(os.Getgid())}
	var err error
	if b.ask, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		testbed.Missing(t, "userns", err.Error())
	}
	b.init = cmd.Process.Pid
	t.Cleanup(func() { unix.Kill(-b.init, unix.SIGKILL); cmd.Wait() })
	return b
}

func (b *box) path(name string) string { return b.dir + "/" + name }

// watch makes the watcher. No cover lies yet, so the first repair lays all.
func (b *box) watch(l *loop.Loop) {
	initFD, err := unix.PidfdOpen(b.init, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { unix.Close(initFD) })
	c := Config{Init: b.init, Ended: func() bool { return poll(initFD, unix.POLLIN) > 0 }, Lost: func(err error) { b.lost = err },
		Covers: []fsview.Cover{{Path: b.path("secret"), Source: b.path("secret"), Kind: fsview.Deny},
			{Path: b.path("dir"), Source: b.path("dir"), Kind: fsview.ReadOnly, Folder: true}}}
	c.Machine.UID = os.Getuid()
	if b.w, err = New(c); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(b.w.Close)
	table, err := os.Open("/proc/" + strconv.Itoa(b.init) + "/mountinfo")
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	if warnings, err := b.w.Watch(int(table.Fd())); err != nil || len(warnings) > 0 {
		b.Fatal(err, warnings)
	}
	b.w.Register(l)
}

// settled reports whether the watcher has nothing to do, and every cover lies whose path the host still has.
func (b *box) settled() bool {
	table, err := os.ReadFile("/proc/" + strconv.Itoa(b.init) + "/mountinfo")
	if err != nil {
		b.Fatal(err)
	}
	mounts, err := platform.ParseMountinfo(table)
	if err != nil {
		b.Fatal(err)
	}
	return b.w.repair == nil && !slices.ContainsFunc(b.w.Covers, func(k fsview.Cover) bool {
		_, err := os.Lstat(k.Path)
		return err == nil && !layers.Covered(mounts, &k)
	})
}

func (b *box) rename(from, to string, flags uint) {
	if err := unix.Renameat2(unix.AT_FDCWD, b.path(from), unix.AT_FDCWD, b.path(to), flags); err != nil {
		b.Error(err)
	}
}

// hold has a child of the shell open a file, and waits until it is open.
func (b *box) hold(name string) {
	io.WriteString(b.ask, "sleep 600 3<"+name+" & until ls -l /proc/$!/fd | grep -q "+name+"; do :; done; : >held\n")
	testbed.Await(b, "a process that holds "+name, func() bool {
		_, err := os.Stat(b.path("held"))
		return err == nil
	})
}

// run serves the loop until each step in turn has returned true.
func run(t *testing.T, l *loop.Loop, steps ...func() bool) {
	t.Helper()
	until := time.Now().Add(testbed.Patience())
	var tick *loop.Timer
	tick = l.Timer(func() {
		if steps[0]() {
			steps = steps[1:]
		}
		if len(steps) == 0 || time.Now().After(until) {
			l.End()
		}
		tick.Set(time.Now().Add(time.Millisecond))
	})
	tick.Set(time.Now())
	if err := l.Run(); err != nil || len(steps) > 0 {
		t.Fatalf("%v; %d steps did not come", err, len(steps))
	}
}

// What the host does to covered paths, and what becomes of the covers. The test says what was renamed: Go ignores SIGIO.
func TestWatcher(t *testing.T) {
	over := func(b *box) { b.rename("secret.new", "secret", 0) }
	exchange := func(b *box) { b.rename("dir", "dir.new", unix.RENAME_EXCHANGE) }
	for _, c := range []struct {
		name, lost string
		do         func(*box)
	}{
		{"replaced", "", over},
		{"renamed away", "", func(b *box) { b.rename("secret", "secret~", 0); over(b) }},
		{"deleted for a while", "", func(b *box) { os.Remove(b.path("secret")); b.w.OnRename(); over(b) }},
		{"a folder exchanged", "", exchange},
		{"in a folder that is gone", "", func(b *box) { os.RemoveAll(b.dir) }},
		{"held", "", func(b *box) { b.hold("secret.new"); over(b) }},
		{"another name", "has another name", func(b *box) { os.Link(b.path("secret.new"), b.path("kept")); over(b) }},
		{"a link", "is a symbolic link now", func(b *box) {
			os.Symlink("x", b.path("link"))
			b.rename("link", "secret", 0)
		}},
		{"a cover that does nothing", "stat", func(b *box) {
			b.w.Alter = func(r *layers.Repair) {
				for i := range r.Len() {
					if line := r.Line(i, nil); strings.Contains(line, "move_mount(") && !strings.Contains(line, `"/dev"`) {
						r.Disarm(i)
					}
				}
			}
			over(b)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l loop.Loop
			b := newBox(t)
			b.watch(&l)
			run(t, &l, func() bool { b.w.onLoss(); return true }, b.settled, func() bool { c.do(b); return true },
				func() bool { b.w.OnRename(); return true },
				func() bool { return b.lost != nil || c.lost == "" && b.settled() })
			if (b.lost != nil) != (c.lost != "") || b.lost != nil && !strings.Contains(b.lost.Error(), c.lost) {
				t.Errorf("lost %v, want %q", b.lost, c.lost)
			}
		})
	}
}

// Without a watcher, and without the sandbox, nothing is watched.
func TestNoSandbox(t *testing.T) {
	var none *Watcher
	none.Register(nil)
	none.OnRename()
	none.Stop()
	none.Close()
	var refusal *order.Refusal
	if _, err := New(Config{Init: 1 << 30}); !errors.As(err, &refusal) || !errors.Is(err, unix.ENOENT) {
		t.Error(err)
	}
}

// What appeared is said once, the last time with what was only counted before.
func TestAppeared(t *testing.T) {
	var l loop.Loop
	var said []string
	long := "/" + strings.Repeat("long/", 10) + ".git"
	found := []string{long}
	a := Appeared{Say: func(line string) { said = append(said, line) },
		Find: func(within time.Duration) ([]string, int, string) {
			if within > earlyTimeout {
				return found, 2, "/searched"
			}
			return found, 0, ""
		}}
	a.Register(&l, func() time.Time { return time.Now().Add(time.Second) })
	a.LookEarly()
	run(t, &l, func() bool { return len(said) > 0 })
	found = append(found, "/w/.idea")
	a.Last()
	a.Last()
	if len(said) != 4 || !strings.HasPrefix(said[0], "…long/long") || !strings.HasPrefix(said[1], "not all of /searched") ||
		!strings.HasPrefix(said[2], "/w/.idea and 2 more appeared") {
		t.Errorf("%q", said)
	}
}
